"""How figures, days and kinds of entries are written for people: one place, so that a page and a document agree."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

SYMBOLS = {"USD": "$", "CAD": "$", "AUD": "$", "NZD": "$", "GBP": "£", "EUR": "€"}

KINDS = {
    "opening_balance": "Opening balance",
    "charge": "Charge",
    "credit": "Credit",
    "charge_reversal": "Charge reversed",
    "payment": "Payment",
    "payment_return": "Payment returned",
    "refund_of_credit": "Credit refunded",
    "deposit_applied": "Deposit applied",
    "write_off": "Written off",
    "write_off_recovery": "Write-off recovered",
    "transfer": "Transfer",
    "correction": "Correction",
}

BUCKETS = {
    "not_yet_due": "Not yet due",
    "days_0_30": "0–30 days",
    "days_31_60": "31–60 days",
    "days_61_90": "61–90 days",
    "days_over_90": "Over 90 days",
}

PARTIES = {"resident": "Resident", "subsidy": "Subsidy agency", "third_party": "Third party"}


def amount(value: Decimal | None) -> str:
    """``1234.5`` as ``1,234.50``; nothing for None. Never by way of a float."""
    return "" if value is None else f"{value:,.2f}"


def money(value: Decimal, currency: str) -> str:
    """An amount with its currency: ``$1,234.50``, ``-$20.00``, ``CHF 5.00`` where there is no common sign."""
    sign = "-" if value < 0 else ""
    mark = SYMBOLS.get(currency) or (f"{currency} " if currency else "")
    return f"{sign}{mark}{abs(value):,.2f}"


def long_day(value: date) -> str:
    """``October 1, 2026``."""
    return f"{value:%B} {value.day}, {value.year}"


def short_day(value: date) -> str:
    """``Oct 1, 2026``."""
    return f"{value:%b} {value.day}, {value.year}"


def span(start: date, end: date) -> str:
    """An inclusive span as short as it can be said: ``Oct 1–31, 2026``, ``Oct 15–Nov 14, 2026``."""
    if start == end:
        return short_day(start)
    if (start.year, start.month) == (end.year, end.month):
        return f"{start:%b} {start.day}–{end.day}, {end.year}"
    if start.year == end.year:
        return f"{start:%b} {start.day}–{end:%b} {end.day}, {end.year}"
    return f"{short_day(start)}–{short_day(end)}"


def entry_title(entry: Mapping[str, object]) -> str:
    """What an entry is, in words: its description, else its kind."""
    return str(entry.get("description") or KINDS.get(str(entry["kind"]), str(entry["kind"])))


def missing(cause: Mapping[str, object]) -> str:
    """What is missing, in words for a household: nothing of another household and no file of ours is named."""
    table = str(cause["table_name"] or "data").replace("_", " ")
    if cause["cause"] == "refused_file":
        return f"A file of {table} that was sent to us could not be read yet."
    start, end = cause["period_from"], cause["period_to"]
    assert isinstance(start, date) and isinstance(end, date)
    if cause["cause"] == "missing_batch":
        return f"We are still waiting for the {table} of {span(start, end)}."
    return (
        f"A total of {short_day(end)} in the report of another system differs from the books and is being cleared up."
    )
