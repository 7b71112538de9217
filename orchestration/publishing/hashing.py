"""The table hash: what "identical" means for a published table.

The hash of a table is the sha256 of its rows as canonical text. Left out are the columns that say which load or build
a row came from (`LINEAGE`), the rows that stand for a batch (`ROWS_OF_BATCHES`), and the tables that are nothing but
that (`UNHASHED`): the same facts loaded in one file or in fifty have the same hashes.

Canonical text: the remaining columns by name, a first line of their names, then one line per row. Values are joined
by tabs; null is `\\N`; backslash, tab, line feed and carriage return inside a text are escaped; decimals keep their
scale; days and instants are ISO. The rows stand in key order: the byte order of their text, which needs no list of
keys and gives every set of rows exactly one order.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

LINEAGE = frozenset(
    {
        "batch", "batch_id", "file", "row", "row_number", "loaded_at", "accepted_at", "registered_at",
        "build", "build_no", "built_at", "code_version",
    }
)  # fmt: skip
UNHASHED = frozenset(
    {"load_batches", "quarantine", "quarantine_summary", "batch_expectations", "incomplete_data", "skipped_rows"}
)
ROWS_OF_BATCHES = {"tie_outs": ("tie_out_no", "9")}  # landed = loaded + duplicate + quarantined has a row per batch


def table_hashes(connection: duckdb.DuckDBPyConnection, schema: str = "marts") -> dict[str, str]:
    """The hash of every table of `schema` but those of `UNHASHED`: table name -> 64 hex digits, by name."""
    tables = connection.execute(
        "select table_name from information_schema.tables where table_schema = ? order by table_name", [schema]
    ).fetchall()
    return {name: table_hash(connection, schema, name) for (name,) in tables if name not in UNHASHED}


def table_hash(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> str:
    """The sha256 of one table as canonical text. DuckDB sorts (and spills); Python sees the bytes once, in batches."""
    every = connection.execute(
        "select column_name, data_type from information_schema.columns "
        "where table_schema = ? and table_name = ? order by column_name",
        [schema, table],
    ).fetchall()
    columns = [(name, kind) for name, kind in every if name not in LINEAGE]
    number, of_batches = ROWS_OF_BATCHES.get(table, (None, None))
    kept = f"where {_q(number)} <> {of_batches}" if number in dict(every) else ""
    digest = hashlib.sha256(("\t".join(name for name, _ in columns) + "\n").encode())
    if not columns:
        return digest.hexdigest()
    line = " || chr(9) || ".join(_text(name, kind) for name, kind in columns)
    lines = f"select {line} as line from {_q(schema)}.{_q(table)} {kept}"
    rows = connection.sql(f"select line || chr(10) as line from ({lines}) order by line")
    for batch in rows.to_arrow_reader(65536):
        column = batch.column(0)
        if len(column):
            _update(digest, column)
    return digest.hexdigest()


def _text(name: str, kind: str) -> str:
    value = f"cast({_q(name)} as varchar)"
    if kind not in ("BIGINT", "INTEGER", "BOOLEAN", "DATE", "TIMESTAMP", "HUGEINT") and not kind.startswith("DECIMAL"):
        for found, written in (("'\\'", "'\\\\'"), ("chr(9)", "'\\t'"), ("chr(10)", "'\\n'"), ("chr(13)", "'\\r'")):
            value = f"replace({value}, {found}, {written})"
    return f"coalesce({value}, '\\N')"


def _update(digest: hashlib._Hash, column: object) -> None:
    """Feed an Arrow string array to the digest without making a Python string per row: its bytes lie in one buffer."""
    import numpy as np
    import pyarrow as pa

    assert isinstance(column, pa.StringArray | pa.LargeStringArray), type(column)
    width = np.int32 if isinstance(column, pa.StringArray) else np.int64
    offsets = np.frombuffer(column.buffers()[1], dtype=width)
    first, last = int(offsets[column.offset]), int(offsets[column.offset + len(column)])
    digest.update(memoryview(column.buffers()[2])[first:last])


def _q(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
