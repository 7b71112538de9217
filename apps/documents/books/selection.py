"""The one selection that every format writes: journal lines and trial balance of a book, an entity and some months.

Everything is read from one published build and nothing is worked out anew. Before anything is written the two are laid
over each other: the lines of a month, property and account must add up to the debits and credits of the trial balance.
"""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

from apps.reports.published import Reader, Row

QUERIES = Path(__file__).parent / "queries"
ZERO = Decimal("0.00")


class ExportRefused(Exception):
    """What was asked for is not in the published build, or cannot be read. The message is for a person."""


class BooksDiffer(Exception):
    """Journal and trial balance do not add up to the same; nothing is written. The message names the first row."""


@dataclass(frozen=True)
class Scope:
    """What to select: a book, one entity or all, and the months from `from_period` to `to_period` (`2026-10`)."""

    book: str = "accrual"
    entity_id: str | None = None
    source_system: str | None = None
    from_period: str = ""
    to_period: str = ""


@dataclass(frozen=True)
class Entity:
    """Who keeps the books. `source_system` tells two entities of one id apart."""

    source_system: str
    entity_id: str
    name: str
    currency: str


@dataclass(frozen=True)
class Line:
    """A journal line: amounts in major units of the entity's currency, one of debit and credit zero."""

    entity: Entity
    journal_id: str
    line_no: int
    property_id: str | None
    source_system: str
    lease_id: str | None
    ledger_party: str | None
    account: str
    account_name: str
    account_type: str
    role: str | None
    debit: Decimal
    credit: Decimal
    on: date
    event: str
    source_table: str
    source_id: str
    charge_code: str | None
    file: str | None
    row_number: int | None


@dataclass(frozen=True)
class Balance:
    """A row of the trial balance, debits positive. `carried` is what a new fiscal year moved before the month began."""

    entity: Entity
    property_id: str | None
    account: str
    account_name: str
    account_type: str
    role: str | None
    period: str
    opening: Decimal
    debits: Decimal
    credits: Decimal
    closing: Decimal
    carried: Decimal


@dataclass(frozen=True)
class Books:
    """The selection. Lines are in the order of entity, property, day and journal; balances by month."""

    scope: Scope
    build_no: str
    as_of: date
    incomplete: Sequence[str]
    open_months: Sequence[str]
    from_on: date
    to_on: date
    entities: Sequence[Entity]
    properties: Mapping[tuple[str, str], str]
    residents: Mapping[tuple[str, str], str]
    lines: Sequence[Line]
    balances: Sequence[Balance]
    is_from_the_start: bool

    @property
    def periods(self) -> list[str]:
        """The months of the range, in order."""
        return sorted({balance.period for balance in self.balances})

    def last_day(self, period: str) -> date:
        """The last day that the build holds of a month."""
        return min(month_days(period)[1], self.as_of)

    def property_name(self, entity: Entity, property_id: str | None) -> str:
        """What the property is called; its id where nobody named it, and nothing for lines without a property."""
        if property_id is None:
            return ""
        return self.properties.get((entity.source_system, property_id)) or property_id

    def named(self, entity: Entity) -> str:
        """The id of an entity, and its source system where two have that id."""
        is_shared = sum(each.entity_id == entity.entity_id for each in self.entities) > 1
        return f"{entity.entity_id} of {entity.source_system}" if is_shared else entity.entity_id

    def facts(self) -> list[tuple[str, str]]:
        """What every export says about itself, as (label, value)."""
        scope = self.scope
        state = "complete" if not self.incomplete else f"INCOMPLETE: {' '.join(self.incomplete)}"
        return [
            ("Build", self.build_no),
            ("As of", self.as_of.isoformat()),
            ("Build is", state),
            ("Book", scope.book),
            ("Entities", ", ".join(f"{self.named(each)} ({each.currency})" for each in self.entities)),
            ("From", self.from_on.isoformat()),
            ("Through", self.to_on.isoformat()),
            ("Months not closed yet", ", ".join(self.open_months) or "none"),
        ]


@cache
def query_text(name: str) -> str:
    """The SQL of `queries/<name>.sql` beside this file."""
    return (QUERIES / f"{name}.sql").read_text(encoding="utf-8")


def month_days(period: str) -> tuple[date, date]:
    """First and last day of a month written `2026-10`. Raises ExportRefused for anything else."""
    if not re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", period) or period.startswith("0000"):
        raise ExportRefused(f"Month {period!r} was not understood: write it as year and month, such as 2026-10.")
    year, month = int(period[:4]), int(period[5:])
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def months_between(first: str, last: str) -> Iterator[str]:
    """Every month from `first` to `last`, both included."""
    on, end = month_days(first)[0], month_days(last)[0]
    while on <= end:
        yield f"{on:%Y-%m}"
        on = (on + timedelta(days=32)).replace(day=1)


def read_books(reader: Reader, scope: Scope) -> Books:
    """Select the books of a scope from one build.

    Raises ExportRefused for a book, entity or range that is not published, BooksDiffer where lines and trial balance
    do not add up to the same.
    """
    published = _published(reader, scope)
    first, last = min(row["first_period"] for row in published), max(row["last_period"] for row in published)
    scope = Scope(scope.book, scope.entity_id, scope.source_system, scope.from_period or first, scope.to_period or last)
    from_on, to_on = month_days(scope.from_period)[0], month_days(scope.to_period)[1]
    if from_on > to_on:
        raise ExportRefused(f"The range ends before it begins: --from {scope.from_period} --to {scope.to_period}.")
    if scope.to_period < first or scope.from_period > last:
        raise ExportRefused(
            f"Nothing is booked from {scope.from_period} to {scope.to_period}; the build holds {first} to {last}."
        )
    build = reader.one("build")
    if build is None:
        raise ExportRefused("The published build does not say its as-of day.")
    narrow = {"entity_id": scope.entity_id, "source_system": scope.source_system}
    range_of = {"from_period": scope.from_period, "to_period": scope.to_period}
    # A line names the system of its fact, which need not be that of the entity: it only tells two of one id apart.
    all_rows = reader.rows(query_text("periods"))
    owners = {row["source_system"] for row in all_rows if row["entity_id"] == scope.entity_id}
    of_lines = {**narrow, "source_system": None if len(owners) == 1 else scope.source_system}
    lines = reader.rows(query_text("lines"), {"book": scope.book, **of_lines, "from_on": from_on, "to_on": to_on})
    balances = reader.rows(query_text("balances"), {"book": scope.book, **narrow, **range_of})
    entities = _entities(reader, published)
    roles = {
        (row["source_system"], row["entity_id"], row["account"]): row["role"]
        for row in reader.rows(query_text("accounts"))
    }
    books = Books(
        scope=scope,
        build_no=str(build["build_no"]),
        as_of=build["as_of"],
        incomplete=reader.build.incomplete,
        open_months=_open_months(reader.rows(query_text("open_months"), {**narrow, **range_of}), len(entities) > 1),
        from_on=from_on,
        to_on=min(to_on, build["as_of"]),
        entities=list(entities.values()),
        properties={
            (row["source_system"], row["property_id"]): row["name"] for row in reader.rows(query_text("properties"))
        },
        residents={
            (row["source_system"], row["lease_id"]): row["resident_names"] or ""
            for row in reader.rows(query_text("leases"))
        },
        lines=[_line(row, _entity(entities, row), roles) for row in lines],
        balances=[_balance(row, entities[row["source_system"], row["entity_id"]], roles) for row in balances],
        is_from_the_start=scope.from_period <= first,
    )
    _must_add_up(books)
    return books


def _published(reader: Reader, scope: Scope) -> list[Row]:
    """The (book, entity) rows of the trial balance that the scope names."""
    rows = reader.rows(query_text("periods"))
    if not rows:
        raise ExportRefused("The published build holds no journal: load entities, leases, charges and payments first.")
    names = sorted({row["book"] for row in rows})
    if scope.book not in names:
        raise ExportRefused(f"There is no book {scope.book!r} in the published build; it holds {', '.join(names)}.")
    rows = [row for row in rows if row["book"] == scope.book]
    found = [
        row
        for row in rows
        if scope.entity_id in (None, row["entity_id"]) and scope.source_system in (None, row["source_system"])
    ]
    if not found:
        known = ", ".join(sorted({row["entity_id"] for row in rows}))
        of = f" of {scope.source_system}" if scope.source_system else ""
        raise ExportRefused(f"Entity {scope.entity_id}{of} is not in the published books; they hold {known}.")
    systems = sorted({row["source_system"] for row in found})
    if scope.entity_id is not None and len(systems) > 1:
        raise ExportRefused(
            f"Entity {scope.entity_id} is known from several source systems ({', '.join(systems)}): "
            f"say which one with --source."
        )
    return found


def _entities(reader: Reader, published: Sequence[Row]) -> dict[tuple[str, str], Entity]:
    named = {(row["source_system"], row["entity_id"]): row for row in reader.rows(query_text("entities"))}
    entities = {}
    for row in published:
        key = (row["source_system"], row["entity_id"])
        known = named.get(key, {})
        entities[key] = Entity(*key, known.get("entity_name") or row["entity_id"], known.get("currency") or "")
    return entities


def _entity(entities: Mapping[tuple[str, str], Entity], row: Row) -> Entity:
    """The entity of a line. A fact of one system may stand in the books of an entity that another system names."""
    own = entities.get((row["source_system"], row["entity_id"]))
    if own is not None:
        return own
    others = [entity for (_, entity_id), entity in entities.items() if entity_id == row["entity_id"]]
    if len(others) != 1:
        raise BooksDiffer(
            f"Journal {row['journal_id']} line {row['line_no']} belongs to entity {row['entity_id'] or '(none)'}, "
            f"which the trial balance holds {len(others)} times. Nothing was written; report this build."
        )
    return others[0]


def _line(row: Row, entity: Entity, roles: Mapping[tuple[str, str, str], str | None]) -> Line:
    return Line(
        entity=entity,
        journal_id=row["journal_id"],
        line_no=row["line_no"],
        property_id=row["property_id"],
        source_system=row["source_system"],
        lease_id=row["lease_id"],
        ledger_party=row["ledger_party"],
        account=row["account"],
        account_name=row["account_name"] or row["account"],
        account_type=row["account_type"],
        role=roles.get((entity.source_system, entity.entity_id, row["account"])),
        debit=row["debit"],
        credit=row["credit"],
        on=row["accounting_on"],
        event=row["event"],
        source_table=row["source_table"],
        source_id=row["source_id"],
        charge_code=row["charge_code"],
        file=row["file"],
        row_number=row["row_number"],
    )


def _balance(row: Row, entity: Entity, roles: Mapping[tuple[str, str, str], str | None]) -> Balance:
    return Balance(
        entity=entity,
        property_id=row["property_id"],
        account=row["account"],
        account_name=row["account_name"] or row["account"],
        account_type=row["account_type"],
        role=roles.get((entity.source_system, entity.entity_id, row["account"])),
        period=row["period"],
        opening=row["opening"],
        debits=row["debits"],
        credits=row["credits"],
        closing=row["closing"],
        carried=row["opening"] - row["closing_before"],
    )


def _open_months(rows: Sequence[Row], several: bool) -> list[str]:
    if not several:
        return [row["period"] for row in rows]
    return [f"{row['entity_id']} {row['period']}" for row in rows]


def _must_add_up(books: Books) -> None:
    """Lines and trial balance are two views of one journal, by month, property and account."""
    moved: dict[tuple[Entity, str | None, str, str], list[Decimal]] = defaultdict(lambda: [ZERO, ZERO])
    for line in books.lines:
        sums = moved[line.entity, line.property_id, line.account, f"{line.on:%Y-%m}"]
        sums[0] += line.debit
        sums[1] += line.credit
    for balance in books.balances:
        key = (balance.entity, balance.property_id, balance.account, balance.period)
        debits, credits = moved.pop(key, [ZERO, ZERO])
        if (debits, credits) != (balance.debits, balance.credits):
            raise BooksDiffer(
                f"{balance.entity.entity_id}, property {balance.property_id or '(none)'}, account {balance.account}, "
                f"{balance.period}: the journal lines add up to debits {debits} and credits {credits}, the trial "
                f"balance says {balance.debits} and {balance.credits}. Nothing was written; report this build."
            )
    if moved:
        (entity, property_id, account, period), (debits, credits) = next(iter(moved.items()))
        raise BooksDiffer(
            f"{entity.entity_id}, property {property_id or '(none)'}, account {account}, {period}: the journal has "
            f"debits {debits} and credits {credits}, the trial balance has no row. Nothing was written; "
            f"report this build."
        )
