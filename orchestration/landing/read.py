"""Reading one file into text columns, or refusing it whole with a message that says what to do.

Nothing is converted here: every value stays the text that the file holds, so that nothing is lost or guessed before it
is judged. What this module does decide is whether the file can be trusted as a table at all: its encoding, that every
row has as many fields as the header, that the required columns are there. It also counts rows and sums amounts with
Polars, independently of the SQL that judges them: the left side of "landed = loaded + duplicate + quarantined".

One reader per format stands behind `read_file`.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from orchestration.contract import Table
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable
from orchestration.landing.read_csv import read_csv
from orchestration.landing.read_jsonl import read_jsonl
from orchestration.landing.read_parquet import read_parquet
from orchestration.landing.read_xlsx import read_xlsx

#: An amount as the judge reads it, too: at most ten digits before the point, so that sums stay inside DECIMAL(18,2).
AMOUNT = r"^[+-]?([0-9]{1,10}(\.[0-9]{0,2})?|\.[0-9]{1,2})$"
_OWN_COLUMNS = ("source_system", "recorded_at")
_READERS: dict[str, Callable[[str, bytes, Table], RawTable]] = {
    "csv": read_csv,
    "parquet": read_parquet,
    "xlsx": read_xlsx,
    "jsonl": read_jsonl,
}


@dataclass(frozen=True)
class FileRead:
    """A file as text. `frame` has the columns of `landed_<table>` without batch_id and file."""

    frame: pl.DataFrame
    rows: int
    amount: Decimal
    unknown_columns: tuple[str, ...]
    format: str
    message: str | None = None


def format_of(name: str) -> str | None:
    """`csv`, `parquet`, `xlsx` or `jsonl` by the file's name, gzip or not; None for any other file."""
    bare = name.lower().removesuffix(".gz")
    for ending, kind in (
        (".csv", "csv"),
        (".parquet", "parquet"),
        (".pq", "parquet"),
        (".xlsx", "xlsx"),
        (".jsonl", "jsonl"),
        (".ndjson", "jsonl"),
    ):
        if bare.endswith(ending):
            return kind
    return None


def read_file(file: str, data: bytes, table: Table, source_system: str) -> FileRead:
    """Read the bytes of one landed file as rows of `table`.

    `file` is the name used in messages; `source_system` fills rows that name none. Raises FileRefused.
    """
    kind = format_of(file)
    if kind is None:
        raise FileRefused(
            file,
            "a file of an unknown kind",
            ".csv, .parquet, .xlsx or .jsonl, gzip or not",
            "Export it as CSV in UTF-8.",
        )
    if not data:
        raise FileRefused(file, "an empty file", "a header and rows", EXPORT_AGAIN)
    if file.lower().endswith(".gz"):
        data = _unpacked(file, data)
    raw = _READERS[kind](file, data, table)
    return _as_rows(file, raw, table, source_system, kind)


def _unpacked(file: str, data: bytes) -> bytes:
    try:
        unpacked = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise FileRefused(file, f"a damaged or truncated gzip ({error})", "a whole gzip file", EXPORT_AGAIN) from None
    if not unpacked:
        raise FileRefused(file, "an empty file inside the gzip", "a header and rows", EXPORT_AGAIN)
    return unpacked


def _as_rows(file: str, raw: RawTable, table: Table, source_system: str, kind: str) -> FileRead:
    frame = raw.columns
    aliases = {
        alias: name for alias, name in table.aliases.items() if alias in frame.columns and name not in frame.columns
    }
    frame = frame.rename(aliases)
    known = set(table.names) | set(_OWN_COLUMNS)
    missing = [name for name in table.required if name not in frame.columns]
    if missing:
        found = ", ".join(name for name in frame.columns[:12]) + (", ..." if frame.width > 12 else "")
        raise FileRefused(
            file,
            f"no column {', '.join(missing)} (the file has {found})",
            f"the required columns of {table.name}: {', '.join(table.required)}",
            "Add the column, or check that the file is named after the right table. Nothing of this file was loaded.",
            row=1,
            column=missing[0],
        )
    unknown = tuple(name for name in frame.columns if name not in known)
    text = {name: pl.col(name).cast(pl.String) for name in frame.columns}
    empty = pl.lit(None, dtype=pl.String)
    own_source = text.get("source_system", empty).str.strip_chars(BLANKS)
    own_source = pl.when(own_source == "").then(None).otherwise(own_source)
    rows = frame.select(
        raw.row_numbers,
        pl.coalesce(own_source, pl.lit(source_system)).alias("source_system"),
        *(text.get(name, empty).alias(name) for name in table.names),
        text.get("recorded_at", empty).alias("recorded_at"),
        (pl.struct(*unknown).struct.json_encode() if unknown else empty).alias("unknown_columns"),
    )
    amount = Decimal("0.00")
    if table.amount is not None and rows.height:
        value = pl.col(table.amount).str.strip_chars(BLANKS)
        readable = pl.when(value.str.contains(AMOUNT)).then(value)
        # Polars reads digits and one sign: a plus, or a point without digits before or after it, is written out first.
        plain = readable.str.strip_prefix("+").str.replace(r"^(-?)\.", "${1}0.").str.replace(r"\.$", "")
        total = rows.select(plain.cast(pl.Decimal(38, 2)).sum()).item()
        amount = Decimal(total or 0).quantize(Decimal("0.01"))
        if abs(amount) >= Decimal(10) ** 16:
            raise FileRefused(
                file, f"amounts that sum to {amount}", "a sum below 10^16", EXPORT_AGAIN, column=table.amount
            )
    message = None if rows.height else "The file has a header and no rows."
    return FileRead(rows, rows.height, amount, unknown, kind, message)


def table_of(name: str, tables: tuple[str, ...]) -> str | None:
    """The table a file is named after: `charges-2026-10.csv.gz` -> `charges`; None where there is none."""
    stem = name.lower().removesuffix(".gz").rsplit(".", 1)[0]
    fits = [table for table in tables if stem == table or (stem.startswith(table) and stem[len(table)] in "-_. (")]
    return max(fits, key=len, default=None)
