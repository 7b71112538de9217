"""Part months the slow way: a day at a time, in whole parts, from the rule in words. Shares no code with the SQL.

A day costs its part of the rent in force on it. By the days of the month the part is one over the days of the rent
period; by the days of the year twelve over the days of the year; by thirty days one thirtieth, where a month that is
taken to be 30 days long has no 31st and its last day is worth what is missing to thirty. Successive rows of one code
that fill a period are a whole month: then the parts are those of the period, which add up to one. Money is rounded
once for each row, half away from zero; rows of one rent in one period, set against the same number of days, are
rounded as they run.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Rent:
    """A schedule: cents a month from a day to the eve of another (none: open)."""

    cents: int
    start: date
    end: date | None


@dataclass(frozen=True)
class Promise:
    """A lease and the schedules of one code, none of which overlap."""

    start: date
    last: date | None
    due_day: int
    method: str
    long_months: bool
    rents: tuple[Rent, ...]


def rounded(cents: int, parts: int, whole: int) -> int:
    """cents x parts / whole in whole cents, half away from zero."""
    sign = -1 if cents < 0 else 1
    return sign * ((abs(cents) * parts * 2 + whole) // (whole * 2))


def anchor(year: int, month: int, due_day: int) -> date:
    return date(year, month, min(due_day, calendar.monthrange(year, month)[1]))


def period_of(day: date, due_day: int) -> tuple[date, date]:
    """First and last day of the rent period that holds a day."""
    here = anchor(day.year, day.month, due_day)
    if day < here:
        before = day.replace(day=1) - DAY
        return anchor(before.year, before.month, due_day), here - DAY
    after = day.replace(day=28) + timedelta(days=4)
    return here, anchor(after.year, after.month, due_day) - DAY


def charges(promise: Promise, as_of: date) -> Iterator[tuple[date, date, Decimal]]:
    """First day, last day and amount of every row that should be charged by a day."""
    last = promise.last or date(2100, 1, 1)
    earliest = min(max(rent.start, promise.start) for rent in promise.rents)
    first, end = period_of(earliest, promise.due_day)
    while first <= as_of and first <= last:
        days = [first + DAY * n for n in range((end - first).days + 1)]
        held: dict[date, Rent] = {}
        for day in days:
            for rent in promise.rents:
                if rent.start <= day and (rent.end is None or day < rent.end) and promise.start <= day <= last:
                    held[day] = rent
        filled = len(held) == len(days)
        used: dict[tuple[int, int], int] = {}
        for rent in promise.rents:
            mine = [day for day in days if held.get(day) is rent]
            if not mine:
                continue
            yearly = promise.method == "actual_days_year" and not filled
            year = first_day_year(promise, mine[0], first) if yearly else 0
            whole = parts_of_a_rent(promise, len(days), year)
            worth = sum(parts_of(promise, day, first, len(days), filled) for day in mine)
            if promise.method == "thirty_day_month" and not promise.long_months and not filled:
                worth = min(worth, whole)
            before = used.get((rent.cents, year), 0)
            used[rent.cents, year] = before + worth
            cents = rounded(rent.cents, before + worth, whole) - rounded(rent.cents, before, whole)
            yield mine[0], mine[-1], Decimal(rent.cents if len(mine) == len(days) else cents) / 100
        first, end = period_of(end + DAY, promise.due_day)


def parts_of_a_rent(promise: Promise, length: int, year: int) -> int:
    """In how many parts a rent is counted: the days of the period, thirty, or the days of the row's year."""
    if year:
        return 366 if calendar.isleap(year) else 365
    return 30 if promise.method == "thirty_day_month" else length


def parts_of(promise: Promise, day: date, first: date, length: int, filled: bool) -> int:
    """What a day is worth, in those parts."""
    if promise.method == "thirty_day_month":
        if not filled and not promise.long_months:
            return 1
        place = (day - first).days + 1
        if place < length:
            return 1 if place <= 30 else 0
        return 30 - min(place - 1, 30)
    return 12 if promise.method == "actual_days_year" and not filled else 1


def first_day_year(promise: Promise, day: date, first: date) -> int:
    """The year of a row is that of its first day."""
    rent = next(r for r in promise.rents if r.start <= day and (r.end is None or day < r.end))
    return max(first, rent.start, promise.start).year
