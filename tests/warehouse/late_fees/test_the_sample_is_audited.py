"""The audits of the shipped sample find what its managers overcharged in six places, to the cent, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pytest

from orchestration.home import Home
from orchestration.sample.overcharges import overcharges

# A verdict that says that a fee was wrong; the others say that it was right, arguable, or not to be proved.
WRONG = ("too_early", "too_much", "too_many", "not_permitted", "on_subsidy", "during_hold")


def cents(amount: Decimal) -> int:
    return int(amount * 100)


@pytest.fixture(scope="module")
def warehouse(sample_home: Home) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(sample_home.need_published().path), read_only=True) as connection:
        yield connection


def test_every_unlawful_fee_is_found_with_its_verdict_and_its_cents(warehouse: duckdb.DuckDBPyConnection) -> None:
    found = warehouse.execute(
        "select jurisdiction, property_id, lease_id, verdict, posted_on, posted, overcharge from marts.late_fee_audit"
        " where overcharge > 0 or list_contains(?, verdict)",
        [list(WRONG)],
    ).fetchall()
    assert sorted((*row[:5], cents(row[5]), cents(row[6])) for row in found) == sorted(
        (each.jurisdiction, each.property_id, each.lease_id, each.finding, each.posted_on, each.posted, each.over)
        for each in overcharges()
        if each.audit == "late_fee_audit"
    )


def test_every_wrong_bill_is_found_with_its_finding_and_its_cents(warehouse: duckdb.DuckDBPyConnection) -> None:
    found = warehouse.execute(
        "select property_id, lease_id, charge_code, finding, service_from, posted - expected, difference"
        " from marts.billing_audit"
    ).fetchall()
    assert all(row[5] == row[6] for row in found)
    assert sorted((*row[:5], cents(row[6])) for row in found) == sorted(
        (each.property_id, each.lease_id, each.charge_code, each.finding, each.posted_on, each.over)
        for each in overcharges()
        if each.audit == "billing_audit"
    )


def test_six_places_were_overcharged_and_each_comes_to_what_was_planted(warehouse: duckdb.DuckDBPyConnection) -> None:
    planted: dict[str, int] = defaultdict(int)
    for each in overcharges():
        planted[each.jurisdiction] += each.over
    found = warehouse.execute(
        """
        with overcharges as (
            select property_id, overcharge as amount from marts.late_fee_audit where overcharge > 0
            union all
            select property_id, difference from marts.billing_audit where difference > 0
        )
        select jurisdiction, sum(amount)
        from overcharges
        inner join marts.properties using (property_id)
        group by jurisdiction
        """
    ).fetchall()
    assert {place: cents(amount) for place, amount in found} == planted
    assert len(planted) == 6


def test_what_else_is_not_lawful_is_arguable_or_cannot_be_proved_and_says_why(
    warehouse: duckdb.DuckDBPyConnection,
) -> None:
    """One story charges on the day of the lenient reading; three places have no rule, or no amount, for some months."""
    contestable = warehouse.execute(
        "select charge_id from marts.late_fee_audit where verdict = 'contestable' order by charge_id"
    ).fetchall()
    assert contestable == [("ny-five-percent.L",)]
    unproven = warehouse.execute(
        "select jurisdiction, verdict, min(reason), count(distinct reason), max(period_from)"
        " from marts.late_fee_audit where unproven_amount > 0 group by jurisdiction, verdict order by 1, 2"
    ).fetchall()
    assert [(place, verdict) for place, verdict, *_ in unproven] == [
        ("US-CA", "needs_human_basis"),
        ("US-CA", "no_rule_on_file"),
        ("US-MN", "no_rule_on_file"),
        ("US-OR", "no_rule_on_file"),
    ]
    assert all(reason and number == 1 for _, _, reason, number, _ in unproven)
    assert all(f"{last}" < "2026-01-01" for _, verdict, _, _, last in unproven if verdict == "no_rule_on_file")
