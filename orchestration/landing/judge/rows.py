"""A landed row read: canonical text beside what landed, its key, and the text by which two rows say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from orchestration.contract import Column, Table
from orchestration.landing.judge.canonical import canonical
from orchestration.landing.judge.expressions import (
    NONE,
    UNIT,
    landed_text,
    literal,
    name,
    raw_text,
    trimmed_text,
    written_out,
)
from orchestration.landing.store import PROFILE_FAULTS

RECORDED = Column(name="recorded_at", type="timestamp", description="When the books first knew it.")
#: Which row it is: its place in the table of landed rows and that of its batch, and what every reader of it needs.
WHERE_IT_LANDED = ("n", "batch_no", "row_number", "source_system", "landed_at", "is_new")


def key_expression(table: Table) -> str:
    """SQL for `row_key`: the source system and the key columns, escaped so that two keys never look alike."""

    def part(column: str) -> str:
        default = table.column(column).default
        value = f"coalesce({name(column)}, {literal(default or '')})"
        return f"CASE WHEN contains({value}, '|') THEN replace({value}, '|', '||') ELSE {value} END"

    own = " || '|' || ".join(part(column) for column in table.key)
    if table.key_else:
        other = " || '|' || ".join(part(column) for column in table.key_else)
        first = name(table.key[0])
        own = f"CASE WHEN {first} IS NOT NULL THEN {own} ELSE 'opening:' || {other} END"
    return f"source_system || ':' || {own}"


def content_expression(table: Table, columns: Iterable[str]) -> str:
    """SQL for a text that is equal exactly where the canonical content of the columns is."""

    def part(column: str) -> str:
        default = table.column(column).default
        value = name(column)
        if table.name == "payments" and column == "lease_id":
            value = f"coalesce({value}, claimed_lease_id)"
        return f"coalesce({value}, {literal(default) if default else NONE})"

    return "md5(" + f" || {UNIT} || ".join(part(column) for column in columns) + ")"


def read_rows(table: Table, pending: str) -> str:
    """A SELECT, as `read_rows` in brackets, of `pending` (landed rows, n, batch_no, landed_at, is_new): landed and
    canonical text, and the row's key. Only what is asked of it is worked out."""
    return _read(table, pending, "", written_out)


def _read(table: Table, pending: str, trimmed: str, written: Callable[[str], str]) -> str:
    columns = [*table.columns, RECORDED]
    landed = ", ".join(f"{name(c.name)} AS {landed_text(c.name)}" for c in columns)
    read = ", ".join(f"{written(canonical(c))} AS {name(c.name)}" for c in columns)
    claimed = ", CAST(NULL AS VARCHAR) AS claimed_lease_id" if table.name == "payments" else ""
    where = ", ".join((*WHERE_IT_LANDED, "batch_id", "file", *PROFILE_FAULTS))
    rows = f"(SELECT {where}, {landed} FROM {pending})"
    if trimmed:
        rows = f"(SELECT *, {trimmed} FROM {rows})"
    return f"(SELECT *, {key_expression(table)} AS row_key FROM (SELECT *, {read}{claimed} FROM {rows})) read_rows"


def read_faulty(table: Table, pending: str) -> str:
    """As `read_rows`, with trimmed values under names: few rows, many words."""
    raw = ", ".join(f"{trimmed_text(landed_text(c.name))} AS {raw_text(c.name)}" for c in (*table.columns, RECORDED))
    return _read(table, pending, raw, str)
