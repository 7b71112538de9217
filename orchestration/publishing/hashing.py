"""The table hash: what "identical" means for a published table.

The hash of a table is a sha256 over its rows as canonical text. Left out are the columns that say which load or build
a row came from (`LINEAGE`), the rows that stand for a batch (`ROWS_OF_BATCHES`), and the tables that are nothing but
that (`UNHASHED`): the same facts loaded in one file or in fifty have the same hashes.

Canonical text: the remaining columns by name, a first line of their names, then one line per row. Values are joined
by tabs; null is `\\N`; backslash, tab, line feed and carriage return inside a text are escaped; decimals keep their
scale; days and instants are ISO. A line ends with a line feed.

What is hashed, by the number that a manifest keeps as `table_hash`:

1. the text: the first line, then the lines of the rows in the byte order of their text;
2. the first line, then the sha256 of every row's line (32 bytes each), in byte order.

Both give every set of rows exactly one order, whatever order they lie in, and count a row that stands twice. The second
sorts 32 bytes a row where the first sorts the whole text. Nothing is written by 1 any more; builds that it was written
for are still checked by it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

#: By which of the two a build is hashed today; a manifest without the number is of the first.
TABLE_HASH = 2
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


def table_hashes(
    connection: duckdb.DuckDBPyConnection, schema: str = "marts", version: int = TABLE_HASH
) -> dict[str, str]:
    """The hash of every table of `schema` but those of `UNHASHED`: table name -> 64 hex digits, by name."""
    columns: dict[str, list[tuple[str, str]]] = {}
    for name, column, kind in connection.execute(
        "select table_name, column_name, data_type from information_schema.columns where table_schema = ?"
        " order by table_name, column_name",
        [schema],
    ).fetchall():
        columns.setdefault(name, []).append((column, kind))
    return {
        name: table_hash(connection, schema, name, every, version)
        for name, every in columns.items()
        if name not in UNHASHED
    }


def table_hash(
    connection: duckdb.DuckDBPyConnection,
    schema: str,
    table: str,
    every: list[tuple[str, str]],
    version: int = TABLE_HASH,
) -> str:
    """The hash of one table, 64 hex digits; `every` is its columns by name, each with its type.

    DuckDB sorts (and spills); Python sees the bytes once, in batches. Raises ValueError for a version that does not
    exist.
    """
    if version not in (1, TABLE_HASH):
        raise ValueError(f"there is no table hash {version}")
    columns = [(name, kind) for name, kind in every if name not in LINEAGE]
    number, of_batches = ROWS_OF_BATCHES.get(table, (None, None))
    kept = f"where {_q(number)} <> {of_batches}" if number in dict(every) else ""
    digest = hashlib.sha256(("\t".join(name for name, _ in columns) + "\n").encode())
    if not columns:
        return digest.hexdigest()
    line = "concat_ws(chr(9), " + ", ".join(_text(name, kind) for name, kind in columns) + ") || chr(10)"
    piece = line if version == 1 else f"unhex(sha256({line}))"
    rows = connection.sql(
        f"select piece from (select {piece} as piece from {_q(schema)}.{_q(table)} {kept}) order by piece"
    )
    for batch in rows.to_arrow_reader(65536):
        column = batch.column(0)
        if len(column):
            _update(digest, column)
    return digest.hexdigest()


def _text(name: str, kind: str) -> str:
    value = f"cast({_q(name)} as varchar)"
    if kind not in ("BIGINT", "INTEGER", "BOOLEAN", "DATE", "TIMESTAMP", "HUGEINT") and not kind.startswith("DECIMAL"):
        escapes = (("'\\'", "'\\\\'"), ("chr(9)", "'\\t'"), ("chr(10)", "'\\n'"), ("chr(13)", "'\\r'"))
        needed = " or ".join(f"contains({value}, {found})" for found, _ in escapes)
        escaped = value
        for found, written in escapes:
            escaped = f"replace({escaped}, {found}, {written})"
        value = f"case when {needed} then {escaped} else {value} end"  # hardly a text needs it, and looking is cheap
    return f"coalesce({value}, '\\N')"


def _update(digest: hashlib._Hash, column: object) -> None:
    """Feed an Arrow array of texts or bytes to the digest without an object per row: its bytes lie in one buffer."""
    import numpy as np
    import pyarrow as pa

    assert isinstance(column, pa.StringArray | pa.LargeStringArray | pa.BinaryArray | pa.LargeBinaryArray), type(column)
    width = np.int32 if isinstance(column, pa.StringArray | pa.BinaryArray) else np.int64
    offsets = np.frombuffer(column.buffers()[1], dtype=width)
    first, last = int(offsets[column.offset]), int(offsets[column.offset + len(column)])
    digest.update(memoryview(column.buffers()[2])[first:last])


def _q(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
