"""Batching does not matter: the same rows in other files, in another order, over two loads, give the same tables."""

from __future__ import annotations

import random

from tests.conftest import BuildOf
from tests.warehouse.subledger.portfolio import Portfolio
from tests.warehouse.subledger.test_kinds_of_money import AS_OF, portfolio

FIRST, SECOND = "2026-06-16T08:00:00+00:00", "2026-06-17T08:00:00+00:00"


def shuffled(book: Portfolio, seed: int) -> list[tuple[str, dict[str, list[dict[str, object]]]]]:
    """Every table cut into files of two loads, its rows in a random order: leases may come after their charges."""
    chance = random.Random(seed)
    loads: dict[str, dict[str, list[dict[str, object]]]] = {FIRST: {}, SECOND: {}}
    for table, rows in sorted(book.rows.items()):
        rows = chance.sample(rows, len(rows))
        for row in rows:
            # Books without a chart of accounts are refused, whatever else has arrived.
            moment = FIRST if table in ("gl_accounts", "gl_mappings") else chance.choice((FIRST, SECOND))
            loads[moment].setdefault(f"{table}-{chance.randint(1, 2)}.csv", []).append(row)
    return list(loads.items())


def test_shuffled_rows_in_many_files_and_two_loads_give_the_same_tables(build_of: BuildOf) -> None:
    whole = build_of(portfolio().files(), as_of=AS_OF)
    pieces = build_of(loads=shuffled(portfolio(), seed=20261130), as_of=AS_OF)
    assert pieces.one("select count(*) from quarantine where status = 'open'") == 0
    assert [name for name, found in whole.hashes.items() if pieces.hashes[name] != found] == []
    assert {"resident_ledger", "payment_applications", "aging_month_end", "arrears_bridge"} <= set(whole.hashes)
