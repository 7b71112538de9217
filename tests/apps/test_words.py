"""Figures, days and spans as people read them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from apps.documents import words


@pytest.mark.parametrize(
    "value, currency, shown",
    [
        ("1234.5", "USD", "$1,234.50"),
        ("-20", "CAD", "-$20.00"),
        ("0", "GBP", "£0.00"),
        ("5", "CHF", "CHF 5.00"),
        ("5", "", "5.00"),
        ("9999999999999999.99", "USD", "$9,999,999,999,999,999.99"),
    ],
)
def test_money_is_written_exactly_with_its_currency(value: str, currency: str, shown: str) -> None:
    assert words.money(Decimal(value), currency) == shown


def test_no_amount_is_written_as_nothing() -> None:
    assert words.amount(None) == ""
    assert words.amount(Decimal("0.00")) == "0.00"


@pytest.mark.parametrize(
    "start, end, shown",
    [
        (date(2026, 10, 1), date(2026, 10, 31), "Oct 1–31, 2026"),
        (date(2026, 10, 15), date(2026, 11, 14), "Oct 15–Nov 14, 2026"),
        (date(2025, 12, 15), date(2026, 1, 14), "Dec 15, 2025–Jan 14, 2026"),
        (date(2026, 10, 5), date(2026, 10, 5), "Oct 5, 2026"),
    ],
)
def test_a_span_is_written_as_short_as_it_can_be_said(start: date, end: date, shown: str) -> None:
    assert words.span(start, end) == shown


def test_an_entry_without_a_description_is_named_by_its_kind() -> None:
    assert words.entry_title({"description": None, "kind": "payment_return"}) == "Payment returned"
    assert words.entry_title({"description": "Rent", "kind": "charge"}) == "Rent"
    assert words.entry_title({"description": "", "kind": "new_kind"}) == "new_kind"
