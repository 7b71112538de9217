"""CSV: UTF-8, commas, a header; every row with as many fields as the header, counted in bytes before it is parsed."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
import polars as pl

from orchestration.contract import Table
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names

_MEGABYTES_AT_A_TIME = 64 * 1024 * 1024


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
            "The file is damaged, often by a copy that broke off. " + EXPORT_AGAIN,
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


def read_csv(file: str, data: bytes, table: Table) -> RawTable:
    """Read CSV bytes. Raises FileRefused with the row and column of what is wrong."""
    data = _utf8(file, data)
    if not data.strip(BLANKS.encode()):
        raise FileRefused(file, "an empty file", "a header and rows", EXPORT_AGAIN)
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
    check_names(file, names)
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
        raise FileRefused(file, f"text that is not CSV ({error})", "CSV", EXPORT_AGAIN) from None
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
    return RawTable(frame, numbers)
