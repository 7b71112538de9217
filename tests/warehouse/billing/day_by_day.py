"""Part months the slow way: a day at a time, in fractions, from the rule in words. Shares no code with the SQL.

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
from fractions import Fraction

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


def rounded(cents: Fraction) -> int:
    """Whole cents, half away from zero."""
    sign = -1 if cents < 0 else 1
    return sign * int((abs(cents) * 2 + 1) // 2)


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
        parts: dict[tuple[int, int], Fraction] = {}
        for rent in promise.rents:
            mine = [day for day in days if held.get(day) == rent]
            if not mine:
                continue
            whole = len(mine) == len(days)
            weight = sum((part(promise, day, first, end, filled) for day in mine), Fraction(0))
            if promise.method == "thirty_day_month" and not promise.long_months and not filled:
                weight = min(weight, Fraction(1))
            yearly = promise.method == "actual_days_year" and not filled
            alike = (rent.cents, first_day_year(promise, mine[0], first) if yearly else 0)
            before = parts.get(alike, Fraction(0))
            parts[alike] = before + weight
            cents = rent.cents if whole else rounded(rent.cents * (before + weight)) - rounded(rent.cents * before)
            yield mine[0], mine[-1], Decimal(cents) / 100
        first, end = period_of(end + DAY, promise.due_day)


def part(promise: Promise, day: date, first: date, end: date, filled: bool) -> Fraction:
    """What a day is worth in rents."""
    length = (end - first).days + 1
    if promise.method == "thirty_day_month":
        if not filled and not promise.long_months:
            return Fraction(1, 30)
        place = (day - first).days + 1
        if place < length:
            return Fraction(1, 30) if place <= 30 else Fraction(0)
        return Fraction(30 - min(place - 1, 30), 30)
    if promise.method == "actual_days_year" and not filled:
        row_year = first_day_year(promise, day, first)
        return Fraction(12, 366 if calendar.isleap(row_year) else 365)
    return Fraction(1, length)


def first_day_year(promise: Promise, day: date, first: date) -> int:
    """The year of a row is that of its first day."""
    rent = next(r for r in promise.rents if r.start <= day and (r.end is None or day < r.end))
    return max(first, rent.start, promise.start).year
