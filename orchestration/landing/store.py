"""The tables of `raw.duckdb`, made from the contract. Only the door writes them.

Per contract table: `landed_<table>` (every row as read) and `<table>` (the accepted rows, canonical text, append-only).
Beside them: batches, batch_days, skipped_rows, verdicts, batch_outcomes, quarantine, suspense_resolutions,
closed_balances.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Protocol

import duckdb

from orchestration.contract import Contract, Table, contract
from orchestration.errors import UsageError

#: What DuckDB may hold while it judges; beyond it, it works on disk, in a folder beside the raw file. A million charges
#: in one file pass with 500 MB in about the time that they take without a limit (31 against 29 CPU seconds); with less
#: than a table's widest block of rows and its indexes of keys, DuckDB ends the run in words.
_MEMORY = "1500MB"


class HomePaths(Protocol):
    """What the door needs of a home."""

    @property
    def files(self) -> Path: ...

    @property
    def raw(self) -> Path: ...


#: Columns that every accepted row has beside the contract's.
LINEAGE: tuple[tuple[str, str], ...] = (
    ("source_system", "VARCHAR NOT NULL"),
    ("recorded_at", "VARCHAR"),
    ("row_key", "VARCHAR NOT NULL"),
    ("version_no", "INTEGER NOT NULL"),
    ("batch_id", "VARCHAR NOT NULL"),
    ("file", "VARCHAR NOT NULL"),
    ("row_number", "BIGINT NOT NULL"),
    ("loaded_at", "TIMESTAMP NOT NULL"),
    ("accepted_at", "TIMESTAMP NOT NULL"),
)

#: What a profile found wrong with a row before it was judged: a reason's code, and the details.
PROFILE_FAULTS = ("profile_fault", "profile_detail")

_FIXED: dict[str, tuple[tuple[str, str], ...]] = {
    "batches": (
        ("batch_id", "VARCHAR NOT NULL"),
        ("source_system", "VARCHAR"),
        ("table_name", "VARCHAR"),
        ("file", "VARCHAR NOT NULL"),
        ("format", "VARCHAR"),
        ("rows_landed", "BIGINT NOT NULL"),
        ("amount_landed", "DECIMAL(18,2) NOT NULL"),
        ("loaded_at", "TIMESTAMP NOT NULL"),
        ("run_id", "VARCHAR NOT NULL"),
        ("unknown_columns", "VARCHAR"),
        ("status", "VARCHAR NOT NULL"),
        ("message", "VARCHAR"),
        ("file_hash", "VARCHAR"),
        ("folder", "VARCHAR"),
        ("named_period", "VARCHAR"),
        # Where a profile read the file: which one.
        ("profile", "VARCHAR"),
        ("profile_hash", "VARCHAR"),
    ),
    "skipped_rows": (
        ("batch_id", "VARCHAR NOT NULL"),
        ("file", "VARCHAR NOT NULL"),
        ("row_number", "BIGINT NOT NULL"),
        ("rule", "VARCHAR NOT NULL"),
        ("raw", "VARCHAR"),
    ),
    "batch_days": (
        ("batch_id", "VARCHAR NOT NULL"),
        ("source_system", "VARCHAR NOT NULL"),
        ("business_on", "DATE"),
        ("property_key", "VARCHAR"),
        ("entity_key", "VARCHAR"),
        ("rows", "BIGINT NOT NULL"),
        ("is_dated", "BOOLEAN NOT NULL"),
        ("is_placed", "BOOLEAN NOT NULL"),
    ),
    "verdicts": (
        ("batch_id", "VARCHAR NOT NULL"),
        ("row_number", "BIGINT NOT NULL"),
        ("table_name", "VARCHAR NOT NULL"),
        ("verdict", "VARCHAR NOT NULL"),
        ("reason", "VARCHAR"),
        ("detail", "VARCHAR"),
        ("amount", "DECIMAL(18,2)"),
        ("decided_at", "TIMESTAMP NOT NULL"),
        ("decided_by", "VARCHAR NOT NULL"),
    ),
    "batch_outcomes": (
        ("batch_id", "VARCHAR NOT NULL"),
        ("verdict", "VARCHAR NOT NULL"),
        ("rows", "BIGINT NOT NULL"),
        ("amount", "DECIMAL(18,2) NOT NULL"),
    ),
    "quarantine": (
        ("quarantine_id", "VARCHAR NOT NULL"),
        ("batch_id", "VARCHAR NOT NULL"),
        ("source_system", "VARCHAR"),
        ("file", "VARCHAR NOT NULL"),
        ("row_number", "BIGINT NOT NULL"),
        ("table_name", "VARCHAR NOT NULL"),
        ("reason", "VARCHAR NOT NULL"),
        ("detail", "VARCHAR"),
        ("raw", "VARCHAR"),
        ("amount", "DECIMAL(18,2)"),
        ("status", "VARCHAR NOT NULL"),
        ("resolved_by", "VARCHAR"),
        ("first_seen_at", "TIMESTAMP NOT NULL"),
        ("decided_at", "TIMESTAMP NOT NULL"),
        ("row_key", "VARCHAR"),
    ),
    "suspense_resolutions": (
        ("row_key", "VARCHAR NOT NULL"),
        ("payment_key", "VARCHAR NOT NULL"),
        ("lease_key", "VARCHAR NOT NULL"),
        ("lease_id", "VARCHAR NOT NULL"),
        ("resolved_at", "TIMESTAMP NOT NULL"),
    ),
    "closed_balances": (
        ("entity_key", "VARCHAR NOT NULL"),
        ("period", "VARCHAR NOT NULL"),
        ("property_key", "VARCHAR"),
        ("account", "VARCHAR NOT NULL"),
        ("book", "VARCHAR NOT NULL"),
        ("closing", "DECIMAL(18,2) NOT NULL"),
        ("build_no", "INTEGER NOT NULL"),
        ("recorded_at", "TIMESTAMP NOT NULL"),
    ),
}


#: What nearly every row has a value of its own of is kept as it is: finding out that such a column does not compress
#: took DuckDB four times as long as writing it.
_AS_IT_IS = " USING COMPRESSION 'uncompressed'"


def _kept(table: Table, column: str) -> str:
    """How a text column of a table is kept: the type, and for values that differ from row to row that they do."""
    own = table.key[0] if len(table.key) == 1 else None
    differs = (own, table.amount, own and table.column(own).key_name)
    return "VARCHAR" + (_AS_IT_IS if column in differs else "")


def landed_columns(table: Table) -> tuple[tuple[str, str], ...]:
    """Columns of `landed_<table>`: where the row came from, then every contract column as text."""
    own = ("batch_id", "file", "row_number", "source_system", "recorded_at")
    return (
        ("batch_id", "VARCHAR NOT NULL"),
        ("file", "VARCHAR NOT NULL"),
        ("row_number", "BIGINT NOT NULL"),
        ("source_system", "VARCHAR NOT NULL"),
        *((name, _kept(table, name)) for name in table.names if name not in own),
        ("recorded_at", "VARCHAR"),
        ("unknown_columns", "VARCHAR"),
        *((name, "VARCHAR") for name in PROFILE_FAULTS),
    )


def accepted_columns(table: Table) -> tuple[tuple[str, str], ...]:
    """Columns of `<table>`: the contract's as canonical text, the keys made here, lineage."""
    extra: list[tuple[str, str]] = []
    if any(c.reference is not None and c.reference.if_unknown == "suspend" for c in table.columns):
        extra.append(("claimed_lease_id", "VARCHAR"))
    if table.name == "period_closes":
        extra.append(("registered_at", "TIMESTAMP"))
    return (
        *((name, _kept(table, name)) for name in table.names),
        *((key, _kept(table, key)) for key in table.key_columns.values()),
        *extra,
        *((name, kind + (_AS_IT_IS if name == "row_key" else "")) for name, kind in LINEAGE),
    )


def _wanted(shipped: Contract) -> dict[str, tuple[tuple[str, str], ...]]:
    wanted = dict(_FIXED)
    for table in shipped:
        wanted[f"landed_{table.name}"] = landed_columns(table)
        wanted[table.name] = accepted_columns(table)
    return wanted


def door_memory() -> str:
    """What DuckDB may hold at the door, as `1500MB`: TIEOUT_DOOR_MEMORY, else the default. Raises UsageError."""
    given = os.environ.get("TIEOUT_DOOR_MEMORY", _MEMORY)
    if not re.fullmatch(r"[1-9][0-9]{0,5} ?[MG]i?B", given):
        raise UsageError(
            f"TIEOUT_DOOR_MEMORY is {given!r}; expected a size such as 500MB or 4GB.", "Correct it or take it out."
        )
    return given


def open_raw(home: HomePaths, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection to the home's raw.duckdb in UTC. Raises duckdb.IOException while another process writes it."""
    if not read_only:
        home.raw.parent.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(str(home.raw), read_only=read_only)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET memory_limit = '{door_memory()}'")
    return connection


def make_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Create what is missing: schema, tables, and columns that a newer contract added."""
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'landing'"
    ).fetchall():
        found.setdefault(table, set()).add(column)
    statements = ["CREATE SCHEMA IF NOT EXISTS landing"]
    for table, columns in _wanted(contract()).items():
        if table not in found:
            body = ", ".join(f'"{name}" {kind}' for name, kind in columns)
            statements.append(f'CREATE TABLE landing."{table}" ({body})')
            continue
        statements += [
            f'ALTER TABLE landing."{table}" ADD COLUMN "{name}" {kind.split()[0]}'
            for name, kind in columns
            if name not in found[table]
        ]
    connection.execute(";\n".join(statements))


def ensure_raw(home: HomePaths) -> None:
    """Make `raw.duckdb` with every table of the contract; to an existing file add what a newer contract needs."""
    home.files.mkdir(parents=True, exist_ok=True)
    connection = open_raw(home)
    try:
        connection.execute("BEGIN")
        make_tables(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()
