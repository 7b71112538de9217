"""The closed days that ship are those of the statutes they cite: worked out again from the words, year by year."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "seeds" / "rules" / "calendar_days.csv"
YEARS = range(2019, 2031)
MONDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = 0, 3, 4, 5, 6


def rows() -> list[dict[str, str]]:
    with FILE.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def nth(year: int, month: int, weekday: int, number: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))


def good_friday(year: int) -> date:
    """Two days before Easter, by the anonymous Gregorian computus."""
    a, b, c = year % 19, year // 100, year % 100
    d, e, f = b // 4, b % 4, (b + 8) // 25
    h = (19 * a + b - d - (b - f + 1) // 3 + 15) % 30
    k = (32 + 2 * e + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day = divmod(h + k - 7 * m + 114, 31)
    return date(year, month, day + 1) - timedelta(days=2)


def memorial_day(year: int) -> date:
    last = date(year, 5, 31)
    return last - timedelta(days=(last.weekday() - MONDAY) % 7)


def election_day(year: int) -> date:
    return nth(year, 11, MONDAY, 1) + timedelta(days=1)


def everywhere(year: int) -> Iterator[date]:
    """What all five statutes list."""
    yield from (date(year, 1, 1), nth(year, 1, MONDAY, 3), nth(year, 2, MONDAY, 3), memorial_day(year))
    yield from (date(year, 7, 4), nth(year, 9, MONDAY, 1), date(year, 11, 11), nth(year, 11, THURSDAY, 4))
    yield date(year, 12, 25)


def listed(calendar: str, year: int) -> Iterator[date]:
    """The days that the statute of a calendar names in a year, before any is moved."""
    yield from everywhere(year)
    juneteenth = {"CO": 2022, "NY": 2021, "WA": 2022, "TN": 2023, "NJ": 2021}[calendar]
    if year >= juneteenth:
        yield date(year, 6, 19)
    if calendar == "CO":
        yield nth(year, 10, MONDAY, 1) if year >= 2020 else nth(year, 10, MONDAY, 2)
    if calendar in ("NY", "TN", "NJ"):
        yield nth(year, 10, MONDAY, 2)
    if calendar == "NY":
        yield date(year, 2, 12)
    if calendar in ("NY", "NJ"):
        yield election_day(year)
    if calendar in ("TN", "NJ"):
        yield good_friday(year)
    if calendar == "NJ" and year >= juneteenth:
        yield nth(year, 6, FRIDAY, 3)  # the state's own day beside the federal one
    if calendar == "WA":
        yield nth(year, 11, THURSDAY, 4) + timedelta(days=1)


def closed(calendar: str) -> set[date]:
    """With the Monday after a Sunday, and where the statute says so the Friday before a Saturday."""
    days: set[date] = set()
    for year in (*YEARS, YEARS.stop):
        for day in listed(calendar, year):
            days.add(day)
            if day.weekday() == SUNDAY:
                days.add(day + timedelta(days=1))
            if day.weekday() == SATURDAY and calendar in ("WA", "TN", "NJ"):
                days.add(day - timedelta(days=1))
    return {day for day in days if day.year in YEARS}


@pytest.mark.parametrize(
    ("calendar_id", "state"),
    [
        ("US-CO.legal_holidays", "CO"),
        ("US-NY.public_holidays", "NY"),
        ("US-WA.legal_holidays", "WA"),
        ("US-TN.legal_holidays", "TN"),
        ("US-NJ.business_days", "NJ"),
    ],
)
def test_a_calendar_holds_the_days_of_its_statute_and_no_others(calendar_id: str, state: str) -> None:
    shipped = {date.fromisoformat(row["day"]) for row in rows() if row["calendar_id"] == calendar_id}
    weekdays = {day for day in shipped if day.weekday() < SATURDAY}
    expected = {day for day in closed(state) if day.weekday() < SATURDAY}
    assert (sorted(expected - weekdays), sorted(weekdays - expected)) == ([], [])


def test_every_closed_day_says_where_its_list_was_read() -> None:
    assert all("read" in row["source"] and "remembered" not in row["source"] for row in rows())
