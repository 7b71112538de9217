"""Small books made by hand, for what a target refuses: writing an entry that it turns away needs no build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from apps.documents.books.documents import Document, DocumentLine
from apps.documents.books.selection import Balance, Books, Entity, Scope

BIRCHLINE = Entity("default", "birchline", "Birchline Homes LLC", "USD")

CHART = {
    "1010": ("Operating cash", "asset", "cash"),
    "1200": ("Receivable, residents", "asset", "receivable_resident"),
    "2100": ("Prepaid rent", "liability", "prepaid"),
    "4000": ("Rent income", "income", None),
    "9999": ("Sundry", "expense", None),
}


def line(account: str, amount: str, lease_id: str | None = "L1", **changed: object) -> DocumentLine:
    """A line: a positive amount is a debit."""
    name, kind, role = CHART[account]
    value = Decimal(amount)
    made = DocumentLine(
        account, name, kind, role, max(value, Decimal("0.00")), max(-value, Decimal("0.00")), lease_id, "default"
    )
    return replace(made, **changed)


def document(*lines: DocumentLine, number: str = "J0000000001", **changed: object) -> Document:
    """A document of maple1 on the first of October."""
    made = Document(number, BIRCHLINE, "maple1", date(2026, 10, 1), "Charge RENT c1, lease L1", lines)
    return replace(made, **changed)


def rent(amount: str = "1500.00", **changed: object) -> Document:
    """Rent is charged: receivable against income."""
    return document(line("1200", amount), line("4000", f"-{amount}"), **changed)


def books(
    *, residents: dict[str, str] | None = None, entities: Sequence[Entity] = (BIRCHLINE,), **changed: object
) -> Books:
    """Books of October with a balance for each account of the chart."""
    names = {"L1": "Ada Example", "L2": "Bo Sample"} if residents is None else residents
    made = Books(
        scope=Scope("accrual", "birchline", None, "2026-10", "2026-10"),
        build_no="7",
        as_of=date(2026, 11, 5),
        incomplete=[],
        open_months=[],
        from_on=date(2026, 10, 1),
        to_on=date(2026, 10, 31),
        entities=entities,
        properties={("default", "maple1"): "Maple Court"},
        residents={("default", lease): name for lease, name in names.items()},
        lines=[],
        balances=[
            Balance(
                BIRCHLINE, "maple1", account, name, kind, role, "2026-10",
                *(Decimal("0.00"),) * 4, Decimal("0.00"),
            )
            for account, (name, kind, role) in CHART.items()
        ],
        is_from_the_start=True,
    )  # fmt: skip
    return replace(made, **changed)
