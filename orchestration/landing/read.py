"""Reading one file into text columns, or refusing it whole with a message that says what to do.

Nothing is converted here: every value stays the text that the file holds, so that nothing is lost or guessed before it
is judged. What this module does decide is whether the file can be trusted as a table at all: its encoding, that every
row has as many fields as the header, that the required columns are there. It also counts rows and sums amounts with
Polars, independently of the SQL that judges them: the left side of "landed = loaded + duplicate + quarantined".

One reader per format stands behind `read_file`; a format that is not read yet is refused with a clear message.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import polars as pl

from orchestration.contract import Table
from orchestration.errors import TieoutError

#: Characters stripped from both ends of a value, here and in the SQL that judges.
BLANKS = " \t\r\n\u00a0\ufeff"
#: An amount as the judge reads it, too: at most ten digits before the point, so that sums stay inside DECIMAL(18,2).
AMOUNT = r"^[+-]?([0-9]{1,10}(\.[0-9]{0,2})?|\.[0-9]{1,2})$"
_OWN_COLUMNS = ("source_system", "recorded_at")
_MEGABYTES_AT_A_TIME = 64 * 1024 * 1024


class FileRefused(TieoutError):
    """A file that is refused whole. Nothing of it is loaded."""

    def __init__(
        self,
        file: str,
        found: str,
        expected: str,
        what_to_do: str,
        *,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        place = file
        if row is not None:
            place += f", row {row}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: found {found}; expected {expected}.", what_to_do)
        self.file = file
        self.row = row
        self.column = column
        self.found = found
        self.expected = expected


@dataclass(frozen=True)
class FileRead:
    """A file as text. `frame` has the columns of `landed_<table>` without batch_id and file."""

    frame: pl.DataFrame
    rows: int
    amount: Decimal
    unknown_columns: tuple[str, ...]
    format: str
    message: str | None = None


@dataclass(frozen=True)
class _Raw:
    """What a format's reader hands over: text columns under the file's own names, and each row's number in the file."""

    columns: pl.DataFrame
    row_numbers: pl.Series


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
        raise FileRefused(file, "an empty file", "a header and rows", _EXPORT_AGAIN)
    if file.lower().endswith(".gz"):
        data = _unpacked(file, data)
    raw = _READERS[kind](file, data, table)
    return _as_rows(file, raw, table, source_system, kind)


_EXPORT_AGAIN = "Export the file again; the export seems to have broken off. Nothing of this file was loaded."


def _unpacked(file: str, data: bytes) -> bytes:
    try:
        unpacked = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise FileRefused(file, f"a damaged or truncated gzip ({error})", "a whole gzip file", _EXPORT_AGAIN) from None
    if not unpacked:
        raise FileRefused(file, "an empty file inside the gzip", "a header and rows", _EXPORT_AGAIN)
    return unpacked


# ---------------------------------------------------------------------------------------------------------------- CSV


def _row_and_column(data: bytes, at: int) -> tuple[int, str]:
    """Row (the header is 1) and column of a byte position, for a message about a file that cannot be parsed."""
    before = data[:at]
    row = before.count(b"\n") + 1
    line = before[before.rfind(b"\n") + 1 :]
    fields = len(next(csv.reader([line.decode("utf-8", "replace")]), [""])) if line else 1
    header = data[: data.find(b"\n")] if b"\n" in data else data
    names = next(csv.reader([header.decode("utf-8", "replace").strip("\ufeff\r\x00")]), [])
    return row, names[fields - 1] if row > 1 and 0 < fields <= len(names) else str(fields)


def _utf8(file: str, data: bytes) -> bytes:
    """The bytes without a byte order mark, known to be UTF-8 without NUL. Raises FileRefused."""
    save = "Save it as UTF-8 (in Excel: `CSV UTF-8`) and land it again."
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        raise FileRefused(file, "UTF-32 text", "UTF-8", save)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileRefused(file, "UTF-16 text", "UTF-8", save)
    data = data.removeprefix(b"\xef\xbb\xbf")
    nul = data.find(b"\x00")
    if nul >= 0:
        if data[:2000].count(b"\x00") > len(data[:2000]) // 4:
            raise FileRefused(file, "UTF-16 text without a byte order mark", "UTF-8", save)
        row, column = _row_and_column(data, nul)
        raise FileRefused(
            file,
            "a NUL byte",
            "text",
            "The file is damaged, often by a copy that broke off. " + _EXPORT_AGAIN,
            row=row,
            column=column,
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        row, column = _row_and_column(data, error.start)
        wrong = data[error.start : error.start + 1]
        guess = wrong.decode("cp1252", "replace")
        found = f"the byte {wrong.hex().upper()}, which is not UTF-8"
        if guess != "\ufffd":
            found += f" (in Windows-1252 it would be {guess!r})"
        raise FileRefused(file, found, "UTF-8", save, row=row, column=column) from None
    return data


@dataclass(frozen=True)
class _Structure:
    """How the bytes of a CSV file fall into rows: fields per row, and whether a row is blank."""

    fields: np.ndarray
    blank: np.ndarray
    open_quote_row: int | None


def _structure(data: bytes) -> _Structure:
    """Count fields of every row by the positions of commas, quotes and line ends outside quotes, block by block."""
    fields: list[np.ndarray] = []
    blanks: list[np.ndarray] = []
    quotes_before = 0
    commas_before = 0
    row_start = 0
    view = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(data), _MEGABYTES_AT_A_TIME):
        block = view[start : start + _MEGABYTES_AT_A_TIME]
        positions = np.flatnonzero((block == 44) | (block == 34) | (block == 10))
        kinds = block[positions]
        quotes = np.cumsum(kinds == 34) + quotes_before
        outside = quotes % 2 == 0
        commas = np.cumsum((kinds == 44) & outside) + commas_before
        ends = (kinds == 10) & outside
        end_positions = positions[ends] + start
        if len(end_positions):
            at_end = commas[ends]
            fields.append(np.diff(at_end, prepend=0) + 1)
            starts = np.concatenate(([row_start], end_positions[:-1] + 1))
            length = end_positions - starts
            only_return = (length == 1) & (view[starts] == 13)
            blanks.append((length == 0) | only_return)
            row_start = int(end_positions[-1]) + 1
            commas_before = int(commas[-1] - at_end[-1])
        elif len(positions):
            commas_before = int(commas[-1])
        if len(positions):
            quotes_before = int(quotes[-1])
    open_quote_row = sum(len(block) for block in fields) + 1 if quotes_before % 2 else None
    if row_start < len(data) and open_quote_row is None:
        fields.append(np.array([commas_before + 1]))
        blanks.append(np.array([not data[row_start:].strip(b"\r")]))
    joined = np.concatenate(fields) if fields else np.array([], dtype=np.int64)
    return _Structure(joined, np.concatenate(blanks) if blanks else np.array([], dtype=bool), open_quote_row)


def _header(file: str, data: bytes) -> list[str]:
    first = next(csv.reader(io.StringIO(data[:1_000_000].decode("utf-8", "ignore"))), [])
    names = [name.strip(BLANKS).lower() for name in first]
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        separator = "semicolons" if ";" in names[0] else "tabs"
        raise FileRefused(
            file,
            f"columns separated by {separator}",
            "columns separated by commas",
            "Export it as CSV with commas; where commas are decimal signs, amounts need a point as well.",
            row=1,
        )
    return names


def _read_csv(file: str, data: bytes, table: Table) -> _Raw:
    data = _utf8(file, data)
    if not data.strip(BLANKS.encode()):
        raise FileRefused(file, "an empty file", "a header and rows", _EXPORT_AGAIN)
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    skipped = len(data) - len(data.lstrip(b"\r\n"))
    lead = data[:skipped].count(b"\n")
    data = data[skipped:]
    structure = _structure(data)
    if structure.open_quote_row is not None:
        raise FileRefused(
            file,
            "a quotation mark that is never closed",
            "quotation marks in pairs, doubled inside a value",
            "Quote the value, or export the file again if it broke off. Nothing of this file was loaded.",
            row=structure.open_quote_row + lead,
        )
    names = _header(file, data)
    _check_names(file, names)
    wrong = np.flatnonzero((structure.fields != len(names)) & ~structure.blank)
    if len(wrong):
        row = int(wrong[0])
        count = int(structure.fields[row])
        more = f" ({len(wrong)} such rows)" if len(wrong) > 1 else ""
        raise FileRefused(
            file,
            f"{count} fields{more}",
            f"{len(names)} fields, as in the header",
            "A comma inside a value must stand in quotation marks; a last row that is short means that the export broke"
            " off. Nothing of this file was loaded.",
            row=row + 1 + lead,
            column=names[min(count, len(names)) - 1],
        )
    try:
        frame = pl.read_csv(
            io.BytesIO(data), infer_schema=False, new_columns=[f"c{i}" for i in range(len(names))], low_memory=False
        )
    except pl.exceptions.PolarsError as error:
        raise FileRefused(file, f"text that is not CSV ({error})", "CSV", _EXPORT_AGAIN) from None
    blank = structure.blank[1:]
    numbers = pl.Series("row_number", np.arange(2, len(blank) + 2) + lead, dtype=pl.Int64)
    if blank.any():
        if frame.height == len(blank):
            frame = frame.filter(pl.Series(~blank))
        numbers = numbers.filter(pl.Series(~blank))
    if frame.height != len(numbers):
        raise FileRefused(
            file,
            f"{frame.height} rows by one count and {len(numbers)} by another",
            "one count",
            "Look for quotation marks inside values; they must be doubled. Nothing of this file was loaded.",
        )
    frame.columns = [name or f"(column {i + 1})" for i, name in enumerate(names)]
    return _Raw(frame, numbers)


# ------------------------------------------------------------------------------------------------------------ Parquet


def _read_parquet(file: str, data: bytes, table: Table) -> _Raw:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileRefused(file, f"a damaged Parquet file ({error})", "a whole Parquet file", _EXPORT_AGAIN) from None
    names = [name.strip(BLANKS).lower() for name in frame.columns]
    _check_names(file, names)
    frame.columns = names
    known = {column.name: column for column in table.columns}
    aliases = table.aliases
    text: list[pl.Expr] = []
    for name, kind in frame.schema.items():
        column = known.get(aliases.get(name, name))
        value = pl.col(name)
        if kind.is_float():
            if column is not None and column.type == "integer":
                whole = frame[name].drop_nulls()
                if not (whole == whole.round()).all():
                    raise FileRefused(file, "numbers with fractions", "whole numbers", _EXPORT_AGAIN, column=name)
                text.append(value.cast(pl.Int64).cast(pl.String))
                continue
            if column is not None:
                raise FileRefused(
                    file,
                    f"floating point numbers ({kind})",
                    "DECIMAL or text" if column.type in ("amount", "rate") else "text",
                    "Write the column as DECIMAL(18,2) or text: a float has already lost cents. Nothing was loaded.",
                    column=name,
                )
        if isinstance(kind, pl.Decimal):
            text.append(value.cast(pl.String).str.replace(r"(\.[0-9]{2}[0-9]*?)0+$", "$1"))
        elif kind == pl.Boolean:
            text.append(pl.when(value).then(pl.lit("true")).when(~value).then(pl.lit("false")).alias(name))
        elif kind == pl.Date:
            text.append(value.dt.strftime("%Y-%m-%d"))
        elif isinstance(kind, pl.Datetime):
            if column is not None and column.type == "date":
                midnight = value.dt.strftime("%H:%M:%S%.f") == pl.lit("00:00:00")
                day = value.dt.strftime("%Y-%m-%d")
                text.append(pl.when(midnight).then(day).otherwise(value.dt.strftime("%Y-%m-%dT%H:%M:%S")).alias(name))
            elif kind.time_zone:
                text.append(value.dt.convert_time_zone("UTC").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
            else:
                text.append(value.dt.strftime("%Y-%m-%dT%H:%M:%S%.6f"))
        elif kind in (pl.Binary, pl.Object) or isinstance(kind, pl.Duration | pl.Time):
            raise FileRefused(file, f"values of type {kind}", "text, numbers, dates", _EXPORT_AGAIN, column=name)
        elif isinstance(kind, pl.Struct):
            text.append(value.struct.json_encode())
        elif isinstance(kind, pl.List | pl.Array):
            joined = value.cast(pl.List(pl.String)).list.join(",")
            text.append(joined)
        else:
            text.append(value.cast(pl.String))
    return _Raw(frame.select(text), pl.Series("row_number", np.arange(1, frame.height + 1), dtype=pl.Int64))


def _later(kind: str) -> Callable[[str, bytes, Table], _Raw]:
    def refuse(file: str, data: bytes, table: Table) -> _Raw:
        raise FileRefused(
            file, f"a {kind} file, which is not read yet", ".csv or .parquet", "Export it as CSV in UTF-8."
        )

    return refuse


_READERS: dict[str, Callable[[str, bytes, Table], _Raw]] = {
    "csv": _read_csv,
    "parquet": _read_parquet,
    "xlsx": _later("XLSX"),
    "jsonl": _later("JSON lines"),
}


# --------------------------------------------------------------------------------------------- what all formats share


def _check_names(file: str, names: list[str]) -> None:
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name and name in seen:
            raise FileRefused(
                file,
                f"the column twice, as column {seen[name]} and {position}",
                "every column once",
                "Remove or rename one of them: which one holds the value cannot be guessed.",
                row=1,
                column=name,
            )
        seen[name] = position


def _as_rows(file: str, raw: _Raw, table: Table, source_system: str, kind: str) -> FileRead:
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
                file, f"amounts that sum to {amount}", "a sum below 10^16", _EXPORT_AGAIN, column=table.amount
            )
    message = None if rows.height else "The file has a header and no rows."
    return FileRead(rows, rows.height, amount, unknown, kind, message)


def table_of(name: str, tables: tuple[str, ...]) -> str | None:
    """The table a file is named after: `charges-2026-10.csv.gz` -> `charges`; None where there is none."""
    stem = name.lower().removesuffix(".gz").rsplit(".", 1)[0]
    fits = [table for table in tables if stem == table or (stem.startswith(table) and stem[len(table)] in "-_. (")]
    return max(fits, key=len, default=None)
