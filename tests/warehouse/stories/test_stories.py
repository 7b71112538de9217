"""Every story of the sample comes to what was worked out on paper (seeds/expected/expected.csv)."""

from __future__ import annotations

import copy
import csv
from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.stories.measures import AGED, Books

SEEDS = Path(__file__).resolve().parents[3] / "seeds"


def rows(*path: str) -> list[dict[str, str]]:
    with SEEDS.joinpath(*path).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


STORIES = rows("sample", "stories", "stories.csv")
EXPECTED: dict[str, list[dict[str, str]]] = defaultdict(list)
for _row in rows("expected", "expected.csv"):
    EXPECTED[_row["lease_id"]].append(_row)


@pytest.fixture(scope="session")
def books(sample_home) -> Books:
    roles = {row["account"]: row["role"] for row in rows("sample", "reference", "gl_accounts.csv")}
    return Books.of(sample_home.published().path, [story["lease_id"] for story in STORIES], roles)


@pytest.mark.parametrize("story", STORIES, ids=[story["lease_id"] for story in STORIES])
def test_a_story_comes_to_what_was_worked_out_by_hand(story: dict[str, str], books: Books) -> None:
    wrong = []
    for row in EXPECTED[story["lease_id"]]:
        found = books.measure(
            row["lease_id"], row["ledger_party"], date.fromisoformat(row["as_of"]), row["known_at"], row["measure"]
        )
        if found != Decimal(row["amount"]):
            wrong.append(
                f"{row['measure']} of {row['ledger_party']} on {row['as_of']} {row['known_at']}: "
                f"found {found}, by hand {row['amount']} ({row['why']})"
            )
    assert not wrong, f"{story['title']}\n" + "\n".join(wrong)


@pytest.mark.parametrize("story", STORIES, ids=[story["lease_id"] for story in STORIES])
def test_the_published_aging_of_a_story_says_the_same(story: dict[str, str], books: Books) -> None:
    """Month ends and the build's own day are published; there the mart itself must hold the figure."""
    names = {**{name: name for name in AGED}, "credit": "unapplied_credit"}
    names |= {name: name for name in ("open_total", "rent_open", "other_open", "balance")}
    wrong = []
    for row in EXPECTED[story["lease_id"]]:
        day = date.fromisoformat(row["as_of"])
        if row["measure"] not in names or row["known_at"] or (day + timedelta(days=1)).day != 1:
            continue
        published = books.aging.get((row["lease_id"], row["ledger_party"], day))
        found = published[names[row["measure"]]] if published else Decimal(0)
        if found != Decimal(row["amount"]):
            wrong.append(f"{row['measure']} on {day}: published {found}, by hand {row['amount']} ({row['why']})")
    assert not wrong, f"{story['title']}\n" + "\n".join(wrong)


def test_every_story_is_told_by_two_measures_or_more() -> None:
    measured = Counter({lease: len({row["measure"] for row in group}) for lease, group in EXPECTED.items()})
    assert [story["lease_id"] for story in STORIES if measured[story["lease_id"]] < 2] == []


def test_every_lease_of_the_stories_is_a_story_with_a_title_and_a_proof() -> None:
    leases = [row["lease_id"] for row in rows("sample", "stories", "leases.csv")]
    assert sorted(leases) == sorted(story["lease_id"] for story in STORIES)
    assert all(story["title"] and story["proves"] for story in STORIES)


def test_every_answer_says_why_and_names_a_row_of_its_story() -> None:
    ids: dict[str, set[str]] = defaultdict(set)
    for table, key in (
        ("charges", "charge_id"),
        ("payments", "payment_id"),
        ("opening_balances", "opening_id"),
        ("refunds_of_credit", "refund_id"),
    ):
        for row in rows("sample", "stories", f"{table}.csv"):
            ids[row["lease_id"]].add(row[key])
            ids[row[key].split(".")[0]].add(row[key])  # a payment in suspense names no lease
    for lease, group in EXPECTED.items():
        for row in group:
            assert row["why"], row
            if row["measure"].startswith(("open:", "applied:")):
                assert set(row["measure"].split(":")[1:]) <= ids[lease], row


def test_the_lease_in_many_shapes_comes_to_its_published_figures(books: Books) -> None:
    found = {
        name: books.measure("t0001001", "resident", date(2026, 4, 5), "", name)
        for name in ("balance", "rent_open", "other_open", "days_0_30", "days_31_60", "days_61_90")
    }
    assert found == {
        "balance": Decimal("3555.00"),
        "rent_open": Decimal("3400.00"),
        "other_open": Decimal("155.00"),
        "days_0_30": Decimal("1430.00"),
        "days_31_60": Decimal("1600.00"),
        "days_61_90": Decimal("525.00"),
    }


@pytest.mark.parametrize(
    ("lease", "charge", "policy", "law"),
    [
        ("t0001001", "R02", ("built_in.rent_first", 1), None),  # Texas fixes no order
        ("setting-changed", "MAR", ("policy.setting-changed", 1), None),  # the setting of March
        ("setting-changed", "NSF", ("policy.setting-changed", 2), None),  # the setting of April
        ("wa-law-beats-policy", "RENT", ("policy.wa-law-beats-policy", 1), ("US-WA.apply.5918283", 1)),
        ("co-28th", "APR", ("built_in.rent_first", 1), ("US-CO.apply.no_recoup", 1)),
        ("or-five-steps", "W", ("built_in.rent_first", 1), ("US-OR.apply.90220_9", 2)),  # in force in 2026
        ("on-dummy-test", "JUL", ("built_in.rent_first", 1), ("CA-ON.apply.guideline11", 1)),
    ],
)
def test_an_application_names_the_policy_and_the_law_that_produced_it(
    books: Books, lease: str, charge: str, policy: tuple[str, int], law: tuple[str, int] | None
) -> None:
    """So that "I paid rent, why am I late?" can be answered with the order in force that day."""
    found = {
        ((a["rule_id"], a["rule_version"]), (a["law_rule_id"], a["law_rule_version"]) if a["law_rule_id"] else None)
        for a in books.applications[lease]
        if a["charge_id"] == f"{lease}.{charge}"
    }
    assert found == {(policy, law)}


def test_what_stories_date_into_closed_months_is_listed_as_late(sample_home) -> None:
    with duckdb.connect(str(sample_home.published().path), read_only=True) as warehouse:
        found = warehouse.execute(
            "select source_id, cause from marts.late_arrivals where list_contains(?, lease_id)",
            [[story["lease_id"] for story in STORIES]],
        ).fetchall()
    by_hand = """
        return-dated-back.X true-up-late.T suspense-after-close.P1 older-rent-found.APR after-the-close.P1
        backdated-check.P2 three-months-late.P1 household-ledger.C05 household-ledger.D05
        income-fell.C04 income-fell.C05 income-fell.C06 income-fell.D04 income-fell.D05 income-fell.D06
    """
    assert sorted(found) == sorted((source, "backdated_into_closed") for source in by_hand.split())


def test_every_tie_out_of_the_sample_ties(sample_home) -> None:
    with duckdb.connect(str(sample_home.published().path), read_only=True) as warehouse:
        compared, differ = warehouse.execute(
            "select count(*), count(*) filter (where difference <> 0) from marts.tie_outs"
        ).fetchone()
    assert compared > 10_000 and differ == 0


@pytest.mark.parametrize(
    ("planted", "measure"),
    [
        ("applications", "rent_open"),  # an application got lost
        ("ledger", "balance"),  # an entry got lost
        ("lines", "receivable"),  # a journal line got lost
    ],
)
def test_a_row_that_got_lost_would_be_noticed(books: Books, planted: str, measure: str) -> None:
    broken = copy.deepcopy(books)
    rows_of = getattr(broken, planted)["t0001001"]
    receivable = [line for line in rows_of if line.get("account") == "1200" and line["book"] == "accrual"]
    rows_of.remove(receivable[0] if receivable else rows_of[0])
    as_of = date(2026, 4, 5)
    assert broken.measure("t0001001", "resident", as_of, "", measure) != books.measure(
        "t0001001", "resident", as_of, "", measure
    )
