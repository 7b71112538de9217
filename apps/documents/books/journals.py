"""What the two plain-text ledgers, hledger and beancount, have in common: a tree of accounts and an order of entries.

An account is named after its type, its entity, its number and name, and its property, so that each balance of the
trial balance is one account there. The journal moves no result into retained earnings: the trial balance does that when
a fiscal year begins, so an entry of that day carries what it carried. Where a range begins later than the books, an
entry of its first day opens every balance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from apps.documents.books.documents import Document, number_of
from apps.documents.books.selection import ZERO, Balance, Books, Entity, month_days
from apps.documents.books.target import Finding

ROOTS = {
    "asset": "Assets",
    "liability": "Liabilities",
    "equity": "Equity",
    "income": "Income",
    "contra_income": "Income",
    "expense": "Expenses",
}
NO_PROPERTY = "No property"

AccountKey = tuple[Entity, str, str | None]  # entity, account, property
NameAccount = Callable[[Entity, str, str, str, str | None], str]  # ..., account, its name, its type, property


@dataclass(frozen=True)
class Entry:
    """An entry of a plain-text ledger: signed amounts on accounts, debit positive, zero in total."""

    on: date
    number: str
    memo: str
    tags: Mapping[str, str]
    postings: Sequence[tuple[str, Decimal, str]]  # account, amount, currency


@dataclass(frozen=True)
class Assertion:
    """What an account must hold at the end of a day."""

    on: date
    account: str
    balance: Decimal
    currency: str
    period: str


@dataclass(frozen=True)
class Tree:
    """The accounts of an export: their names there, and whose they are."""

    names: Mapping[AccountKey, str]
    balances: Mapping[AccountKey, Balance]

    def accounts(self) -> Iterator[tuple[str, Balance]]:
        """Each account's name and a balance that describes it, by name."""
        for key, name in sorted(self.names.items(), key=lambda item: item[1]):
            yield name, self.balances[key]


def tree_of(books: Books, name_account: NameAccount) -> Tree:
    """Name every account of the selection. Equal names are found by `refusals`, not here."""
    balances = {(balance.entity, balance.account, balance.property_id): balance for balance in reversed(books.balances)}
    return Tree(
        {
            key: name_account(balance.entity, balance.account, balance.account_name, balance.account_type, key[2])
            for key, balance in balances.items()
        },
        balances,
    )


def refusals(books: Books, tree: Tree, documents: Sequence[Document]) -> list[Finding]:
    """What a plain-text ledger would refuse or add together: no currency, one name for two accounts, no balance."""
    findings = []
    for entity in books.entities:
        if len(entity.currency) != 3 or not entity.currency.isascii() or not entity.currency.isupper():
            findings.append(
                Finding(
                    "(file)", "", "currency", f"{entity.currency or '(none)'} of {entity.entity_id}",
                    "three capital letters, such as USD", "Correct the entity's currency in the source.",
                )
            )  # fmt: skip
    owners: dict[str, list[AccountKey]] = defaultdict(list)
    for key, name in tree.names.items():
        owners[name].append(key)
    for name, keys in sorted(owners.items()):
        if len(keys) > 1:
            whose = "; ".join(f"{e.entity_id}, account {account}, property {at or '(none)'}" for e, account, at in keys)
            findings.append(
                Finding(
                    "(file)", "", "account", name, f"one account a name; found {whose}",
                    "Export one entity at a time with --entity ID, or rename one of the ids in the source.", len(keys),
                )
            )  # fmt: skip
    for document in documents:
        if document.debits != document.credits:
            findings.append(
                Finding(
                    document.number, "", "amount", f"debits {document.debits}, credits {document.credits}",
                    "debits = credits", "Report this build: a journal that does not balance must not be published.",
                )
            )  # fmt: skip
    return findings


def entries_of(books: Books, tree: Tree, documents: Iterable[Document]) -> Iterator[Entry]:
    """Every entry in the order of days: the opening, what new fiscal years carried, and the documents."""
    carried = list(_carried(books, tree))
    made = [*_opening(books, tree), *carried, *(_entry(tree, document) for document in documents)]
    return iter(sorted(made, key=lambda entry: entry.on))  # stable: on one day, openings come first


def assertions_of(books: Books, tree: Tree) -> Iterator[Assertion]:
    """A balance for each row of the trial balance, at the last day that the build holds of its month."""
    for balance in books.balances:
        on, currency = books.last_day(balance.period), balance.entity.currency
        yield Assertion(on, _name(tree, balance), balance.closing, currency, balance.period)


def first_day(books: Books, entries: Sequence[Entry]) -> date:
    """The day on which accounts are opened: the first that anything is dated."""
    return min((entry.on for entry in entries), default=books.from_on)


def _name(tree: Tree, balance: Balance) -> str:
    return tree.names[balance.entity, balance.account, balance.property_id]


def _entry(tree: Tree, document: Document) -> Entry:
    tags = {"entity": document.entity.entity_id}
    if document.property_id is not None:
        tags["property"] = document.property_id
    leases = {line.lease_id for line in document.lines if line.lease_id}
    if len(leases) == 1:
        tags["lease"] = leases.pop()
    return Entry(
        on=document.on,
        number=document.number,
        memo=document.memo,
        tags=tags,
        postings=[
            (tree.names[document.entity, line.account, document.property_id], line.amount, document.entity.currency)
            for line in document.lines
        ],
    )


def _opening(books: Books, tree: Tree) -> Iterator[Entry]:
    if books.is_from_the_start:
        return
    first = books.scope.from_period
    rows = [(balance, balance.opening) for balance in books.balances if balance.period == first]
    yield from _by_property(books, tree, rows, month_days(first)[0], "opening", "Opening balances")


def _carried(books: Books, tree: Tree) -> Iterator[Entry]:
    opened = None if books.is_from_the_start else books.scope.from_period
    for period in books.periods:
        if period != opened:
            rows = [(balance, balance.carried) for balance in books.balances if balance.period == period]
            on = month_days(period)[0]
            yield from _by_property(books, tree, rows, on, "year", "Result of the fiscal year to retained earnings")


def _by_property(
    books: Books, tree: Tree, rows: Sequence[tuple[Balance, Decimal]], on: date, kind: str, memo: str
) -> Iterator[Entry]:
    groups: dict[tuple[Entity, str | None], list[tuple[Balance, Decimal]]] = defaultdict(list)
    for balance, amount in rows:
        if amount != ZERO:
            groups[balance.entity, balance.property_id].append((balance, amount))
    for (entity, property_id), members in groups.items():
        tags = {"entity": entity.entity_id} | ({"property": property_id} if property_id is not None else {})
        yield Entry(
            on=on,
            number=number_of(
                kind, books.scope.book, entity.source_system, entity.entity_id, property_id, on.isoformat()
            ),
            memo=memo,
            tags=tags,
            postings=[(_name(tree, balance), amount, entity.currency) for balance, amount in members],
        )


def day_after(on: date) -> date:
    """The day after."""
    return on + timedelta(days=1)
