"""The contract of the landing folder: one YAML file per table, read into checked dataclasses.

This one declaration is the source of four things: how files are read and judged (`orchestration.landing`), the tables
of `raw.duckdb`, the Great Expectations suites (`orchestration.expectations`), and the page `reference_markdown`.

A table is `fact` or `reference`. In a fact table, columns marked `fact` (amount, lease, party, code, dates, payer,
designation and the ids a row names) never change: a row that changes one is quarantined. Any other change, and any
change of reference data, is a new version.

Every table may also have the columns `source_system` and `recorded_at`; they are not repeated in the YAML files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

TABLES = Path(__file__).parent / "tables"

Type = Literal["id", "text", "amount", "rate", "integer", "date", "timestamp", "boolean", "enum", "json", "period"]
Kind = Literal["fact", "reference"]
Group = Literal["portfolio", "money", "books", "rules", "comparison", "delinquency"]
IfUnknown = Literal["refuse", "wait", "keep", "suspend"]
Check = Literal["currency", "time_zone", "steps", "landing_table"]

#: The largest amount of one row that is taken without a person saying so (major units). Ten times the rent roll of a
#: large portfolio: beyond it a slipped decimal point is far likelier than a real charge. A table may set its own.
USUAL_LIMIT = Decimal("99999999.99")
#: The largest amount that can be kept at all: a billion such rows still sum inside DECIMAL(18,2) by table and day.
HARD_LIMIT = Decimal("9999999999.99")

IF_UNKNOWN_WORDS: Mapping[IfUnknown, str] = {
    "refuse": "must be known, else the row waits in quarantine",
    "wait": "names a row that must have been accepted, else the row waits in quarantine",
    "keep": "a link: kept as given when it is not known",
    "suspend": "when it is not known the money lands in suspense",
}


class ContractError(ValueError):
    """A contract file is wrong. The message names the file, the column and what was expected."""


@dataclass(frozen=True)
class Reference:
    """What an id points to. `by` names a further column of both tables that is part of the target's key."""

    table: str
    column: str
    if_unknown: IfUnknown
    by: str | None = None


@dataclass(frozen=True)
class Column:
    """One column as the contract declares it. Bounds are inclusive except `over`."""

    name: str
    type: Type
    description: str
    required: bool = False
    values: tuple[str, ...] = ()
    default: str | None = None
    pattern: str | None = None
    like: str | None = None
    check: Check | None = None
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    over: Decimal | None = None
    limit: Decimal = USUAL_LIMIT
    reference: Reference | None = None
    is_fact: bool = False

    @property
    def key_name(self) -> str | None:
        """The name of the warehouse key that the door adds for this id, or None where it has none."""
        if self.type != "id":
            return None
        if self.name == "charge_code":
            return "code_key"
        if self.name.endswith("_id") and self.name != "scope_id":
            return self.name.removesuffix("_id") + "_key"
        return None


@dataclass(frozen=True)
class Requirement:
    """Columns that are required where another column has a value."""

    when: str
    value: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """One landing table: its grain (`key`), its columns, and what must hold between its rows.

    `after`: tables that its rows are judged by beside those that they reference. `dated_by`: the column that says on
    which day a row counts, where it has one; it tells which periods a file covers.
    """

    name: str
    group: Group
    kind: Kind
    description: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    key_else: tuple[str, ...] = ()
    amount: str | None = None
    no_overlap: tuple[str, ...] = ()
    no_conflict: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    requires: tuple[Requirement, ...] = ()
    after: tuple[str, ...] = ()
    dated_by: str | None = None

    @property
    def is_fact(self) -> bool:
        return self.kind == "fact"

    def column(self, name: str) -> Column:
        """The column of that name. Raises KeyError."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"{self.name} has no column {name}")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    @property
    def fact_columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.is_fact)

    @property
    def references(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.reference is not None)

    @property
    def key_columns(self) -> dict[str, str]:
        """Column name -> name of the key that the door adds (`lease_id` -> `lease_key`)."""
        return {column.name: column.key_name for column in self.columns if column.key_name is not None}

    @property
    def aliases(self) -> dict[str, str]:
        """Other names a file may use: the source documents call the key of the delinquency tables `id`."""
        return {"id": self.key[0]} if self.group == "delinquency" else {}


@dataclass(frozen=True)
class Contract:
    """All tables, by name, in an order in which every table comes after those that its rows must find."""

    tables: Mapping[str, Table]
    order: tuple[str, ...]

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __iter__(self) -> Iterator[Table]:
        return (self.tables[name] for name in self.order)

    def __len__(self) -> int:
        return len(self.tables)


_TABLE_FIELDS = {
    "table", "group", "kind", "description", "key", "key_else", "amount", "no_overlap", "no_conflict", "one_of",
    "requires", "after", "dated_by", "columns",
}  # fmt: skip
_COLUMN_FIELDS = {
    "type", "required", "values", "default", "pattern", "like", "check", "minimum", "maximum", "over", "limit",
    "reference", "if_unknown", "by", "fact", "description",
}  # fmt: skip
#: The safe loader in C where the package was built with it: ten times as fast, and every command starts here.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")


def _one_of(value: object, choices: tuple[str, ...], where: str) -> Any:
    if value not in choices:
        raise ContractError(f"{where}: found {value!r}, expected one of {', '.join(choices)}.")
    return value


def _bound(value: object, where: str) -> Decimal | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ContractError(f"{where}: found {value!r}, expected a number in quotation marks (no float near money).")
    try:
        return Decimal(value)
    except InvalidOperation:
        raise ContractError(f"{where}: found {value!r}, expected a number.") from None


def _only(found: Mapping[str, object], allowed: set[str], where: str) -> None:
    extra = sorted(set(found) - allowed)
    if extra:
        raise ContractError(f"{where}: unknown setting {', '.join(extra)}; known are {', '.join(sorted(allowed))}.")


def _column(name: str, raw: Mapping[str, Any], where: str) -> Column:
    if not _NAME.match(name):
        raise ContractError(f"{where}: a column name is lower case letters, digits and underscores.")
    if not isinstance(raw, Mapping):
        raise ContractError(f"{where}: found {raw!r}, expected settings.")
    _only(raw, _COLUMN_FIELDS, where)
    kind: Type = _one_of(raw.get("type"), get_args(Type), f"{where}, type")
    description = raw.get("description")
    if not isinstance(description, str) or not description.endswith("."):
        raise ContractError(f"{where}, description: expected one sentence that ends in a full stop.")
    values = tuple(raw.get("values", ()))
    if (kind == "enum") != bool(values):
        raise ContractError(f"{where}: `values` belong to type enum, and an enum needs them.")
    if any(not isinstance(value, str) for value in values) or len(set(values)) != len(values):
        raise ContractError(f"{where}, values: expected different texts (put yes, no, on and off in quotation marks).")
    default = raw.get("default")
    if default is not None and default not in values:
        raise ContractError(f"{where}, default: {default!r} is not one of the values.")
    reference = None
    if "reference" in raw:
        table, dot, column = str(raw["reference"]).partition(".")
        if kind != "id" or not dot:
            raise ContractError(f"{where}, reference: expected table.column on a column of type id.")
        if_unknown: IfUnknown = _one_of(raw.get("if_unknown"), get_args(IfUnknown), f"{where}, if_unknown")
        reference = Reference(table, column, if_unknown, raw.get("by"))
    elif "if_unknown" in raw or "by" in raw:
        raise ContractError(f"{where}: if_unknown and by belong to a reference.")
    bounds = {name: _bound(raw.get(name), f"{where}, {name}") for name in ("minimum", "maximum", "over", "limit")}
    if any(bound is not None for bound in bounds.values()) and kind not in ("amount", "rate", "integer"):
        raise ContractError(f"{where}: bounds belong to amounts, rates and integers.")
    check = raw.get("check")
    if check is not None:
        _one_of(check, get_args(Check), f"{where}, check")
    pattern = raw.get("pattern")
    if pattern is not None:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ContractError(f"{where}, pattern: {error}.") from None
        if not raw.get("like") or not re.fullmatch(pattern, raw["like"]):
            raise ContractError(f"{where}: a pattern needs `like`, an example that it matches.")
    return Column(
        name=name,
        type=kind,
        description=description,
        required=bool(raw.get("required", False)),
        values=values,
        default=default,
        pattern=pattern,
        like=raw.get("like"),
        check=check,
        minimum=bounds["minimum"],
        maximum=bounds["maximum"],
        over=bounds["over"],
        limit=bounds["limit"] or USUAL_LIMIT,
        reference=reference,
        is_fact=bool(raw.get("fact", False)),
    )


def _table(path: Path) -> Table:
    where = f"contract/tables/{path.name}"
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    except yaml.YAMLError as error:
        raise ContractError(f"{where}: not readable as YAML: {error}") from None
    if not isinstance(raw, Mapping):
        raise ContractError(f"{where}: expected settings, found {type(raw).__name__}.")
    _only(raw, _TABLE_FIELDS, where)
    if raw.get("table") != path.stem:
        raise ContractError(
            f"{where}, table: found {raw.get('table')!r}, expected {path.stem!r} (the file's own name)."
        )
    if not isinstance(raw.get("columns"), Mapping):
        raise ContractError(f"{where}, columns: expected a list of columns.")
    columns = tuple(_column(str(name), column, f"{where}, {name}") for name, column in raw["columns"].items())
    names = {column.name for column in columns}

    def listed(setting: str) -> tuple[str, ...]:
        found = tuple(raw.get(setting, ()))
        missing = [name for name in found if name not in names]
        if missing:
            raise ContractError(f"{where}, {setting}: {', '.join(missing)} is not a column of this table.")
        return found

    requires = tuple(
        Requirement(rule["when"], str(rule["is"]), tuple(rule["columns"])) for rule in raw.get("requires", ())
    )
    for rule in requires:
        missing = [name for name in (rule.when, *rule.columns) if name not in names]
        if missing:
            raise ContractError(f"{where}, requires: {', '.join(missing)} is not a column of this table.")
    kind: Kind = _one_of(raw.get("kind"), get_args(Kind), f"{where}, kind")
    amount = raw.get("amount")
    if amount is not None and amount not in names:
        raise ContractError(f"{where}, amount: {amount} is not a column of this table.")
    dated_by = raw.get("dated_by")
    if dated_by is not None and {column.name: column.type for column in columns}.get(dated_by) != "date":
        raise ContractError(f"{where}, dated_by: {dated_by} is not a date of this table.")
    key = listed("key")
    if not key:
        raise ContractError(f"{where}, key: a table needs a key.")
    if kind == "reference" and any(column.is_fact for column in columns):
        raise ContractError(f"{where}: `fact` marks columns of fact tables; any change of reference data is a version.")
    no_overlap = listed("no_overlap")
    if no_overlap and not {"valid_from", "valid_to"} <= names:
        raise ContractError(f"{where}, no_overlap: needs the columns valid_from and valid_to.")
    description = raw.get("description")
    if not isinstance(description, str) or not description.endswith("."):
        raise ContractError(f"{where}, description: expected a sentence that ends in a full stop.")
    return Table(
        name=path.stem,
        group=_one_of(raw.get("group"), get_args(Group), f"{where}, group"),
        kind=kind,
        description=description,
        key=key,
        key_else=listed("key_else"),
        amount=amount,
        no_overlap=no_overlap,
        no_conflict=listed("no_conflict"),
        one_of=listed("one_of"),
        requires=requires,
        after=tuple(raw.get("after", ())),
        dated_by=dated_by,
        columns=columns,
    )


def _order(tables: Mapping[str, Table]) -> tuple[str, ...]:
    """Tables so that each comes after those its rows must find, and after those they link to; period_closes last.

    Links may run in a circle: where they do, they do not count.
    """
    needs: dict[str, set[str]] = {}
    links: dict[str, set[str]] = {}
    for table in tables.values():
        needs[table.name] = set(table.after)
        links[table.name] = set()
        unknown = sorted(set(table.after) - set(tables))
        if unknown:
            raise ContractError(f"contract/tables/{table.name}.yaml, after: there is no table {', '.join(unknown)}.")
        for column in table.references:
            reference = column.reference
            if reference is None:
                continue
            where = f"contract/tables/{table.name}.yaml, {column.name}, reference"
            if reference.table not in tables or reference.column not in tables[reference.table].names:
                raise ContractError(f"{where}: there is no {reference.table}.{reference.column}.")
            if reference.by and reference.by not in table.names:
                raise ContractError(f"{where}: `by` names {reference.by}, which is not a column of this table.")
            if reference.table != table.name:
                (links if reference.if_unknown == "keep" else needs)[table.name].add(reference.table)
    done: list[str] = []
    left = sorted(tables)
    while left:
        ready = [name for name in left if needs[name] | links[name] <= set(done)]
        ready = ready or [name for name in left if needs[name] <= set(done)][:1]
        if not ready:
            raise ContractError(f"contract: these tables need each other in a circle: {', '.join(left)}.")
        done += ready
        left = [name for name in left if name not in ready]
    if "period_closes" in done:
        done.remove("period_closes")
        done.append("period_closes")
    return tuple(done)


def load_contract(folder: Path = TABLES) -> Contract:
    """Read and check every contract file of `folder`. Raises ContractError naming file, column and expectation."""
    tables = {path.stem: _table(path) for path in sorted(folder.glob("*.yaml"))}
    if not tables:
        raise ContractError(f"{folder}: no contract files.")
    return Contract(tables, _order(tables))


@cache
def contract() -> Contract:
    """The shipped contract, read once per process."""
    return load_contract()


_TYPE_WORDS: Mapping[str, str] = {
    "id": "id",
    "text": "text",
    "amount": "amount",
    "rate": "rate",
    "integer": "whole number",
    "date": "date",
    "timestamp": "timestamp",
    "boolean": "true or false",
    "enum": "one of",
    "json": "JSON",
    "period": "month `YYYY-MM`",
}


def _words(column: Column, table: Table) -> str:
    words = [column.description]
    if column.values:
        words.append("One of " + ", ".join(f"`{value}`" for value in column.values) + ".")
    if column.default:
        words.append(f"Empty means `{column.default}`.")
    if column.like:
        words.append(f"For example `{column.like}`.")
    if column.over is not None:
        words.append(f"Greater than {column.over}.")
    if column.minimum is not None:
        words.append(f"At least {column.minimum}.")
    if column.maximum is not None:
        words.append(f"At most {column.maximum}.")
    if column.reference is not None:
        words.append(f"`{column.reference.table}`: {IF_UNKNOWN_WORDS[column.reference.if_unknown]}.")
    if table.is_fact and not column.is_fact:
        words.append("May change later: a new version.")
    return " ".join(words).replace("|", "\\|")


def reference_markdown() -> str:
    """The reference page of the landing folder as Markdown, written from the contract files."""
    lines = [
        "# What goes in: the landing tables",
        "",
        "Written from the contract files; do not edit. A file is named after its table (`charges.csv`,"
        " `charges-2026-10.parquet`). Amounts are decimals in major units with two decimals at most; dates are"
        " `YYYY-MM-DD`; timestamps are ISO, and without an offset in the property's time zone. Every table may also"
        " have `source_system` (else the landing subfolder's name, else `default`) and `recorded_at` (when the books"
        " first knew it). `valid_to` is the first day no longer in force.",
        "",
        "In a fact table a changed amount, lease, party, code, date, payer, designation or named id is quarantined and"
        " the first row stays in force; columns that may change, and all reference data, become new versions.",
        "",
    ]
    titles = {
        "portfolio": "Portfolio",
        "money": "Money",
        "books": "Books",
        "rules": "Rules of law and policy",
        "comparison": "The source's own figures, kept for comparison",
        "delinquency": "Delinquency and ways to pay",
    }
    shipped = contract()
    for group, title in titles.items():
        lines += [f"## {title}", ""]
        for table in sorted((t for t in shipped if t.group == group), key=lambda t: t.name):
            key = ", ".join(f"`{name}`" for name in table.key)
            if table.key_else:
                key += ", else " + ", ".join(f"`{name}`" for name in table.key_else)
            lines += [
                f"### {table.name}",
                "",
                f"{table.description} Key: {key}. {'Facts' if table.is_fact else 'Reference data'}.",
                "",
                "| column | type | required | meaning |",
                "| --- | --- | --- | --- |",
            ]
            lines += [
                f"| {column.name} | {_TYPE_WORDS[column.type]} | {'yes' if column.required else ''} |"
                f" {_words(column, table)} |"
                for column in table.columns
            ]
            for rule in table.requires:
                needed = ", ".join(f"`{name}`" for name in rule.columns)
                lines += ["", f"Where `{rule.when}` is `{rule.value}`: {needed} required."]
            if table.one_of:
                lines += ["", "At least one of " + ", ".join(f"`{name}`" for name in table.one_of) + "."]
            if table.no_overlap:
                lines += [
                    "",
                    "Periods of the same " + ", ".join(f"`{n}`" for n in table.no_overlap) + " do not overlap.",
                ]
            lines.append("")
    return "\n".join(lines)
