"""Reading one file into text columns, or refusing it whole with a message that says what to do.

Nothing is converted here: every value stays the text that the file holds, so that nothing is lost or guessed before it
is judged. What this module does decide is whether the file can be trusted as a table at all: its encoding, that every
row has as many fields as the header, that the required columns are there. It also counts rows and sums amounts with
Polars, independently of the SQL that judges them: the left side of "landed = loaded + duplicate + quarantined".

One reader per format stands behind `read_file`.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import BinaryIO, NoReturn

import polars as pl

from orchestration.contract import Table
from orchestration.landing import limits
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, shown
from orchestration.landing.read_csv import read_csv
from orchestration.landing.read_jsonl import read_jsonl
from orchestration.landing.read_parquet import read_parquet
from orchestration.landing.read_xlsx import read_xlsx

#: An amount as the judge reads it, too: at most ten digits before the point, so that sums stay inside DECIMAL(18,2).
AMOUNT = r"^[+-]?([0-9]{1,10}(\.[0-9]{0,2})?|\.[0-9]{1,2})$"
#: Amounts as nearly every file writes them: these Polars reads as they stand.
_PLAIN_AMOUNT = r"^-?[0-9]{1,10}(\.[0-9]{1,2})?$"
_OWN_COLUMNS = ("source_system", "recorded_at")
_READERS: dict[str, Callable[[str, BinaryIO, Table], Iterator[RawTable]]] = {
    "csv": read_csv,
    "parquet": read_parquet,
    "xlsx": read_xlsx,
    "jsonl": read_jsonl,
}


class FileRows:
    """A file being read: iterate to get its rows part by part, as text, in frames of row_number, source_system and
    those columns of `landed_<table>` that the file has. What it counts is complete after the last part."""

    def __init__(self, file: str, stream: BinaryIO, table: Table, source_system: str, kind: str | None = None) -> None:
        kind = kind or format_of(file)
        if kind is None:
            raise FileRefused(
                file,
                "a file of an unknown kind",
                ".csv, .parquet, .xlsx or .jsonl, gzip or not",
                "Export it as CSV in UTF-8.",
            )
        self.file = file
        self.table = table
        self.source_system = source_system
        self.format = kind
        self.rows = 0
        self.amount = Decimal("0.00")
        self.unknown_columns: tuple[str, ...] = ()
        self.message: str | None = None
        self._stream = stream

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The parts of the file, at least one. Raises FileRefused, also after parts were handed over."""
        stream = self._stream
        if not stream.read(1):
            raise FileRefused(self.file, "an empty file", "a header and rows", EXPORT_AGAIN)
        stream.seek(0)
        if self.file.lower().endswith(".gz"):
            stream = Unpacked(self.file, stream)
        for raw in _READERS[self.format](self.file, stream, self.table):
            part = self.take(raw)
            self.message = raw.note or self.message
            yield part
        if not self.rows:
            self.message = "The file has a header and no rows."

    def take(self, raw: RawTable) -> pl.DataFrame:
        """A part under the contract's names, its rows and amounts counted. Raises FileRefused."""
        part = self._as_rows(raw)
        self._count(part)
        return part

    def _as_rows(self, raw: RawTable) -> pl.DataFrame:
        frame, table = raw.columns, self.table
        aliases = {
            alias: name for alias, name in table.aliases.items() if alias in frame.columns and name not in frame.columns
        }
        frame = frame.rename(aliases)
        known = {*table.names, *_OWN_COLUMNS}
        missing = [name for name in table.required if name not in frame.columns]
        if missing:
            found = ", ".join(shown(name) for name in frame.columns[:12]) + (", ..." if frame.width > 12 else "")
            raise FileRefused(
                self.file,
                f"no column {', '.join(missing)} (the file has {found})",
                f"the required columns of {table.name}: {', '.join(table.required)}",
                "Add the column, or check that the file is named after the right table. Nothing of this file was"
                " loaded.",
                row=1,
                column=missing[0],
            )
        self._check_values(raw)
        unknown = tuple(name for name in frame.columns if name not in known)
        self.unknown_columns = tuple(dict.fromkeys((*self.unknown_columns, *unknown)))
        source = pl.lit(self.source_system)
        if "source_system" in frame.columns:
            own = pl.col("source_system").cast(pl.String).str.strip_chars(BLANKS)
            source = pl.when(own != "").then(own).otherwise(source)
        columns = [
            raw.row_numbers,
            source.alias("source_system"),
            *(pl.col(name).cast(pl.String) for name in (*table.names, "recorded_at") if name in frame.columns),
        ]
        if unknown:
            columns.append(pl.struct(*unknown).struct.json_encode().alias("unknown_columns"))
        return frame.select(columns)

    def _check_values(self, raw: RawTable) -> None:
        """Raise FileRefused for what a CSV file is checked for in bytes: a NUL, or a value longer than a row may be."""
        if self.format == "csv" or not raw.columns.height:
            return
        for name in raw.columns.columns:
            text = raw.columns[name].cast(pl.String)
            nul = text.str.contains("\x00", literal=True).arg_max()
            if nul is not None and "\x00" in (text[nul] or ""):
                self._refuse_value(raw, name, nul, "a NUL byte", "text")
            longest = text.str.len_bytes().arg_max()
            if longest is not None and len(text[longest].encode()) > limits.ROW_BYTES:
                size = f"a value of {len(text[longest].encode()):,} bytes"
                self._refuse_value(raw, name, longest, size, f"at most {limits.ROW_BYTES:,} bytes")

    def _refuse_value(self, raw: RawTable, name: str, at: int, found: str, expected: str) -> NoReturn:
        what = "Correct the value in the source and export the file again. Nothing of this file was loaded."
        row = int(raw.row_numbers[at])
        raise FileRefused(self.file, found, expected, what, row=row, column=shown(name))

    def _count(self, part: pl.DataFrame) -> None:
        """Count rows and sum amounts, independently of the SQL that judges them."""
        self.rows += part.height
        column = self.table.amount
        if column is None or column not in part.columns or not part.height:
            return
        value = part[column]
        is_plain = value.str.contains(_PLAIN_AMOUNT)
        others = value.filter(~is_plain).str.strip_chars(BLANKS)
        # Polars reads digits and one sign: a plus, or a point without digits before or after it, is written out first.
        readable = others.filter(others.str.contains(AMOUNT)).str.strip_prefix("+")
        written = readable.str.replace(r"^(-?)\.", "${1}0.").str.replace(r"\.$", "")
        for amounts in (value.filter(is_plain), written):
            total = amounts.cast(pl.Decimal(38, 2)).sum()
            self.amount += Decimal(total or 0).quantize(Decimal("0.01"))
        if abs(self.amount) >= Decimal(10) ** 16:
            raise FileRefused(
                self.file, f"amounts that sum to {self.amount}", "a sum below 10^16", EXPORT_AGAIN, column=column
            )


@dataclass(frozen=True)
class FileRead:
    """A file read whole: all its parts as one frame, and what was counted."""

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
    """Read the bytes of one landed file whole.

    `file` is the name used in messages; `source_system` fills rows that name none. Raises FileRefused.
    """
    rows = FileRows(file, io.BytesIO(data), table, source_system)
    frame = pl.concat(list(rows))
    return FileRead(frame, rows.rows, rows.amount, rows.unknown_columns, rows.format, rows.message)


def read_table(file: str, raw: RawTable, table: Table, source_system: str, kind: str) -> FileRead:
    """Columns that are in memory already as rows of `table`, checked and counted. Raises FileRefused."""
    rows = FileRows(file, io.BytesIO(), table, source_system, kind)
    frame = rows.take(raw)
    return FileRead(frame, rows.rows, rows.amount, rows.unknown_columns, kind, raw.note)


class Unpacked(io.RawIOBase):
    """A gzip file unpacked while it is read, up to a limit: a small file can hold more than any disk."""

    def __init__(self, file: str, stream: BinaryIO) -> None:
        self._file = file
        self._unpacked = gzip.GzipFile(fileobj=stream)
        self._bytes = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, fewer than asked for only at the end. Raises FileRefused for damage and beyond the limit."""
        allowed = limits.UNPACKED_BYTES - self._bytes
        try:
            data = self._unpacked.read(allowed + 1 if size < 0 else min(size, allowed + 1))
        except (OSError, EOFError, zlib.error) as error:
            found = f"a damaged or truncated gzip ({error})"
            raise FileRefused(self._file, found, "a whole gzip file", EXPORT_AGAIN) from None
        if not self._bytes and not data:
            raise FileRefused(self._file, "an empty file inside the gzip", "a header and rows", EXPORT_AGAIN)
        self._bytes += len(data)
        if len(data) > allowed:
            raise FileRefused(
                self._file,
                f"more than {limits.UNPACKED_BYTES:,} bytes inside the gzip",
                f"at most {limits.UNPACKED_BYTES:,} bytes unpacked",
                "Split the export. A small file that unpacks to so much is rarely meant. Nothing was loaded.",
            )
        return data


def table_of(name: str, tables: tuple[str, ...]) -> str | None:
    """The table a file is named after: `charges-2026-10.csv.gz` -> `charges`; None where there is none."""
    stem = name.lower().removesuffix(".gz").rsplit(".", 1)[0]
    fits = [table for table in tables if stem == table or (stem.startswith(table) and stem[len(table)] in "-_. (")]
    return max(fits, key=len, default=None)
