"""The tables of `raw.duckdb`, made from the contract. Only the door writes them.

Per contract table: `landed_<table>` (every row as read) and `<table>` (the accepted rows, canonical text, append-only).
Beside them: batches, verdicts, batch_outcomes, quarantine, suspense_resolutions, closed_balances.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import duckdb

from orchestration.contract import Contract, Table, contract
from orchestration.resources.memory import memory_limit


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


def landed_columns(table: Table) -> tuple[tuple[str, str], ...]:
    """Columns of `landed_<table>`: where the row came from, then every contract column as text."""
    own = ("batch_id", "file", "row_number", "source_system", "recorded_at")
    return (
        ("batch_id", "VARCHAR NOT NULL"),
        ("file", "VARCHAR NOT NULL"),
        ("row_number", "BIGINT NOT NULL"),
        ("source_system", "VARCHAR NOT NULL"),
        *((name, "VARCHAR") for name in table.names if name not in own),
        ("recorded_at", "VARCHAR"),
        ("unknown_columns", "VARCHAR"),
    )


def accepted_columns(table: Table) -> tuple[tuple[str, str], ...]:
    """Columns of `<table>`: the contract's as canonical text, the keys made here, lineage."""
    extra: list[tuple[str, str]] = []
    if any(c.reference is not None and c.reference.if_unknown == "suspend" for c in table.columns):
        extra.append(("claimed_lease_id", "VARCHAR"))
    if table.name == "period_closes":
        extra.append(("registered_at", "TIMESTAMP"))
    return (
        *((name, "VARCHAR") for name in table.names),
        *((key, "VARCHAR") for key in table.key_columns.values()),
        *extra,
        *LINEAGE,
    )


def _wanted(shipped: Contract) -> dict[str, tuple[tuple[str, str], ...]]:
    wanted = dict(_FIXED)
    for table in shipped:
        wanted[f"landed_{table.name}"] = landed_columns(table)
        wanted[table.name] = accepted_columns(table)
    return wanted


def open_raw(home: HomePaths, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection to the home's raw.duckdb in UTC. Raises duckdb.IOException while another process writes it."""
    if not read_only:
        home.raw.parent.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(str(home.raw), read_only=read_only)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET memory_limit = '{memory_limit()}'")
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
            f'ALTER TABLE landing."{table}" ADD COLUMN "{name}" {kind.removesuffix(" NOT NULL")}'
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
