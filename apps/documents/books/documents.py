"""Journal lines as documents: what another ledger posts as one entry, under one number.

In detail a document is what one event booked on one day of one property. In summary it is everything that a property
booked on a day, a line per account for its debits and one for its credits. The lines of either add up to the same.

A document's number is made from what the document is (the journal or the property, and the day), never from when it
was exported: the same entry has the same number in every export, so a ledger that already holds it can tell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import groupby

from apps.documents.books.selection import ZERO, Books, Entity, Line

# Eleven characters: the shortest limit of a target (the reference number of QuickBooks Desktop). One letter says what
# it is, ten carry 50 bits of the hash; two documents of one export with one number are found before a file is written.
NUMBER_LENGTH = 11
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # no I, L, O, U: they are misread

EVENTS = {
    "charge": "Charge",
    "credit": "Credit",
    "charge_reversal": "Charge reversed",
    "payment": "Payment",
    "payment_return": "Payment returned",
    "refund_of_credit": "Credit refunded",
    "opening_balance": "Opening balance",
    "write_off": "Written off",
    "transfer": "Transfer",
    "suspense_received": "Receipt without a lease",
    "suspense_matched_out": "Receipt found its lease",
    "suspense_returned": "Receipt without a lease returned",
    "deposit_received": "Deposit received",
    "deposit_applied": "Deposit applied",
    "deposit_refunded": "Deposit refunded",
    "deposit_forfeited": "Deposit forfeited",
    "deposit_interest": "Interest on deposit",
    "agreement_signed": "Repayment agreement signed",
    "agreement_cancelled": "Repayment agreement ended",
    "owner_change": "Property changed owner",
}


@dataclass(frozen=True)
class DocumentLine:
    """A line of a document, amounts in major units of the entity's currency, one of debit and credit zero."""

    account: str
    account_name: str
    account_type: str
    role: str | None
    debit: Decimal
    credit: Decimal
    lease_id: str | None = None
    source_system: str = ""
    source: Line | None = None

    @property
    def amount(self) -> Decimal:
        """Debit positive, credit negative."""
        return self.debit - self.credit


@dataclass(frozen=True)
class Document:
    """An entry of another ledger: one entity, one day, one property (None: lines without one)."""

    number: str
    entity: Entity
    property_id: str | None
    on: date
    memo: str
    lines: Sequence[DocumentLine]

    @property
    def debits(self) -> Decimal:
        """What its lines debit."""
        return sum((line.debit for line in self.lines), ZERO)

    @property
    def credits(self) -> Decimal:
        """What its lines credit."""
        return sum((line.credit for line in self.lines), ZERO)


def documents_of(books: Books, *, detail: bool) -> list[Document]:
    """The documents of a selection, ordered by day, entity, property and number."""
    made = _in_detail(books) if detail else _in_summary(books)
    mark = f"INCOMPLETE BUILD {books.build_no}: " if books.incomplete else ""
    marked = (replace(document, memo=mark + document.memo) for document in made) if mark else made
    return sorted(marked, key=lambda each: (each.on, _owner(each.entity), each.property_id or "", each.number))


def number_of(kind: str, *parts: str | None) -> str:
    """The number of a document from what it is: a letter and ten characters of a hash, the same for ever."""
    digest = hashlib.sha256("\x1f".join([kind, *(part or "" for part in parts)]).encode()).digest()
    value = int.from_bytes(digest[:8], "big") >> 14
    letters = []
    for _ in range(NUMBER_LENGTH - 1):
        value, rest = divmod(value, 32)
        letters.append(LETTERS[rest])
    return kind[0].upper() + "".join(reversed(letters))


def _owner(entity: Entity) -> tuple[str, str]:
    return entity.entity_id, entity.source_system


def _in_detail(books: Books) -> Iterator[Document]:
    def key(line: Line) -> tuple[str, ...]:
        return (*_owner(line.entity), line.property_id or "", line.on.isoformat(), line.journal_id)

    for _, group in groupby(sorted(books.lines, key=lambda line: (*key(line), line.line_no)), key=key):
        lines = list(group)
        first = lines[0]
        number = number_of(
            "journal", books.scope.book, first.entity.source_system, first.entity.entity_id, first.property_id,
            first.journal_id, first.on.isoformat(),
        )  # fmt: skip
        yield Document(
            number=number,
            entity=first.entity,
            property_id=first.property_id,
            on=first.on,
            memo=_memo(first),
            lines=[_line(line) for line in lines],
        )


def _line(line: Line) -> DocumentLine:
    return DocumentLine(
        line.account, line.account_name, line.account_type, line.role, line.debit, line.credit, line.lease_id,
        line.source_system, line,
    )  # fmt: skip


def _memo(line: Line) -> str:
    """What happened, in words: the event, the code, the row that caused it, the lease."""
    words = [EVENTS.get(line.event, line.event.replace("_", " ").capitalize()), line.charge_code, line.source_id]
    lease = f", lease {line.lease_id}" if line.lease_id else ""
    return " ".join(word for word in words if word) + lease


def _in_summary(books: Books) -> Iterator[Document]:
    def key(line: Line) -> tuple[str, ...]:
        return (*_owner(line.entity), line.property_id or "", line.on.isoformat())

    for _, group in groupby(sorted(books.lines, key=key), key=key):
        lines = list(group)
        first = lines[0]
        where = books.property_name(first.entity, first.property_id) or "no property"
        number = number_of(
            "summary", books.scope.book, first.entity.source_system, first.entity.entity_id, first.property_id,
            first.on.isoformat(),
        )  # fmt: skip
        yield Document(
            number=number,
            entity=first.entity,
            property_id=first.property_id,
            on=first.on,
            memo=f"Summary of {first.on.isoformat()}, {where}",
            lines=list(_sums(lines)),
        )


def _sums(lines: Iterable[Line]) -> Iterator[DocumentLine]:
    """A line for the debits of each account and one for its credits: neither is netted away."""
    for _, group in groupby(sorted(lines, key=lambda line: line.account), key=lambda line: line.account):
        of_account = list(group)
        first = of_account[0]
        debits = sum((line.debit for line in of_account), ZERO)
        credits = sum((line.credit for line in of_account), ZERO)
        for debit, credit in ((debits, ZERO), (ZERO, credits)):
            if debit or credit:
                yield DocumentLine(
                    first.account, first.account_name, first.account_type, first.role, debit, credit,
                    None, first.source_system, None,
                )  # fmt: skip
