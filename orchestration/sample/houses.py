"""The properties of the sample: how each is run, when its late fee may post, where its money settles."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path

SEEDS = Path(__file__).resolve().parents[2] / "seeds"
PLATFORM_HOUSE, PLATFORM_FROM = "hudson1", date(2026, 9, 1)  # as in seeds/sample/reference/collection_arrangements.csv


@dataclass(frozen=True)
class House:
    """How one property is run. Rents are cents a month; `fee` names the late fee policy.

    A late fee posts on the `fee_day`-th day counted from the day the rent is due (that day is the first); `fee_most`
    is the most of a month's rent that the law calls reasonable, in percent; where `fees_wait`, the law keeps money
    tendered as rent from paying a fee.
    """

    property_id: str
    entity_id: str
    units: int
    low: int
    high: int
    settlement_account: str
    proration: str
    fee: str
    fee_day: int
    fee_amount: int
    nsf: int
    posts_ahead: bool = False
    subsidised: bool = False
    rent_deposit: bool = False
    fee_most: int = 0
    fees_wait: bool = False


HOUSES = (
    House(
        "maple1",
        "birchline",
        34,
        110_000,
        172_500,
        "bank-birchline-op",
        "actual_days_month",
        "flat",
        4,
        5_000,
        2_500,
        fee_most=10,
    ),
    House(
        "aspen1",
        "birchline",
        26,
        135_000,
        210_000,
        "bank-birchline-op",
        "actual_days_month",
        "flat",
        8,
        5_000,
        2_000,
        fees_wait=True,
    ),
    House(
        "sierra1", "birchline", 30, 165_000, 265_000, "bank-birchline-op", "actual_days_year", "flat", 6, 4_500, 2_500
    ),
    House(
        "hudson1",
        "cedarmain",
        36,
        180_000,
        340_000,
        "bank-cedarmain-op",
        "thirty_day_month",
        "ny",
        7,
        5_000,
        2_000,
        posts_ahead=True,
    ),
    House(
        "rainier1",
        "cedarmain",
        32,
        140_000,
        230_000,
        "bank-cedarmain-op",
        "actual_days_month",
        "flat",
        7,
        4_000,
        3_000,
    ),
    House(
        "willow1",
        "cedarmain",
        26,
        115_000,
        185_000,
        "bank-cedarmain-op",
        "actual_days_month",
        "flat",
        5,
        7_500,
        3_500,
        fees_wait=True,
    ),
    House(
        "prairie1",
        "cedarmain",
        30,
        98_000,
        128_000,
        "bank-cedarmain-op",
        "actual_days_month",
        "share",
        6,
        8,
        3_000,
        subsidised=True,
    ),
    House(
        "harbour1",
        "lakeshore",
        30,
        145_000,
        235_000,
        "bank-lakeshore-op",
        "actual_days_month",
        "none",
        0,
        0,
        2_000,
        rent_deposit=True,
    ),
)


def _seeds(*path: str) -> list[dict[str, str]]:
    with SEEDS.joinpath(*path).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@cache
def _closed_days(property_id: str) -> frozenset[date] | None:
    """The closed days that put off a last day of grace at a property, by the law of its place; None where none does."""
    places = {row["property_id"]: row["jurisdiction"] for row in _seeds("sample", "reference", "properties.csv")}
    calendars = {
        row["calendar_id"]
        for row in _seeds("rules", "late_fee_rules.csv")
        if row["jurisdiction"] == places[property_id] and row["roll"] == "last_day"
    }
    days = [row["day"] for row in _seeds("rules", "calendar_days.csv") if row["calendar_id"] in calendars]
    return frozenset(date.fromisoformat(day) for day in days) if calendars else None


def fee_day(house: House, due: date) -> date:
    """The day on which a late fee on rent due on `due` posts: after the last day of grace, put off if it is closed."""
    last = due + timedelta(days=house.fee_day - 2)
    closed = _closed_days(house.property_id)
    while closed is not None and (last.weekday() >= 5 or last in closed):
        last += timedelta(days=1)
    return last + timedelta(days=1)


def settlement_account(house: House, day: date) -> str:
    """Where money of that day settles: one house changed to a platform's account, an effective-dated arrangement."""
    platform = house.property_id == PLATFORM_HOUSE and day >= PLATFORM_FROM
    return f"platform-{house.property_id}" if platform else house.settlement_account
