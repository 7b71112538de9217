"""hledger: the books as a journal that hledger checks by itself, `hledger check --strict`.

Accounts and commodities are declared; at the end of every month each account asserts its balance of the trial balance;
the file is UTF-8 and in the order of days. Ledger reads the same file. hledger reads UTF-8 only where the language
setting of the machine says so (`LC_ALL=C.UTF-8`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from apps.documents.books.documents import Document
from apps.documents.books.journals import (
    NO_PROPERTY,
    ROOTS,
    Assertion,
    Entry,
    assertions_of,
    entries_of,
    refusals,
    tree_of,
)
from apps.documents.books.selection import Books, Entity
from apps.documents.books.target import Finding

KINDS = {"Assets": "A", "Liabilities": "L", "Equity": "E", "Income": "R", "Expenses": "X"}


def pre_flight(books: Books, documents: Sequence[Document]) -> list[Finding]:
    """What hledger would refuse."""
    return refusals(books, tree_of(books, account_name), documents)


def write(books: Books, documents: Sequence[Document]) -> bytes:
    """The bytes of the journal."""
    return "\n".join(_lines(books, documents)).encode() + b"\n"


def account_name(entity: Entity, account: str, name: str, kind: str, property_id: str | None) -> str:
    """`Assets:birchline:1200 Receivable, residents:maple1`."""
    place = NO_PROPERTY if property_id is None else _part(property_id)
    return ":".join((ROOTS[kind], _part(_entity(entity)), _part(f"{account} {name}"), place))


def _entity(entity: Entity) -> str:
    return entity.entity_id if entity.source_system == "default" else f"{entity.source_system} {entity.entity_id}"


def _part(text: str) -> str:
    """Text as a part of an account's name: what would end the name or the line becomes a single blank."""
    return re.sub(r"[:;\s\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip(" ()[]*!=@") or "unnamed"


def _lines(books: Books, documents: Sequence[Document]) -> Iterator[str]:
    tree = tree_of(books, account_name)
    yield "; Books of Tieout. Check with: hledger -f FILE check --strict"
    for label, value in books.facts():
        yield f"; {label}: {_words(value)}"
    yield ""
    for currency in sorted({entity.currency for entity in books.entities}):
        yield f"commodity 1000.00 {currency}"
    yield ""
    for name, balance in tree.accounts():
        yield f"account {name}  ; type:{KINDS[name.split(':')[0]]}, gl:{_tag(balance.account)}"
    yield ""
    entries = groupby(entries_of(books, tree, documents), key=lambda entry: entry.on)
    assertions = groupby(assertions_of(books, tree), key=lambda assertion: assertion.on)
    waiting = [(on, list(group)) for on, group in assertions]
    for on, group in entries:
        while waiting and waiting[0][0] < on:
            yield from _assertions(waiting.pop(0)[1])
        for entry in group:
            yield from _entry(entry)
    for _, group in waiting:
        yield from _assertions(group)


def _entry(entry: Entry) -> Iterator[str]:
    tags = ", ".join(f"{name}:{_tag(value)}" for name, value in entry.tags.items())
    yield f"{_day(entry)} * ({entry.number}) {_words(entry.memo)}  ; {tags}"
    for account, amount, currency in entry.postings:
        yield f"    {account}  {amount:.2f} {currency}"
    yield ""


def _assertions(assertions: Sequence[Assertion]) -> Iterator[str]:
    yield f"{_day(assertions[0])} * Balances of {assertions[0].period}"
    for assertion in assertions:
        yield f"    {assertion.account}  0.00 {assertion.currency} = {assertion.balance:.2f} {assertion.currency}"
    yield ""


def _day(dated: Entry | Assertion) -> str:
    return dated.on.isoformat()


def _words(text: str) -> str:
    """Text of a description: no comment and no payee may begin in it."""
    return re.sub(r"[;|\s\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip()


def _tag(text: str) -> str:
    """Text of a tag: a comma would end it."""
    return re.sub(r"[,;:\s\x00-\x1f\x7f\u2028\u2029]+", " ", text).strip()
