"""Parts of one sum add up to it: a bill shared by weights, and a concession granted over the months of a term."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.warehouse.alone import Alone, rendered

WEIGHTS = ("1.1818583143661",) * 7 + ("1.170126087450276",) + ("1.0",) * 4


def shared(amount: str, weights: tuple[str, ...]) -> list[Decimal]:
    """An amount shared by weights as the product shares a whole: rounded as it runs, in the order of the weights."""
    running = "sum(weight) over (order by place rows between unbounded preceding and {})"
    # Parts of a whole are whole numbers in the product (days, months): here weights in millionths.
    values = ", ".join(f"({place}, {int(Decimal(weight) * 1_000_000)})" for place, weight in enumerate(weights))
    to_here = rendered("{{ share_of('cast(" + amount + " as decimal(18, 2))', 'to_here', 'whole') }}")
    before = rendered("{{ share_of('cast(" + amount + " as decimal(18, 2))', 'before', 'whole') }}")
    sql = f"""
        with parts (place, weight) as (values {values}),
        running as (
            select
                place,
                cast({running.format("current row")} as bigint) as to_here,
                cast(coalesce({running.format("1 preceding")}, 0) as bigint) as before,
                cast(sum(weight) over () as bigint) as whole
            from parts
        )
        select {to_here} - {before} as part from running order by place
    """
    return [row["part"] for row in Alone().dicts(sql)]


def test_rou_11_a_bill_shared_over_twelve_weights_adds_up_to_the_bill() -> None:
    """Nobody's part is more than a cent from the exact one; the odd cents go where the running total rounds."""
    parts = shared("7002.73", WEIGHTS)
    total = sum(map(Decimal, WEIGHTS))
    assert sum(parts) == Decimal("7002.73")
    assert all(
        abs(part - Decimal("7002.73") * Decimal(weight) / total) < Decimal("0.01")
        for part, weight in zip(parts, WEIGHTS, strict=True)
    )


def test_rou_11_one_over_three_is_one() -> None:
    assert shared("1.00", ("1.0", "1.0", "1.0")) == [Decimal("0.33"), Decimal("0.34"), Decimal("0.33")]


@pytest.fixture(scope="module")
def concessions() -> dict[str, dict[str, Any]]:
    """ROU-14: a free month of 2,000 on twelve; broken after six months, or not; and credits of 166.67 each."""
    alone = Alone()
    date, money = "date", "decimal(18,2)"
    states, given, entries, owed = [], [], [], []
    for number, (name, ended, repayable, credits) in enumerate(
        (
            ("upfront", "2026-06-30", "true", ["2000.00"]),
            ("upfront.no_clause", "2026-06-30", "false", ["2000.00"]),
            ("goes_on", None, "true", ["2000.00"]),
            ("every_month", None, "true", ["166.67"] * 12),
            ("taken_back", None, "true", ["2000.00", "-500.00"]),
        )
    ):
        states.append(
            dict(concession_key=name, concession_id=name, source_system="default", lease_key=name, lease_id=name)
            | dict(property_id="P", kind="upfront", total_amount="2000.00", term_from="2026-01-01")
            | dict(term_to="2026-12-31", is_repayable=repayable, ended_on=ended, known_to=None)
        )
        owed.append(dict(lease_key=name, code_key="RENT", ledger_party="resident", amount="2000.00"))
        for place, credit in enumerate(credits):
            event = number * 100 + place
            given.append(dict(event_key=event, concession_key=name))
            entries.append(dict(event_key=event, amount=str(-Decimal(credit)), is_future="false"))
    flags = {"is_repayable": "boolean", "ended_on": date, "known_to": "timestamp", "total_amount": money}
    alone.give("int_concessions__states", states, flags | {"term_from": date, "term_to": date})
    alone.give("int_events__concessions", given, {"event_key": "bigint"})
    alone.give("int_ledger__entries", entries, {"event_key": "bigint", "amount": money, "is_future": "boolean"})
    rents = [row | {"valid_from": "2026-01-01", "valid_to": None} for row in owed]
    alone.give("int_billing__obligations", rents, {"amount": money, "valid_from": date, "valid_to": date})
    code = {"code_key": "RENT", "category": "rent", "valid_from": "2020-01-01", "known_to": None}
    alone.give("int_portfolio__codes", [code], {"valid_from": date, "known_to": "timestamp"})
    return {row["concession_id"]: row for row in alone.run("int_concessions__balances").dicts(
        "from int_concessions__balances"
    )}  # fmt: skip


def test_rou_14_a_free_month_on_twelve_has_an_effective_rent_and_is_paid_back_by_its_clause(
    concessions: dict[str, dict[str, Any]],
) -> None:
    broken = concessions["upfront"]
    assert (broken["term_months"], broken["effective_rent"]) == (12, Decimal("1833.33"))
    assert (broken["repayable_in_full"], broken["repayable_unearned"]) == (Decimal(2000), Decimal(1000))
    without = concessions["upfront.no_clause"]
    assert (without["repayable_in_full"], without["repayable_unearned"]) == (0, 0)
    assert concessions["goes_on"]["repayable_in_full"] is None and concessions["goes_on"]["remaining_amount"] == 0


def test_rou_14_twelve_credits_that_were_rounded_one_by_one_are_four_cents_too_many(
    concessions: dict[str, dict[str, Any]],
) -> None:
    """Eight of 166.67 and four of 166.66 are the record; twelve of 166.67 are 2,000.04."""
    every_month = concessions["every_month"]
    assert (every_month["given_amount"], every_month["overgiven_amount"]) == (Decimal("2000.04"), Decimal("0.04"))
    parts = shared("2000.00", ("1.0",) * 12)
    assert sorted(parts) == [Decimal("166.66")] * 4 + [Decimal("166.67")] * 8 and sum(parts) == 2000


def test_what_was_taken_back_is_left_again(concessions: dict[str, dict[str, Any]]) -> None:
    found = concessions["taken_back"]
    assert (found["given_amount"], found["remaining_amount"], found["overgiven_amount"]) == (1500, 500, 0)
