"""The sample is the same bytes everywhere, stays inside its window, and obeys the contract's simplest promises."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from orchestration.sample import SampleInfo, system_of_record, write_sample
from orchestration.sample.amounts import money, prorated, share
from orchestration.sample.chance import Chance
from orchestration.sample.closes import closing_day, period_closes


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleInfo:
    return write_sample(tmp_path_factory.mktemp("sample"))


def rows(sample: SampleInfo, table: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for name in sample.files:
        if name.split(".")[0].split("-")[0] == table and name != "payments-front-desk.csv":
            with (sample.folder / name).open(newline="", encoding="utf-8") as handle:
                found += csv.DictReader(handle)
    return found


def digest(folder: Path) -> str:
    parts = [f"{p.name} {hashlib.sha256(p.read_bytes()).hexdigest()}" for p in sorted(folder.iterdir())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def test_the_same_bytes_every_time(sample: SampleInfo, tmp_path: Path) -> None:
    write_sample(tmp_path)
    assert digest(tmp_path) == digest(sample.folder)


def test_chance_is_the_published_sequence_and_not_the_interpreters() -> None:
    """splitmix64 by its definition: a change of these numbers moves every figure of the sample."""
    chance = Chance(1)
    assert [chance.between(0, 999_999) for _ in range(5)] == [803_048, 426_024, 556_189, 887_139, 674_067]


def test_neighbouring_seeds_are_not_one_stream_started_later() -> None:
    """Seeds once went into the state as they came: every lease drew the numbers of its neighbour, one draw later."""
    first, second = Chance(1), Chance(2)
    one = [first.between(0, 10**9) for _ in range(50)]
    two = [second.between(0, 10**9) for _ in range(50)]
    assert not set(one) & set(two)


def test_about_three_hundred_ordinary_leases_stand_beside_the_stories(sample: SampleInfo) -> None:
    assert 280 <= sample.leases - sample.stories <= 380
    assert sample.stories >= 60
    assert sample.as_of == date(2026, 11, 5) and sample.last_closed == "2026-09"


@pytest.mark.parametrize(
    ("table", "day"),
    [
        ("charges", "posted_on"),
        ("payments", "received_on"),
        ("payment_reversals", "reversed_on"),
        ("payment_matches", "matched_on"),
        ("deposit_movements", "occurred_on"),
        ("write_offs", "written_off_on"),
        ("refunds_of_credit", "paid_on"),
        ("transfers", "transferred_on"),
    ],
)
def test_nothing_happens_or_is_recorded_after_the_as_of_date(sample: SampleInfo, table: str, day: str) -> None:
    last = sample.as_of.isoformat()
    found = rows(sample, table)
    assert found
    for row in found:
        assert row[day] <= last, row
        assert row.get("recorded_at", "")[:10] <= last, row


def test_no_id_is_used_twice(sample: SampleInfo) -> None:
    for table, key in (
        ("charges", "charge_id"),
        ("payments", "payment_id"),
        ("leases", "lease_id"),
        ("units", "unit_id"),
        ("persons", "person_id"),
    ):
        ids = [row[key] for row in rows(sample, table)]
        assert len(ids) == len(set(ids)), table


def test_two_files_never_hold_the_same_bytes(sample: SampleInfo) -> None:
    hashes = [hashlib.sha256((sample.folder / name).read_bytes()).hexdigest() for name in sample.files]
    assert len(hashes) == len(set(hashes))


def test_a_reversal_is_the_exact_negative_of_its_charge(sample: SampleInfo) -> None:
    charges = {row["charge_id"]: row for row in rows(sample, "charges")}
    reversals = [row for row in charges.values() if row["reverses_charge_id"]]
    assert reversals
    for row in reversals:
        assert Decimal(row["amount"]) == -Decimal(charges[row["reverses_charge_id"]]["amount"])
        assert row["reason"] and row["approved_by"]


def test_about_two_payments_in_a_hundred_come_back_with_a_fee(sample: SampleInfo) -> None:
    town = [
        row for row in rows(sample, "payments") if row["payment_id"].startswith("p-") and row["payer_kind"] != "agency"
    ]
    returns = [
        row
        for row in rows(sample, "payment_reversals")
        if row["kind"] == "return" and row["reversal_id"].startswith("r-")
    ]
    assert Decimal("0.01") < Decimal(len(returns)) / Decimal(len(town)) < Decimal("0.03")
    fees = defaultdict(int)
    for row in rows(sample, "charges"):
        if row["charge_code"] == "NSF" and row["charge_id"].startswith("c-"):
            fees[row["lease_id"]] += 1
    assert sum(fees.values()) == len(returns)


def test_some_payments_are_keyed_after_their_month_was_closed(sample: SampleInfo) -> None:
    """They must book in the first open month and be listed as late arrivals."""
    closed = {(row["entity_id"], row["period"]): row["closed_at"] for row in period_closes()}
    late = [
        row
        for row in rows(sample, "payments")
        if row["recorded_at"]
        and any(
            period == row["received_on"][:7] and at[:19] < row["recorded_at"][:19] for (_, period), at in closed.items()
        )
    ]
    assert len(late) >= 5


def test_the_subsidy_is_charged_to_the_agency_to_the_cent(sample: SampleInfo) -> None:
    """What the resident is credited the agency is charged, so that income is the contract rent once."""
    total: dict[str, Decimal] = defaultdict(lambda: Decimal(0))
    for row in rows(sample, "charges"):
        if row["charge_id"].startswith("c-") and row["charge_code"] in ("SUBSIDY", "SUBSIDYCORR"):
            total[row["lease_id"]] += Decimal(row["amount"])
    assert total and set(total.values()) == {Decimal("0.00")}


def test_closes_fall_between_the_fifth_and_the_eighth_on_a_weekday() -> None:
    for row in period_closes():
        day = date.fromisoformat(row["closed_at"][:10])
        assert 5 <= day.day <= 8 and day.weekday() < 5
        assert day.replace(day=1) - timedelta(days=1) >= date.fromisoformat(f"{row['period']}-28")
    assert closing_day(date(2026, 8, 1), 5) == date(2026, 9, 7)
    assert max(row["period"] for row in period_closes()) == "2026-09"


@pytest.mark.parametrize(
    ("method", "cents"), [("actual_days_month", 72_581), ("thirty_day_month", 75_000), ("actual_days_year", 73_973)]
)
def test_fifteen_hundred_from_the_17th_of_a_long_month(method: str, cents: int) -> None:
    assert prorated(150_000, date(2026, 8, 17), date(2026, 8, 31), method) == cents


def test_halves_are_rounded_away_from_zero_and_cents_written_with_their_sign() -> None:
    assert (share(1, 1, 2), share(-1, 1, 2), share(5, 1, 3)) == (1, -1, 2)
    assert (money(5), money(-5), money(-123_456)) == ("0.05", "-0.05", "-1234.56")


def test_nothing_of_the_town_is_older_than_the_cut_over_but_what_was_brought_in(sample: SampleInfo) -> None:
    """Opening balances stand for the end of 31 October 2024: what came before is in them, not beside them."""
    for table, key, day in (("charges", "charge_id", "posted_on"), ("payments", "payment_id", "received_on")):
        town = [row[day] for row in rows(sample, table) if row[key].startswith(("c-", "p-"))]
        assert min(town) >= "2024-11-01"
    brought = {row["as_of"] for row in rows(sample, "opening_balances") if row["opening_id"].startswith("o-")}
    assert brought == {"2024-10-31"}


def test_the_system_of_record_never_applies_more_than_it_has_or_than_is_owed(sample: SampleInfo) -> None:
    stated = rows(sample, "source_applications")
    assert len(stated) > 3000 and any(row["amount"].startswith("-") for row in stated)
    amounts = {row["payment_id"]: Decimal(row["amount"]) for row in rows(sample, "payments")}
    owed = {row["charge_id"]: Decimal(row["amount"]) for row in rows(sample, "charges")}
    owed |= {row["opening_id"]: Decimal(row["amount"]) for row in rows(sample, "opening_balances")}
    of_payment: dict[str, Decimal] = defaultdict(Decimal)
    of_charge: dict[str, Decimal] = defaultdict(Decimal)
    for row in stated:
        of_payment[row["payment_id"]] += Decimal(row["amount"])
        of_charge[row["charge_id"]] += Decimal(row["amount"])
    assert all(0 <= total <= amounts[name] for name, total in of_payment.items())
    assert all(0 <= total <= owed[name] for name, total in of_charge.items())
    keys = [(row["payment_id"], row["charge_id"], row["applied_on"]) for row in stated]
    assert len(set(keys)) == len(keys)


def test_the_system_of_record_pays_what_is_due_longest_whatever_the_law_says() -> None:
    """A water bill of April before the rent of May; a return gives both back, newest first."""
    lease = {"lease_id": "L", "property_id": system_of_record.PROPERTIES[0]}
    base = {"lease_id": "L", "ledger_party": ""}
    tables = {
        "leases": [lease],
        "charges": [
            base | {"charge_id": "W", "charge_code": "WATER", "amount": "80.00", "posted_on": "2026-04-20"},
            base | {"charge_id": "R", "charge_code": "RENT", "amount": "1000.00", "posted_on": "2026-05-01"},
        ],
        "payments": [base | {"payment_id": "P", "amount": "1000.00", "received_on": "2026-05-02"}],
        "payment_reversals": [
            {"reversal_id": "B", "payment_id": "P", "amount": "950.00", "reversed_on": "2026-05-06"},
        ],
    }
    found = system_of_record.source_applications(tables)
    assert [tuple(row.values()) for row in found] == [
        ("P", "R", "920.00", "2026-05-02"),
        ("P", "W", "80.00", "2026-05-02"),
        ("P", "R", "-920.00", "2026-05-06"),
        ("P", "W", "-30.00", "2026-05-06"),
    ]
