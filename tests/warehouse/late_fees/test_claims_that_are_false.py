"""Claims about late fees that circulate and are false, each held against the rows that ship."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.warehouse.alone import seeds
from tests.warehouse.late_fees.payments import judged, payment, policy

FLAT = [{"kind": "flat", "amount": "500.00"}]


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, Any]]:
    def late(key: str, place: str, rent: str, due: str = "2026-04-01", **said: Any) -> dict[str, Any]:
        return payment(key, place, due, rent, **said)

    return judged(
        [
            late("mn-500", "US-MN", "500.00"),
            late("mn-1200", "US-MN", "1200.00"),
            late("mn-oral", "US-MN", "1200.00", posted="96.00", posted_on="2026-04-20"),
            late("wa", "US-WA", "1800.00", posted="360.00", posted_on="2026-04-20"),
            late("fl", "US-FL", "1000.00", posted="200.00", posted_on="2026-04-20"),
            late("ga", "US-GA", "1000.00", posted="20.00", posted_on="2026-04-20"),
            late("ar", "US-AR", "1000.00"),
            late("ri", "US-RI", "1000.00", posted="20.00", posted_on="2026-04-20"),
            late("il", "US-IL", "1000.00", posted="20.00", posted_on="2026-04-20"),
            late("ut-600", "US-UT", "600.00"),
            late("ut-2000", "US-UT", "2000.00"),
            late("ny", "US-NY", "1000.00", "2026-10-01"),
            late("on", "CA-ON", "1400.00", posted="50.00", posted_on="2026-04-20"),
            late("chi-450", "US-IL-Chicago", "450.00"),
            late("chi-1000", "US-IL-Chicago", "1000.00"),
        ],
        [policy("mn-500", FLAT, grace_n="4"), policy("mn-1200", FLAT, grace_n="4"), policy("wa", FLAT)],
    )


def test_minnesota_is_eight_percent_and_no_fifty_dollars(verdicts: dict[str, dict[str, Any]]) -> None:
    """Claims: 50 dollars or 8 percent, whichever is greater; the cap is 50 dollars."""
    assert verdicts["mn-500"]["lawful_maximum"] == Decimal("40.00")
    assert verdicts["mn-1200"]["lawful_maximum"] == Decimal("96.00")


def test_minnesota_has_no_eight_days(verdicts: dict[str, dict[str, Any]]) -> None:
    assert verdicts["mn-500"]["first_eligible_on"] == date(2026, 4, 6)  # what the agreement says


def test_minnesota_needs_an_agreement_in_writing(verdicts: dict[str, dict[str, Any]]) -> None:
    """Claim: it may be agreed orally. Nothing in writing is on file: nothing can be proved."""
    found = verdicts["mn-oral"]
    assert (found["verdict"], found["first_eligible_on"]) == ("needs_human_basis", None)
    assert found["unproven_amount"] == Decimal("96.00")
    rules = {row["rule_id"]: row for row in seeds("rules", "late_fee_rules.csv")}
    assert rules["US-MN.latefee.504B177"]["needs_written_agreement"] == "true"


def test_self_storage_law_is_no_residential_law(verdicts: dict[str, dict[str, Any]]) -> None:
    """Claim: 20 dollars or 20 percent is reasonable (Washington, Florida, Georgia)."""
    assert verdicts["wa"]["lawful_maximum"] is None
    assert {verdicts[place]["verdict"] for place in ("fl", "ga")} == {"needs_human_basis"}
    for row in seeds("rules", "late_fee_components.csv"):
        assert (row["kind"], row["amount"]) != ("flat", "20.00") and row["rate"] not in ("0.2", "0.20")


def test_a_grace_before_termination_is_no_grace_before_a_fee(verdicts: dict[str, dict[str, Any]]) -> None:
    """Claim: five days in Arkansas, fifteen in Rhode Island."""
    assert verdicts["ar"]["first_eligible_on"] == date(2026, 4, 2)
    assert (verdicts["ri"]["verdict"], verdicts["ri"]["first_eligible_on"]) == ("no_rule_on_file", None)


def test_illinois_has_no_rule_of_its_own_on_file(verdicts: dict[str, dict[str, Any]]) -> None:
    """Claim: five days under 770 ILCS 95/7.10, which is the self-storage act."""
    assert verdicts["il"]["verdict"] == "no_rule_on_file"


def test_utah_has_a_cap(verdicts: dict[str, dict[str, Any]]) -> None:
    assert verdicts["ut-600"]["lawful_maximum"] == Decimal("75.00")
    assert verdicts["ut-2000"]["lawful_maximum"] == Decimal("200.00")


def test_new_york_counts_days_and_no_business_days(verdicts: dict[str, dict[str, Any]]) -> None:
    """Due Thursday 1 October: five business days would end on the 8th."""
    assert verdicts["ny"]["first_eligible_on"] == date(2026, 10, 7)


def test_ontario_permits_none(verdicts: dict[str, dict[str, Any]]) -> None:
    found = verdicts["on"]
    assert (found["verdict"], found["overcharge"]) == ("not_permitted", Decimal("50.00"))


def test_chicago_is_ten_dollars_and_five_percent_of_the_excess(verdicts: dict[str, dict[str, Any]]) -> None:
    """Claim: 5 percent of rent and 10 dollars; 5 percent up to 500."""
    assert verdicts["chi-450"]["lawful_maximum"] == Decimal("10.00")
    assert verdicts["chi-1000"]["lawful_maximum"] == Decimal("35.00")
