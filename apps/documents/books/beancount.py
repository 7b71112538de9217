"""beancount: the books as a ledger that `bean-check` accepts.

Every account is opened with its currency; a balance is asserted for each account at the end of every month. beancount
checks a balance at the start of its day, so it is dated the day after; and it forgives a cent unless told not to, so
each balance says `~ 0.00`. Names of accounts there are letters, digits and dashes, so the number, the name and the
property as they are called here stand beside each account; text is UTF-8.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence

from apps.documents.books.documents import Document
from apps.documents.books.journals import (
    NO_PROPERTY,
    ROOTS,
    Entry,
    assertions_of,
    day_after,
    entries_of,
    first_day,
    refusals,
    tree_of,
)
from apps.documents.books.selection import Books, Entity
from apps.documents.books.target import Finding


def pre_flight(books: Books, documents: Sequence[Document]) -> list[Finding]:
    """What beancount would refuse."""
    return refusals(books, tree_of(books, account_name), documents)


def write(books: Books, documents: Sequence[Document]) -> bytes:
    """The bytes of the ledger."""
    return "\n".join(_lines(books, documents)).encode() + b"\n"


def account_name(entity: Entity, account: str, name: str, kind: str, property_id: str | None) -> str:
    """`Assets:Birchline:1200-Receivable-residents:Maple1`."""
    owner = entity.entity_id if entity.source_system == "default" else f"{entity.source_system} {entity.entity_id}"
    return ":".join((ROOTS[kind], _part(owner), _part(f"{account} {name}"), _part(property_id or NO_PROPERTY)))


def _part(text: str) -> str:
    """Text as a part of an account's name: letters without accents, digits and dashes; a capital or digit first."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    dashed = re.sub(r"[^A-Za-z0-9]+", "-", bare).strip("-")
    if any(letter.isalnum() and not letter.isascii() for letter in bare):  # letters are lost: say which by their hash
        dashed = f"{dashed or 'X'}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    return dashed[:1].upper() + dashed[1:] or "X"


def _lines(books: Books, documents: Sequence[Document]) -> Iterator[str]:
    tree = tree_of(books, account_name)
    entries = list(entries_of(books, tree, documents))
    yield ";; Books of Tieout. Check with: bean-check FILE"
    for label, value in books.facts():
        yield f";; {label}: {_one_line(value)}"
    yield ""
    yield f'option "title" {_text(f"Books of build {books.build_no} as of {books.as_of.isoformat()}")}'
    for currency in sorted({entity.currency for entity in books.entities}):
        yield f'option "operating_currency" "{currency}"'
    yield ""
    opened = first_day(books, entries).isoformat()
    for name, balance in tree.accounts():
        yield f"{opened} open {name} {balance.entity.currency}"
        yield f"  gl: {_text(balance.account)}"
        yield f"  name: {_text(balance.account_name)}"
        yield f"  entity: {_text(balance.entity.name)}"
        if balance.property_id is not None:
            yield f"  property: {_text(balance.property_id)}"
            yield f"  property-name: {_text(books.property_name(balance.entity, balance.property_id))}"
    yield ""
    for entry in entries:
        yield from _entry(entry)
    for assertion in assertions_of(books, tree):
        yield (
            f"{day_after(assertion.on).isoformat()} balance {assertion.account}  "
            f"{assertion.balance:.2f} ~ 0.00 {assertion.currency}"
        )


def _entry(entry: Entry) -> Iterator[str]:
    yield f"{entry.on.isoformat()} * {_text(entry.memo)} ^{entry.number}"
    for name, value in entry.tags.items():
        yield f"  {name}: {_text(value)}"
    for account, amount, currency in entry.postings:
        yield f"  {account}  {amount:.2f} {currency}"
    yield ""


def _text(text: str) -> str:
    """A quoted text on one line."""
    return '"' + _one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _one_line(text: str) -> str:
    return re.sub(r"[\s\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip()
