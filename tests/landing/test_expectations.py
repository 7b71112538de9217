"""The guard behind the door passes what the judge let in, and fails on a hand in the file."""

from __future__ import annotations

import duckdb
import pytest

from orchestration.expectations import CORE_TABLES, expectation_names, validate
from tests.landing.portfolio import Door, charge, payment, returned

BOOKS = {
    "charges": [charge("C1"), charge("C2", "-1500.00", reverses_charge_id="C1"), charge("C3", "20.00")],
    "payments": [
        payment("P1"),
        payment("P2", lease_id="", entity_id="E1"),
        payment("P3", lease_id="L404", entity_id="E1"),
    ],
    "payment_reversals": [returned("V1", "P1", "400.00")],
    "payment_matches": [{"payment_id": "P2", "lease_id": "L2", "matched_on": "2026-10-08", "matched_by": "Ann"}],
    "period_closes": [
        {"entity_id": "E1", "period": "2026-09", "closed_at": "2026-10-05T00:00:00Z", "closed_by": "Ann"}
    ],
}

# One statement per way in which an accepted row can be corrupted, and the expectation that must catch it.
CORRUPTIONS = {
    "an amount that is no amount": (
        "UPDATE landing.charges SET amount = '1.500,00' WHERE charge_id = 'C3'", "charges", "rows_are_as_declared",
        "default:C3 (charges-run1.csv, row 4): amount: 1.500,00"),
    "an amount not in canonical text": (
        "UPDATE landing.charges SET amount = '20' WHERE charge_id = 'C3'", "charges", "rows_are_as_declared",
        "amount: 20"),
    "a negative payment": (
        "UPDATE landing.payments SET amount = '-1.00' WHERE payment_id = 'P2'", "payments", "rows_are_as_declared",
        "P2"),
    "a required value gone": (
        "UPDATE landing.leases SET start_on = NULL WHERE lease_id = 'L2'", "leases", "rows_are_as_declared",
        "start_on is empty"),
    "a value outside its list": (
        "UPDATE landing.charge_codes SET category = 'misc' WHERE charge_code = 'LATE'", "charge_codes",
        "rows_are_as_declared", "category: misc"),
    "a day that does not exist": (
        "UPDATE landing.charges SET posted_on = '2026-02-30' WHERE charge_id = 'C3'", "charges", "rows_are_as_declared",
        "posted_on: 2026-02-30"),
    "a charge of a lease that is gone": (
        "DELETE FROM landing.leases WHERE lease_id = 'L1'", "charges", "named_rows_are_accepted", "lease_id: L1"),
    "a return of a payment that is gone": (
        "DELETE FROM landing.payments WHERE payment_id = 'P1'", "payment_reversals", "named_rows_are_accepted",
        "payment_id: P1"),
    "a row twice": (
        "INSERT INTO landing.units SELECT * FROM landing.units WHERE unit_id = 'U1'", "units",
        "versions_count_from_one",
        "default:U1"),
    "a version that changes a fact": (
        "INSERT INTO landing.charges SELECT * REPLACE (2 AS version_no, '21.00' AS amount) FROM landing.charges"
        " WHERE charge_id = 'C3'", "charges", "facts_never_change", "amount changed"),
    "periods that overlap": (
        "INSERT INTO landing.properties SELECT * REPLACE ('2026-05-01' AS valid_from, 'default:P1|2026-05-01' AS"
        " row_key)"
        " FROM landing.properties WHERE property_id = 'P1'", "properties", "periods_do_not_overlap", "default:P1"),
    "a return larger than the payment": (
        "UPDATE landing.payment_reversals SET amount = '1000.01'", "payment_reversals",
        "returns_do_not_exceed_the_payment",
        "1000.01 of 1000.00"),
    "a reversal larger than the charge": (
        "UPDATE landing.charges SET amount = '-1500.01' WHERE charge_id = 'C2'", "charges",
        "reversals_fit_what_they_reverse",
        "-1500.01 for 1500.00"),
    "a charge reversed twice": (
        "INSERT INTO landing.charges SELECT * REPLACE ('C9' AS charge_id, 'default:C9' AS charge_key,"
        " 'default:C9' AS row_key)"
        " FROM landing.charges WHERE charge_id = 'C2'", "charges", "a_charge_is_reversed_once", "C1 reversed 2 times"),
    "a match of a payment with a lease": (
        "UPDATE landing.payments SET lease_id = 'L1', lease_key = 'default:L1' WHERE payment_id = 'P2'",
        "payment_matches",
        "a_match_is_of_a_payment_in_suspense", "payment of lease L1"),
}  # fmt: skip


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory, furnished: Door) -> Door:
    import shutil

    path = tmp_path_factory.mktemp("books")
    shutil.copytree(furnished.path, path, dirs_exist_ok=True)
    shutil.rmtree(path / "landing")
    door = Door(path, runs=1)
    door.land(BOOKS)
    assert door.held() == {}
    return door


def test_what_the_judge_let_in_passes_and_every_expectation_is_reported(books: Door) -> None:
    results = validate(books.raw)
    assert [(result.table, result.name) for result in results] == expectation_names()
    assert {result.table for result in results} == set(CORE_TABLES)
    assert [result for result in results if not result.passed] == []


def test_an_empty_file_passes(empty_door: Door) -> None:
    empty_door.land({})
    assert all(result.passed for result in validate(empty_door.raw))


def test_the_file_can_be_written_after_it_was_validated(books: Door) -> None:
    validate(books.raw, ["units"])
    with duckdb.connect(str(books.raw)) as raw:
        raw.execute("BEGIN")
        raw.execute("DELETE FROM landing.units")
        raw.execute("ROLLBACK")


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_corrupted_row_fails_its_expectation_and_is_named(door: Door, books: Door, corruption: str) -> None:
    statement, table, name, words = CORRUPTIONS[corruption]
    door.raw.write_bytes(books.raw.read_bytes())
    with duckdb.connect(str(door.raw)) as raw:
        raw.execute(statement)
    failed = {result.name: result for result in validate(door.raw, [table]) if not result.passed}
    assert name in failed, f"{corruption} went unnoticed"
    result = failed[name]
    assert result.failures >= 1 and len(result.rows) >= 1
    assert words in result.message


def test_the_guard_keeps_to_the_memory_of_the_door(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit of its own the guard took twelve gigabytes over five million charges."""
    from sqlalchemy import create_engine, text

    from orchestration.expectations.dialect import connection_string

    monkeypatch.setenv("TIEOUT_DOOR_MEMORY", "1536MiB")
    door.land({"charges": [charge("C1")]})
    engine = create_engine(connection_string(door.raw))
    with engine.connect() as connection:
        assert connection.execute(text("select current_setting('memory_limit')")).scalar() == "1.5 GiB"
    engine.dispose()
