"""Each worked example of late fee law: the shipped rows, read by the project's SQL, give the figure of the source."""

from __future__ import annotations

import csv
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.warehouse.late_fees.payments import judged, payment, policy

with Path(__file__).with_name("law_examples.csv").open(newline="", encoding="utf-8") as stream:
    EXAMPLES = list(csv.DictReader(stream))

#: Policies that the examples speak of: parts, and what the agreement says besides.
POLICIES: dict[str, tuple[list[dict[str, str]], dict[str, str]]] = {
    "fifty_and_ten_a_day": (
        [{"kind": "flat", "amount": "50.00"}, {"kind": "per_day", "amount": "10.00", "from_day": "4"}],
        {"grace_n": "2"},
    ),
    "flat_fifty": ([{"kind": "flat", "amount": "50.00"}], {}),
    "on_the_sixth": ([{"kind": "flat", "amount": "100.00"}], {"grace_n": "4"}),
    "flat_customary": ([{"kind": "flat", "amount": "75.00"}], {"customary_flat": "75.00"}),
    "daily_customary": ([{"kind": "per_day", "amount": "4.50"}], {"customary_flat": "75.00"}),
    "blocks": ([{"kind": "per_block", "rate": "0.05", "base": "period_rent", "block_days": "5"}], {}),
}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, Any]]:
    rows, policies = [], []
    for one in EXAMPLES:
        said: dict[str, Any] = {
            "program": one["program"] or "market",
            "tenancy": one["tenancy"] or "residential",
            "structure_units": one["structure_units"] or None,
            "local_office": one["local_office"] or None,
            "paid_on": one["paid_on"] or None,
            "past_due_rent": one["past_due"] or one["rent"],
            "consecutive_month": one["consecutive_month"] or 1,
        }
        said |= {name: one[name] for name in ("assessed_on", "signed_on") if one[name]}
        rows.append(payment(one["example"], one["jurisdiction"], one["due_on"], one["rent"], **said))
        if one["policy"]:
            parts, agreed = POLICIES[one["policy"]]
            policies.append(policy(one["example"], parts, **agreed))
    return judged(rows, policies)


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one["example"])
def test_the_law_gives_the_figure_of_its_example(one: dict[str, str], verdicts: dict[str, dict[str, Any]]) -> None:
    found = verdicts[one["example"]]
    expected = Decimal(one["lawful_maximum"]) if one["lawful_maximum"] else None
    assert found["lawful_maximum"] == expected, found["reason"]
    for name in ("first_eligible_on", "lenient_first_eligible_on"):
        assert found[name] == (date.fromisoformat(one[name]) if one[name] else None), name


def test_one_rule_of_each_example_is_the_one_that_bites(verdicts: dict[str, dict[str, Any]]) -> None:
    """The example of a rule is decided by that rule, not by a neighbour that happens to agree."""
    apart = {
        "US-MN.latefee.504B177.hap.1": "US-MN.latefee.504B177",  # three rows of one section, one figure
        "US-MN.latefee.504B177.federal.1": "US-MN.latefee.504B177",
        "US-IA.562A.9.le700.fifth_day": "US-IA.562A.9.le700",
        "CA-ON.latefee.none.1": "CA-ON.latefee.none",
    }
    for one in EXAMPLES:
        if one["example"].startswith(("counting.", "guide.", "city.")):
            continue
        rule = apart.get(one["example"], one["example"].removesuffix(".1"))
        assert verdicts[one["example"]]["law_rule_id"] == rule
