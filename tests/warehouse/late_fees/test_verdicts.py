"""What a late fee is found to be, and why: the worked cases, the clocks, the totals, and what cannot be proved."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.warehouse.late_fees.payments import RULE, judged, payment, policy

Verdicts = dict[str, dict[str, Any]]
FIFTY = [{"kind": "flat", "amount": "50.00"}]


def law(rule: str, place: str, parts: list[dict[str, str]], **said: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    made = RULE | {"rule_id": rule, "source": "law", "authority": "statute", "jurisdiction": place, "citation": "test"}
    made |= {"valid_from": "2000-01-01", "grace_n": "5", "grace_semantics": "after_n_full_days"} | said
    version = made["version"]
    return made, [
        {"rule_id": rule, "version": version, "group_no": "1", "comp_no": str(n)} | part for n, part in enumerate(parts)
    ]


def daily_totals(key: str, place: str, due: str, rent: str, days: range, **said: Any) -> list[dict[str, Any]]:
    return [
        payment(f"{key}.{day:02d}", place, due, rent, lease_key=f"default:{key}", assessed_on=f"{due[:7]}-{day:02d}")
        | said
        for day in days
    ]


@pytest.fixture(scope="module")
def verdicts() -> Verdicts:
    def late(key: str, place: str, rent: str, due: str = "2026-04-01", **said: Any) -> dict[str, Any]:
        return payment(key, place, due, rent, **said)

    def fee(
        key: str, place: str, rent: str, amount: str, on: str, due: str = "2026-04-01", **said: Any
    ) -> dict[str, Any]:
        return late(key, place, rent, due, posted=amount, posted_on=on, **said)

    rows = [
        # LAW-01: the share is 50, the household was charged 25 in each of three months
        fee("LAW-01", "ZZ-PH", "50.00", "25.00", "2026-04-20"),
        # LAW-02: the agency's 998 is no part of the base
        fee("LAW-02", "US-NC", "159.00", "7.95", "2026-04-20"),
        late("LAW-02.share", "US-NC", "159.00"),
        late("LAW-02.more", "US-NC", "159.00"),
        *daily_totals("LAW-04", "ZZ-CAP", "2026-03-01", "50.00", range(10, 31)),
        *daily_totals("LAW-05", "US-TX", "2026-07-01", "1000.00", range(3, 12), structure_units=40),
        *daily_totals("LAW-05.4", "US-TX", "2026-07-01", "1000.00", range(12, 20), structure_units=4),
        # LAW-07: 500 of 900 was paid; the law's base is the month's rent
        late("LAW-07", "US-NY", "900.00", "2026-06-01", past_due_rent="400.00"),
        late("LAW-07.weekdays", "ZZ-NY", "900.00", "2026-06-01", past_due_rent="400.00"),
        # LAW-08: five days after the due date, or through the fifth
        late("LAW-08.after", "ZZ-NONE", "1000.00", "2026-06-01", paid_on="2026-06-06"),
        late("LAW-08.through", "ZZ-NONE", "1000.00", "2026-06-01", paid_on="2026-06-06"),
        # LAW-10: the same fee by a second run of the same day
        fee("LAW-10.first", "US-NC", "900.00", "45.00", "2026-04-20", lease_key="default:LAW-10"),
        fee("LAW-10.again", "US-NC", "900.00", "45.00", "2026-04-20", charged_before="45.00", fees_before=1),
        # the clock
        fee("ny.early", "US-NY", "2000.00", "50.00", "2026-10-05", "2026-10-01"),
        fee("ny.contestable", "US-NY", "2000.00", "50.00", "2026-10-06", "2026-10-01"),
        fee("ny.lawful", "US-NY", "2000.00", "50.00", "2026-10-07", "2026-10-01"),
        fee("ny.paid_in_dispute", "US-NY", "2000.00", "50.00", "2026-10-09", "2026-10-01", paid_on="2026-10-06"),
        fee("ny.paid_in_time", "US-NY", "2000.00", "50.00", "2026-10-09", "2026-10-01", paid_on="2026-10-05"),
        fee("wa.in_time", "US-WA", "1800.00", "50.00", "2026-07-08", "2026-07-01", paid_on="2026-07-06"),
        # amounts
        fee("ny.too_much", "US-NY", "900.00", "50.00", "2026-10-20", "2026-10-01"),
        fee("co.ten_short", "US-CO", "1500.00", "50.00", "2026-04-20", past_due_rent="10.00"),
        fee("co.policy", "US-CO", "1500.00", "75.00", "2026-04-20"),
        fee("tx.second", "US-TX", "1000.00", "30.00", "2026-04-20", structure_units=40, charged_before="100.00"),
        fee("tx.above_harbor", "US-TX", "1000.00", "130.00", "2026-04-20", structure_units=40),
        fee("tx.no_structure", "US-TX", "1000.00", "30.00", "2026-04-20"),
        fee("tx.fourplex", "US-TX", "1000.00", "115.00", "2026-04-20", structure_units=4),
        # who owes, what holds, what is not on file
        fee("subsidy", "US-CO", "1500.00", "50.00", "2026-04-20", ledger_party="subsidy"),
        fee("hold", "US-CO", "1500.00", "50.00", "2026-04-20", is_on_hold=True),
        fee("nothing_due", "US-CO", "1500.00", "50.00", "2026-04-20", due_on=None),
        fee("or.no_method", "US-OR", "1000.00", "75.00", "2026-06-20", "2026-06-01"),
        fee("or.no_evidence", "US-OR", "1000.00", "75.00", "2026-06-20", "2026-06-01"),
        fee("calendar", "US-NY", "1000.00", "50.00", "2035-06-20", "2035-06-01"),
        fee("agreement", "US-CO", "1500.00", "50.00", "2026-04-20"),
        fee("nj", "US-NJ", "1000.00", "20.00", "2026-04-03"),
        # versions
        fee("version.pending", "ZZ-V", "1000.00", "40.00", "2026-04-20"),
        fee("version.known_later", "ZZ-V", "1000.00", "40.00", "2026-04-20", known_at="2026-04-20 12:00:00"),
        fee("version.assessed", "ZZ-A", "1000.00", "40.00", "2026-04-20"),
        fee("version.signed_before", "ZZ-S", "1000.00", "40.00", "2026-04-20", signed_on="2025-12-31"),
        fee("version.signed_after", "ZZ-S", "1000.00", "40.00", "2026-04-20", signed_on="2026-01-01"),
        fee("seattle", "US-WA-Seattle", "1800.00", "50.00", "2026-07-20", "2026-07-01"),
        fee("spokane", "US-WA-Spokane", "1800.00", "50.00", "2026-07-20", "2026-07-01"),
        late("month_to_month", "US-MD", "1000.00"),
        # posting
        late("post.lesser", "US-NY", "900.00", "2026-06-01"),
        late("post.no_policy", "US-NY", "900.00", "2026-06-01"),
        late("post.unproven", "US-GA", "900.00", "2026-06-01"),
        late("post.early", "US-NY", "900.00", "2026-06-01", assessed_on="2026-06-06"),
        late("post.waived", "US-NY", "900.00", "2026-06-01", charged_ever="45.00", fees_ever=1),
    ]  # fmt: skip
    daily = [{"kind": "flat", "amount": "50.00"}, {"kind": "per_day", "amount": "10.00", "from_day": "4"}]
    steps = [{"kind": "flat", "amount": "20.00"}, {"kind": "per_day", "amount": "9.00", "from_day": "11"}]
    fifties = (
        "ny.early ny.contestable ny.lawful ny.paid_in_dispute ny.paid_in_time wa.in_time ny.too_much co.ten_short "
        "subsidy hold nothing_due calendar seattle spokane nj"
    )
    free = [{"kind": "flat", "amount": "1000.00"}]
    frees = (
        "LAW-01 tx.second tx.above_harbor tx.no_structure tx.fourplex version.pending version.known_later "
        "version.assessed version.signed_before version.signed_after LAW-10.again or.no_evidence"
    )
    policies = [
        *(policy(key, FIFTY) for key in fifties.split()),
        *(policy(key, free) for key in frees.split()),
        policy("LAW-02", [{"kind": "percent", "rate": "0.05", "base": "monthly_rent"}]),
        policy("LAW-02.share", [{"kind": "percent", "rate": "0.05", "base": "monthly_rent"}]),
        policy("LAW-02.more", [{"kind": "flat", "amount": "25.00"}]),
        policy("LAW-04", steps, grace_n="9", max_total="50.00"),
        policy("LAW-05", daily, grace_n="2"),
        policy("LAW-05.4", daily, grace_n="2"),
        policy("LAW-07", [{"kind": "flat", "amount": "75.00"}]),
        policy("LAW-08.after", FIFTY, grace_n="5"),
        policy("LAW-08.through", FIFTY, grace_n="5", grace_semantics="day_of_period"),
        policy("LAW-10", free),
        policy("co.policy", FIFTY),
        *(
            policy(f"post.{key}", [{"kind": "flat", "amount": "75.00"}])
            for key in ("lesser", "unproven", "early", "waived")
        ),
    ]  # fmt: skip
    eight = [{"kind": "percent", "rate": "0.08", "base": "past_due_rent"}]
    thirty = [{"kind": "flat", "amount": "30.00"}]
    laws = [
        law("ZZ-PH.8", "ZZ-PH", eight, grace_n="4"),
        law("ZZ-NY.same", "ZZ-NY", [{"kind": "percent", "rate": "0.05", "base": "monthly_rent"}], alt_grace_n="4"),
        law("ZZ-CAP.open", "ZZ-CAP", [], combine="none", grace_n="0"),
        law("ZZ-NONE.open", "ZZ-NONE", [], combine="none", grace_n="0"),
        law("ZZ-V.cap", "ZZ-V", [{"kind": "flat", "amount": "30.00"}], recorded_at="2026-05-01T00:00:00Z"),
        law("ZZ-V.cap", "ZZ-V", [{"kind": "flat", "amount": "10.00"}], version="2", status="pending"),
        law("ZZ-V.never", "ZZ-V", [{"kind": "flat", "amount": "1.00"}], status="never_effective"),
        law("ZZ-V.first", "ZZ-V", [{"kind": "flat", "amount": "35.00"}]),
        law("ZZ-A.cap", "ZZ-A", thirty, applies_by="assessed_on", valid_from="2026-04-15"),
        law("ZZ-S.cap", "ZZ-S", thirty, applies_by="lease_signed_on", valid_from="2026-01-01"),
    ]  # fmt: skip
    return judged(rows, policies, laws)


def said(verdicts: Verdicts, key: str) -> tuple[str, str]:
    return verdicts[key]["verdict"], str(verdicts[key]["overcharge"])


def test_law_01_a_state_cap_binds_public_housing(verdicts: Verdicts) -> None:
    """4.00 of each 25.00: over three months 63.00 of 75.00 is over the cap."""
    assert said(verdicts, "LAW-01") == ("too_much", "21.00")
    assert verdicts["LAW-01"]["lawful_maximum"] == Decimal("4.00")


def test_law_02_the_base_is_the_share_of_the_resident(verdicts: Verdicts) -> None:
    assert said(verdicts, "LAW-02") == ("lawful", "0.00")
    assert verdicts["LAW-02.share"]["lawful_maximum"] == Decimal("15.00")
    assert verdicts["LAW-02.share"]["postable_amount"] == Decimal("7.95")
    assert verdicts["LAW-02.more"]["postable_amount"] == Decimal("15.00")


def test_law_04_the_last_step_is_a_part_of_one(verdicts: Verdicts) -> None:
    totals = [verdicts[f"LAW-04.{day:02d}"]["policy_maximum"] for day in range(11, 31)]
    expected = [Decimal(n) for n in ("20.00", "29.00", "38.00", "47.00")] + [Decimal("50.00")] * 16
    assert totals == expected
    assert verdicts["LAW-04.10"]["postable_amount"] == 0  # the day before the first


def test_law_05_an_initial_and_a_daily_fee_are_one_fee(verdicts: Verdicts) -> None:
    assert verdicts["LAW-05.03"]["postable_amount"] == 0
    assert [str(verdicts[f"LAW-05.{day:02d}"]["postable_amount"]) for day in range(4, 12)] == [
        "50.00", "60.00", "70.00", "80.00", "90.00", "100.00", "100.00", "100.00",
    ]  # fmt: skip
    assert verdicts["LAW-05.04"]["first_eligible_on"] == date(2026, 7, 4)
    assert verdicts["LAW-05.4.19"]["lawful_maximum"] == Decimal("120.00")


def test_law_07_the_base_of_the_statute_is_the_months_rent(verdicts: Verdicts) -> None:
    found = verdicts["LAW-07"]
    assert (found["lawful_maximum"], found["postable_amount"]) == (Decimal("45.00"), Decimal("45.00"))
    assert found["first_eligible_on"] == date(2026, 6, 9)  # the fifth day is a Saturday: extended to Monday the 8th
    assert found["lenient_first_eligible_on"] == date(2026, 6, 6)
    # The same rule by a reading that extends nothing for a weekend.
    assert verdicts["LAW-07.weekdays"]["first_eligible_on"] == date(2026, 6, 7)


def test_law_08_five_days_after_and_through_the_fifth_differ_by_a_day(verdicts: Verdicts) -> None:
    after, through = verdicts["LAW-08.after"], verdicts["LAW-08.through"]
    assert (after["first_eligible_on"], after["postable_amount"]) == (date(2026, 6, 7), 0)
    assert (through["first_eligible_on"], through["postable_amount"]) == (date(2026, 6, 6), Decimal("50.00"))


def test_law_10_a_second_run_posts_no_second_fee(verdicts: Verdicts) -> None:
    assert said(verdicts, "LAW-10.first") == ("lawful", "0.00")
    assert said(verdicts, "LAW-10.again") == ("too_many", "45.00")


@pytest.mark.parametrize(
    ("key", "verdict", "overcharge"),
    [
        ("ny.early", "too_early", "50.00"),
        ("ny.contestable", "contestable", "0.00"),
        ("ny.lawful", "lawful", "0.00"),
        ("ny.paid_in_dispute", "contestable", "0.00"),
        ("ny.paid_in_time", "not_permitted", "50.00"),
        ("wa.in_time", "not_permitted", "50.00"),
        ("ny.too_much", "too_much", "5.00"),
        ("co.ten_short", "lawful", "0.00"),  # ten dollars short: still the greater of 50 and five percent
        ("co.policy", "too_much", "25.00"),  # the law lets 75 pass, the lease 50
        ("tx.above_harbor", "needs_human_basis", "0.00"),
        ("tx.second", "needs_human_basis", "0.00"),
        ("tx.fourplex", "lawful", "0.00"),
        ("tx.no_structure", "needs_human_basis", "0.00"),
        ("subsidy", "on_subsidy", "50.00"),
        ("hold", "during_hold", "50.00"),
        ("nothing_due", "not_permitted", "50.00"),
        ("or.no_method", "needs_human_basis", "0.00"),
        ("or.no_evidence", "needs_human_basis", "0.00"),
        ("calendar", "needs_human_basis", "0.00"),
        ("agreement", "needs_human_basis", "0.00"),
        ("nj", "needs_human_basis", "0.00"),
        ("version.pending", "too_much", "10.00"),
        ("version.known_later", "too_much", "5.00"),
        ("version.assessed", "too_much", "10.00"),
        ("version.signed_before", "no_rule_on_file", "0.00"),
        ("version.signed_after", "too_much", "10.00"),
        ("seattle", "too_much", "40.00"),  # the city's ten dollars stand beside the state's clock
        ("spokane", "lawful", "0.00"),
    ],
)
def test_a_fee_is_found_to_be(verdicts: Verdicts, key: str, verdict: str, overcharge: str) -> None:
    assert said(verdicts, key) == (verdict, overcharge), verdicts[key]["reason"]


def test_what_is_above_a_safe_harbor_is_named_and_not_called_an_overcharge(verdicts: Verdicts) -> None:
    assert verdicts["tx.above_harbor"]["unproven_amount"] == Decimal("30.00")
    assert verdicts["tx.second"]["unproven_amount"] == Decimal("30.00")
    assert verdicts["tx.no_structure"]["reason"] == "not on file: structure units"
    assert verdicts["or.no_method"]["reason"] == "not on file: fee method"
    assert verdicts["or.no_evidence"]["reason"] == "not on file: market customary flat"
    assert "does not reach" in verdicts["calendar"]["reason"]


@pytest.mark.parametrize(
    ("key", "amount"),
    [
        ("post.lesser", "45.00"),  # policy 75, law 45
        ("post.no_policy", "0.00"),
        ("post.unproven", "0.00"),
        ("post.early", "0.00"),
        ("post.waived", "0.00"),  # a fee that was waived on purpose is not put back
    ],
)
def test_only_the_lesser_is_posted_or_nothing(verdicts: Verdicts, key: str, amount: str) -> None:
    assert verdicts[key]["postable_amount"] == Decimal(amount)
