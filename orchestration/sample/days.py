"""The days on which the sample turns: its window, and months."""

from __future__ import annotations

from datetime import date, timedelta

# The first day that this system of record kept; balances before it come as opening balances.
CUTOVER = date(2024, 11, 1)
AS_OF = date(2026, 11, 5)  # nothing happens or is recorded after it
LAST_CLOSED = (2026, 9)


def month_start(day: date) -> date:
    return day.replace(day=1)


def next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def month_end(day: date) -> date:
    return next_month(day) - timedelta(days=1)
