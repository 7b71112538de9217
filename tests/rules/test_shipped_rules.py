"""The rules that ship are well formed, and say what the law they cite says."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

SEEDS = Path(__file__).resolve().parents[2] / "seeds"
LAWS = "application_rules.csv"
POLICIES = "policies_of_platforms.csv"
KEYS = {"counts_as_rent", "category", "charge_code", "account", "period", "responsible_person"}
ORDERS = {"oldest_due", "newest_due", "largest_open", "priority"}
CATEGORIES = {
    "rent",
    "subsidy",
    "fee",
    "late_fee",
    "nsf_fee",
    "utility",
    "utility_reimbursement",
    "parking",
    "pet",
    "damage",
    "deposit",
    "concession",
    "adjustment",
    "refund",
    "add_on",
    "tax",
    "legal",
    "other",
}
PURPOSES = {"payment_application", "notice", "tribunal_application", "order", "late_fee_base", "termination"}
TREATMENTS = {"rent", "not_rent", "demandable", "demandable_if_text", "spoils_notice", "prohibited"}
AUTHORITIES = {"statute", "regulation", "ordinance", "case", "guideline", "program", "policy"}


def rows(*path: str) -> list[dict[str, str]]:
    with SEEDS.joinpath(*path).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def law(jurisdiction: str, day: str) -> list[dict[str, Any]]:
    """The steps of the jurisdiction's rule in force on a day."""
    found = [
        json.loads(row["steps"])
        for row in rows("rules", LAWS)
        if row["scope_id"] == jurisdiction
        and row["valid_from"] <= day
        and (row["valid_to"] == "" or day < row["valid_to"])
        and row["status"] == "in_force"
    ]
    assert len(found) == 1, f"{jurisdiction} on {day}: {len(found)} rules"
    return found[0]


def treatment(jurisdiction: str, purpose: str, category: str) -> str | None:
    found = [
        row["treatment"]
        for row in rows("rules", "charge_treatments.csv")
        if (row["jurisdiction"], row["purpose"], row["category"]) == (jurisdiction, purpose, category)
    ]
    assert len(found) <= 1
    return found[0] if found else None


RULES = [
    pytest.param(row, id=f"{row['rule_id']}-{row['version']}") for f in (LAWS, POLICIES) for row in rows("rules", f)
]
STORY_RULES = [
    pytest.param(row, id=f"{row['rule_id']}-{row['version']}")
    for row in rows("sample", "stories", "application_rules.csv")
]


@pytest.mark.parametrize("rule", RULES + STORY_RULES)
def test_steps_use_the_words_of_the_design_only(rule: dict[str, str]) -> None:
    steps = json.loads(rule["steps"])
    assert steps
    for number, step in enumerate(steps, 1):
        if "hold" in step:
            assert step == {"hold": True} and number == len(steps) and rule["source"] == "policy"
            continue
        assert set(step) <= {"match", "order", "designated_only"}
        assert step.get("order", "oldest_due") in ORDERS
        if step["match"] == "any":
            continue
        assert step["match"] and set(step["match"]) <= KEYS
        assert isinstance(step["match"].get("counts_as_rent", True), bool)
        assert set(step["match"].get("category", [])) <= CATEGORIES
        assert step["match"].get("period", "prior") in ("prior", "current")
        assert step["match"].get("responsible_person", "payer") == "payer"


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_names_its_authority_its_status_and_where_it_stands(rule: dict[str, str]) -> None:
    assert rule["authority"] in AUTHORITIES
    assert rule["citation"] and rule["note"]
    assert rule["status"] in ("in_force", "pending", "superseded", "never_effective")
    assert rule["version"].isdigit() and int(rule["version"]) >= 1
    assert rule["yields_to_designation"] in ("", "true", "false")


def test_ranges_are_half_open_and_versions_of_a_jurisdiction_follow_each_other() -> None:
    by_place: dict[str, list[tuple[date, date]]] = defaultdict(list)
    for row in rows("rules", LAWS):
        assert row["source"] == "law" and row["scope"] == "jurisdiction"
        first = date.fromisoformat(row["valid_from"])
        last = date.fromisoformat(row["valid_to"]) if row["valid_to"] else date.max
        assert first < last
        by_place[row["scope_id"]].append((first, last))
    for place, ranges in by_place.items():
        for (_, end), (start, _) in pairwise(sorted(ranges)):
            assert end <= start, f"two rules of {place} are in force on one day"


def test_no_pending_rule_ships_as_being_in_force() -> None:
    """A pending version is never chosen; none is shipped, so none can be chosen by mistake."""
    assert {row["status"] for row in rows("rules", LAWS)} == {"in_force"}


def test_the_platforms_policies_wait_for_a_person_to_fill_them_in() -> None:
    for row in rows("rules", POLICIES):
        assert (row["source"], row["scope"], row["scope_id"], row["valid_from"]) == ("policy", "property", "", "")


def test_a_rule_whose_start_was_not_found_says_so() -> None:
    for row in rows("rules", LAWS):
        if row["scope_id"] in ("US-OR", "CA-ON", "US-WA"):
            assert "start unverified" in row["note"].lower()


def test_washington_puts_rent_before_everything_else() -> None:
    assert law("US-WA", "2026-06-01")[0]["match"] == {"counts_as_rent": True}


def test_oregon_has_five_steps_and_late_charges_take_designated_money_only() -> None:
    steps = law("US-OR", "2026-06-01")
    assert [step["match"] for step in steps] == [
        {"counts_as_rent": True, "period": "prior"},
        {"counts_as_rent": True, "period": "current"},
        {"category": ["utility"]},
        {"category": ["late_fee"]},
        "any",
    ]
    assert [bool(step.get("designated_only")) for step in steps] == [False, False, False, True, False]
    assert len(law("US-OR", "2025-06-01")) == 5


@pytest.mark.parametrize("place", ["US-CO", "US-NC", "US-DC"])
def test_a_constraint_is_a_step_that_only_designated_money_reaches(place: str) -> None:
    steps = law(place, "2026-06-01")
    assert [step for step in steps if step.get("designated_only")] == [
        {"match": {"category": ["late_fee"]}, "order": "oldest_due", "designated_only": True}
    ]
    assert steps[0]["match"] == {"counts_as_rent": True}


@pytest.mark.parametrize("place", ["US-CO", "US-OR"])
def test_both_readings_of_money_beyond_the_rent_stand_in_the_note(place: str) -> None:
    notes = " ".join(row["note"] for row in rows("rules", LAWS) if row["scope_id"] == place)
    assert "Reading shipped" in notes and "Other reading" in notes


def test_new_mexico_yields_to_a_written_agreement() -> None:
    row = next(row for row in rows("rules", LAWS) if row["scope_id"] == "US-NM")
    assert row["yields_to_designation"] == "true"


def test_ontario_is_practice_not_statute() -> None:
    assert {row["authority"] for row in rows("rules", LAWS) if row["scope_id"] == "CA-ON"} == {"guideline"}


def test_charge_treatments_are_well_formed_and_never_contradict_each_other() -> None:
    seen = set()
    for row in rows("rules", "charge_treatments.csv"):
        assert row["purpose"] in PURPOSES and row["treatment"] in TREATMENTS
        assert bool(row["category"]) != bool(row["charge_code"])
        assert row["category"] in CATEGORIES | {""}
        assert row["reason"] and row["citation"]
        assert date.fromisoformat(row["valid_from"]) and row["valid_to"] == ""
        key = (row["jurisdiction"], row["purpose"], row["category"], row["charge_code"], row["valid_from"])
        assert key not in seen
        seen.add(key)


@pytest.mark.parametrize(
    ("place", "purpose", "category", "expected"),
    [
        ("US-WA", "payment_application", "utility", "rent"),  # RCW 59.18.030(29): utilities named in the lease
        ("US-WA", "payment_application", "parking", "rent"),  # recurring and periodic charges named in the lease
        ("US-WA", "payment_application", "late_fee", "not_rent"),
        ("US-WA", "notice", "damage", "not_rent"),
        ("US-WA", "termination", "legal", "not_rent"),
        ("US-DE", "order", "late_fee", "rent"),
        ("US-SC", "notice", "late_fee", "rent"),
        ("US-MS", "payment_application", "late_fee", "rent"),
        ("US-CO", "termination", "late_fee", "not_rent"),
        ("US-OR", "notice", "late_fee", "demandable_if_text"),
        ("US-NM", "payment_application", "deposit", "not_rent"),
        ("US-CT", "payment_application", "utility", "rent"),
        ("CA-ON", "notice", "nsf_fee", "spoils_notice"),
        ("CA-ON", "notice", "utility", "spoils_notice"),
        ("CA-ON", "notice", "deposit", "spoils_notice"),
        ("CA-ON", "tribunal_application", "nsf_fee", "demandable"),  # no rent, and claimed apart from it
        ("US-FL", "payment_application", "late_fee", None),  # the lease decides: the charge code says so
        ("US-WA", "payment_application", "add_on", None),  # may be a third party's product: the charge code decides
    ],
)
def test_what_counts_as_rent_depends_on_place_and_purpose(
    place: str, purpose: str, category: str, expected: str | None
) -> None:
    assert treatment(place, purpose, category) == expected


def test_forum_rules_are_well_formed_and_one_version_of_a_forum_holds_on_a_day() -> None:
    held: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows("rules", "forum_rules.csv"):
        assert row["forum"].startswith(row["jurisdiction"]) and row["purpose"] in ("notice", "tribunal_application")
        assert row["order"] in ("earliest_rent", "payer_direction_then_earliest_rent", "current_month_first")
        assert row["rent_deposit"] in ("leave_out", "deduct") and row["citation"]
        assert date.fromisoformat(row["valid_from"])
        held[row["forum"]].append((row["valid_from"], row["valid_to"] or "9999-12-31"))
    for forum, ranges in held.items():
        for (_, end), (start, _) in pairwise(sorted(ranges)):
            assert end <= start, f"two versions of {forum} are in force on one day"
    assert "earliest_rent" not in held, "the built-in forum is built in"


@pytest.mark.parametrize(
    ("forum", "purpose", "order", "window", "deposit"),
    [
        ("CA-ON.N4", "notice", "earliest_rent", "", "leave_out"),
        ("CA-ON.L1", "tribunal_application", "earliest_rent", "", "leave_out"),
        ("CA-ON.L1.tenancy_ends", "tribunal_application", "earliest_rent", "", "deduct"),  # RTA s. 87(4)
        ("US-CA.three_day_notice", "notice", "earliest_rent", "12", "leave_out"),  # within one year after it is due
        ("US-OR.nonpayment_notice", "notice", "earliest_rent", "", "leave_out"),  # prior periods first
        ("US-NY.rent_demand", "notice", "payer_direction_then_earliest_rent", "", "leave_out"),
    ],
)
def test_a_forum_says_what_its_citation_says(forum: str, purpose: str, order: str, window: str, deposit: str) -> None:
    row = next(row for row in rows("rules", "forum_rules.csv") if row["forum"] == forum)
    assert (row["purpose"], row["order"], row["window_months"], row["rent_deposit"]) == (
        purpose,
        order,
        window,
        deposit,
    )


def test_every_column_is_explained_beside_the_files() -> None:
    page = (SEEDS / "rules" / "README.md").read_text(encoding="utf-8")
    late_fees = ("late_fee_rules.csv", "late_fee_components.csv", "calendar_days.csv", "notice_rules.csv")
    for name in (LAWS, POLICIES, "charge_treatments.csv", "forum_rules.csv", *late_fees):
        assert name in page
        with (SEEDS / "rules" / name).open(encoding="utf-8") as handle:
            assert [column for column in handle.readline().strip().split(",") if column not in page] == []


def test_every_late_fee_rule_says_where_it_stands_and_how_sure_it_is() -> None:
    found = rows("rules", "late_fee_rules.csv")
    assert len({row["jurisdiction"] for row in found}) >= 51
    for row in found:
        assert row["authority"] in AUTHORITIES and row["status"] in ("in_force", "superseded")
        assert row["citation"] and row["confidence"] in ("high", "medium", "low") and row["source"] == "law"
        assert date.fromisoformat(row["valid_from"]) < date.fromisoformat(row["valid_to"] or "9999-12-31")
        assert (row["start_unverified"] == "true") == ("Start unverified" in row["note"]), row["rule_id"]
        assert (row["roll"] == "none") == (row["calendar_id"] == "")


def test_every_part_of_a_late_fee_belongs_to_a_rule_and_every_amount_is_of_something() -> None:
    rules = {(row["rule_id"], row["version"]): row for row in rows("rules", "late_fee_rules.csv")}
    parts = rows("rules", "late_fee_components.csv")
    for part in parts:
        assert (part["rule_id"], part["version"]) in rules
        assert (part["base"] != "") == (part["rate"] != "")
        assert part["kind"] == "unbounded" or bool(part["amount"]) != bool(part["rate"])
    priced = {part["rule_id"] for part in parts}
    for (rule_id, _), rule in rules.items():
        assert (rule["combine"] in ("none", "prohibited")) or rule_id in priced, rule_id


def test_calendars_hold_no_saturday_twice_and_reach_the_end_of_2030() -> None:
    by_calendar: dict[str, list[str]] = defaultdict(list)
    for row in rows("rules", "calendar_days.csv"):
        assert row["source"] and row["name"]
        by_calendar[row["calendar_id"]].append(row["day"])
    named = {row["calendar_id"] for row in rows("rules", "late_fee_rules.csv")} - {""}
    assert set(by_calendar) == named
    for days in by_calendar.values():
        assert len(days) == len(set(days)) and min(days).startswith("2019") and max(days).startswith("2030-12")
