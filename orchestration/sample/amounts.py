"""Cents of the sample: integers, rounded once, written as decimals."""

from __future__ import annotations

from datetime import date

from orchestration.sample.days import month_end


def money(cents: int) -> str:
    """Cents as a decimal in major units: -5 is `-0.05`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def share(amount: int, part: int, whole: int) -> int:
    """amount x part / whole, rounded once, half away from zero."""
    top = 2 * abs(amount) * part + whole
    value = top // (2 * whole)
    return -value if amount < 0 else value


def prorated(amount: int, first: date, last: date, method: str) -> int:
    """The part of a monthly amount that the days from first to last (of one month, both included) cost."""
    days = (last - first).days + 1
    in_month = month_end(first).day
    if days == in_month:
        return amount
    if method == "thirty_day_month":
        return share(amount, min(days, 30), 30)
    if method == "actual_days_year":
        return share(amount * 12, days, 365)
    return share(amount, days, in_month)
