"""Batching does not matter: the same rows in other files, in another order, over two loads, give the same tables."""

from __future__ import annotations

import os
import random
from decimal import Decimal
from pathlib import Path

import pytest

from orchestration import pipeline
from orchestration.home import Home
from tests.conftest import BuildOf, Built
from tests.landing.formats import ENDINGS, write_tables
from tests.landing.portfolio import Door
from tests.landing.test_runs import accepted
from tests.warehouse.subledger.portfolio import Portfolio
from tests.warehouse.subledger.test_kinds_of_money import AS_OF, portfolio

FULL = os.environ.get("TIEOUT_PROOF") == "full"
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


def test_files_of_every_format_shuffled_and_journals_in_shares_give_the_same_tables(
    build_of: BuildOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole portfolio as CSV, and again as more than fifty files of all formats, its journals made in shares of
    forty rows as those of a large portfolio are in shares of millions: equal hashes of every table."""
    whole = build_of(portfolio().files(), as_of=AS_OF)
    assert whole.one("select count(*) from gl.int_journals__postings") > 80
    monkeypatch.setenv("TIEOUT_ROWS_OF_A_PART", "40")
    tables = {table: rows for table, rows in portfolio().rows.items() if rows}
    assert write_tables(tmp_path / "landing", tables, ENDINGS, seed=5) > 50
    home = Home(tmp_path / "home")
    build, run = pipeline.run_folder(home, tmp_path / "landing", as_of=AS_OF, expectations=False)
    other = Built(home, build, run)
    assert [name for name, found in whole.hashes.items() if other.hashes[name] != found] == []


@pytest.fixture(scope="module")
def as_csv(tmp_path_factory: pytest.TempPathFactory) -> Door:
    """The portfolio as it comes in as CSV, one file a table."""
    door = Door(tmp_path_factory.mktemp("csv"))
    write_tables(door.folder, {table: rows for table, rows in portfolio().rows.items() if rows}, ["csv"], None)
    assert door.land().refused == []
    return door


@pytest.mark.parametrize(
    ("endings", "seed"),
    [([ending], seed) for ending in (ENDINGS if FULL else ()) for seed in (None, 6)] or [(["parquet", "xlsx"], None)],
)
def test_every_format_alone_gives_the_rows_that_those_tables_are_made_of(
    as_csv: Door, tmp_path: Path, endings: list[str], seed: int | None
) -> None:
    """A build reads the accepted rows and nothing else of a file; that where they came from does not matter, the test
    before shows. So for each format, in one file a table and in many, equal rows are equal tables without a build."""
    tables = {table: rows for table, rows in portfolio().rows.items() if rows}
    door = Door(tmp_path / "home")
    write_tables(door.folder, tables, endings, seed)
    assert door.land().refused == []
    rows, expected = accepted(door.raw), accepted(as_csv.raw)
    assert {table for table in tables if rows[table] != expected[table]} == set()
    assert door.untied() == [] and len(rows["charges"]) > 20


ARRANGED = {
    "model": "direct_settlement", "is_trust_account": "false", "returns_borne_by": "owner",
    "agreement_reference": "a test", "valid_from": "2000-01-01",
}  # fmt: skip


def two_zones() -> Portfolio:
    """Two landlords; one of them in two time zones. Money without a recorded time for leases that may come later."""
    book = Portfolio(properties={"maple1": "US-IA", "maple2": "US-IA"})
    book.add("entities", entity_id="birch", name="Birch LLC", currency="USD", chart_id="main")
    for row in book.rows["properties"]:
        row["time_zone"] = "America/Chicago" if row["property_id"] == "maple1" else "America/New_York"
    book.add("collection_arrangements", arrangement_id="A1", property_id="maple1", payee_entity_id="maple",
             settlement_account="bank-1", **ARRANGED)  # fmt: skip
    # Another system's account of the same name is another account, of another landlord.
    book.add("collection_arrangements", arrangement_id="A2", property_id="maple1", payee_entity_id="birch",
             settlement_account="bank-1", source_system="other", **ARRANGED)  # fmt: skip
    book.lease("EAST", at="maple2").charge("RENT", "rent", "2026-05-01", "900.00").pay(
        "P", "2026-05-03", "900.00", settlement_account="bank-1"
    ).back("R", "P", "2026-05-09", "100.00")
    west = book.lease("WEST").charge("RENT", "rent", "2026-05-01", "800.00")
    west.pay("P", "2026-05-03", "800.00", entity_id="maple")
    book.add("payments", payment_id="STRAY", amount="10.00", received_on="2026-05-04", lease_id="NOBODY",
             settlement_account="bank-1")  # fmt: skip
    return book


def with_late(
    tables: set[str], book: Portfolio, keep: str = ""
) -> list[tuple[str, dict[str, list[dict[str, object]]]]]:
    """The book in two loads: rows of `tables` (but those of the property `keep`) come in the second."""
    late = {t: [row for row in book.rows[t] if row.get("property_id") != keep] for t in tables}
    first = {t: [row for row in rows if row not in late.get(t, [])] for t, rows in book.rows.items()}
    return [(m, {f"{t}.csv": r for t, r in part.items() if r}) for m, part in ((FIRST, first), (SECOND, late))]


def test_money_without_a_recorded_time_is_known_at_one_moment_whenever_its_lease_arrives(build_of: BuildOf) -> None:
    whole = build_of(two_zones().files(), as_of=AS_OF)
    midnight_east = whole.one("select recorded_at from resident_ledger where source_id = 'EAST.P'")
    assert f"{midnight_east:%Y-%m-%d %H:%M}" == "2026-05-03 04:00", "midnight where the property lies"
    later = build_of(loads=with_late({"leases", "charges"}, two_zones()), as_of=AS_OF)
    assert later.one("select count(*) from quarantine where status = 'open'") == 0
    assert [name for name, found in whole.hashes.items() if later.hashes[name] != found] == []


def test_days_of_suspense_begin_where_they_would_had_every_property_come_at_once(build_of: BuildOf) -> None:
    whole = build_of(two_zones().files(), as_of=AS_OF)
    later = build_of(
        loads=with_late({"properties", "units", "leases", "charges", "collection_arrangements"}, two_zones(), "maple2"),
        as_of=AS_OF,
    )
    assert [name for name, found in whole.hashes.items() if later.hashes[name] != found] == []


def test_a_payment_for_an_unknown_lease_is_in_suspense_of_the_payee_of_its_own_account(build_of: BuildOf) -> None:
    built = build_of(two_zones().files(), as_of=AS_OF)
    assert built.rows("select entity_id, amount from core.int_events__suspense where source_id = 'STRAY'") == [
        ("maple", Decimal("10.00"))
    ]
