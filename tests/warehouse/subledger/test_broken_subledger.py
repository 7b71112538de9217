"""The invariants of the resident side fail where they must: each is given a deliberately broken input.

A break is planted in a copy of a built file, and the check's own query is run again on it. Its rows say in words where.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import BuildOf, Built
from tests.warehouse.subledger.test_kinds_of_money import AS_OF, portfolio

Check = Callable[..., list[str]]


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(portfolio().files(), as_of=AS_OF)


@pytest.fixture
def check(built: Built, tmp_path: Path) -> Check:
    nodes: dict[str, Any] = {node.name: node for node in built.run.nodes}

    def messages(test: str, *breaks: str) -> list[str]:
        broken = tmp_path / "broken.duckdb"
        shutil.copy(built.build.path, broken)
        with duckdb.connect() as connection:
            connection.execute(f"attach '{broken}' as warehouse")
            connection.execute("use warehouse")
            for statement in breaks:
                assert connection.execute(statement).fetchone()[0] > 0, f"planted nothing: {statement}"
            return [str(row) for row in connection.execute(nodes[test].compiled).fetchall()]

    return messages


BREAKS: list[tuple[str, str, str]] = [
    (
        "int_allocation__ids__every_row_is_named",
        "delete from subledger.int_allocation__ids where journal_seq = 1",
        "one side only",
    ),
    (
        "int_allocation__applications__none_lost",
        "delete from subledger.int_allocation__applications where journal_seq = 1",
        "were booked",
    ),
    (
        "int_allocation__applications__a_reversal_takes_back_a_live_row",
        "update subledger.int_allocation__applications set amount = amount - 1"
        " where reverses_application_id is not null",
        "exceeds it",
    ),
    (
        "int_allocation__applications__a_reversal_takes_back_a_live_row",
        "update subledger.int_allocation__applications set amount = -amount where reverses_application_id is null",
        "not positive",
    ),
    (
        "int_open_items__changes__never_less_than_nothing_open",
        "update subledger.int_open_items__changes set change = change - 10000 where side = 'open' and is_application",
        "is applied",
    ),
    (
        "int_open_items__changes__never_less_than_nothing_open",
        "insert into subledger.int_open_items__changes"
        " select account_key, item_key, side, -change, false, business_on, accounting_on, recorded_at"
        " from subledger.int_open_items__changes where side = 'open' and not is_application and change > 0",
        "stands for",
    ),
    (
        "int_open_items__changes__add_up_to_the_balance",
        "delete from subledger.int_open_items__changes where side = 'waiting' and not is_application",
        "open less waiting",
    ),
    (
        "int_open_items__charges__open_within_amount",
        "update subledger.int_open_items__charges set open_amount = amount + 0.01",
        "more is open",
    ),
    (
        "int_open_items__waiting__waiting_within_amount",
        "update subledger.int_open_items__waiting set amount = source_amount + 0.01",
        "more waits",
    ),
    (
        "int_aging__month_ends__buckets_less_credit_are_the_balance",
        "update subledger.int_aging__month_ends set days_over_90 = days_over_90 + 0.01 where basis = 'books'",
        "not the balance",
    ),
    (
        "int_aging__month_ends__buckets_are_what_is_open",
        "update subledger.int_aging__month_ends set rent_open = rent_open + 0.01",
        "do not add up",
    ),
    (
        "int_aging__buckets__add_up_to_the_open_total",
        "delete from subledger.int_aging__buckets where bucket = 'not yet due'",
        "the parts add up to",
    ),
    (
        "int_arrears__periods__nothing_negative",
        "update subledger.int_arrears__periods set rent_owing = -0.01",
        "below zero",
    ),
    (
        "int_arrears__bridge__adds_up_to_the_claim",
        "update subledger.int_arrears__bridge set amount = amount + 0.01 where line_kind = 'ledger_balance'",
        "the claim is",
    ),
    (
        "int_events__entries__never_booked_before_its_day",
        "update core.int_events__entries set accounting_on = business_on - 1",
        "before the day",
    ),
    (
        "resident_ledger__grain",
        "update marts.resident_ledger set entry_seq = 1",
        "share one key",
    ),
]


@pytest.mark.parametrize(("test", "statement", "says"), BREAKS, ids=[f"{row[0]}-{row[2]}" for row in BREAKS])
def test_a_planted_break_is_found(check: Check, test: str, statement: str, says: str) -> None:
    assert check(test) == []
    found = check(test, statement)
    assert found and any(says in row for row in found), found[:3]


def test_a_break_is_named_with_its_lease_its_item_and_its_day(check: Check) -> None:
    found = check(
        "int_open_items__changes__never_less_than_nothing_open",
        "update subledger.int_open_items__changes set change = change - 10000 where is_application and side = 'open'"
        " and item_key = (select event_key from core.int_events__entries where source_id = 'NAMES.B')",
    )
    assert any("lease NAMES, charge NAMES.B on 2026-05-02 (business): it stands for 50.00" in row for row in found), (
        found
    )
