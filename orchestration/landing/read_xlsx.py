"""XLSX: the first sheet, its first row that is not empty as header.

A spreadsheet holds numbers as floats and dates as numbers with a format. Numbers are written as the shortest decimal
that is that number; a cell is a date only if its format says so. In an id column a number stands for its digits, so
only a whole number below 2^53 is taken: anything else has lost the id already.
"""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import ParseError

import polars as pl

from orchestration.contract import Column, Table
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names

#: Above this a float no longer tells neighbouring whole numbers apart.
_EXACT_WHOLE_NUMBERS = 2**53


def _rows(file: str, data: bytes) -> list[tuple[int, list[Any]]]:
    """Number and values of every row of the first sheet that is not empty."""
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()
        rows = [
            (number, list(values))
            for number, values in enumerate(sheet.iter_rows(values_only=True), start=1)
            if any(value is not None and value != "" for value in values)
        ]
        book.close()
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError, ParseError, OSError) as error:
        raise FileRefused(file, f"a damaged XLSX file ({error})", "a workbook with a sheet", EXPORT_AGAIN) from None
    return rows


def _number(value: float | int) -> str:
    """The shortest decimal that is this number, without an exponent."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_WHOLE_NUMBERS:
        return str(int(value))
    return format(Decimal(repr(value)), "f")


def _moment(value: datetime | date | time, column: Column | None) -> str:
    if isinstance(value, datetime):
        is_midnight = value.time() == time()
        if is_midnight and (column is None or column.type != "timestamp"):
            return value.date().isoformat()
        return value.isoformat(timespec="microseconds" if value.microsecond else "seconds")
    return value.isoformat()


def _text(file: str, value: Any, row: int, name: str, column: Column | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    is_id = column is not None and column.type == "id"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        whole = float(value).is_integer() and abs(value) < _EXACT_WHOLE_NUMBERS
        if is_id and not whole:
            raise FileRefused(
                file,
                f"the number {value!r} as an id",
                "text, or a whole number below 2^53",
                "Format the column as text in the source and export again: a spreadsheet has already rounded this id.",
                row=row,
                column=name,
            )
        return _number(value)
    if isinstance(value, datetime | date | time):
        if is_id:
            raise FileRefused(
                file,
                f"a date ({value}) as an id",
                "text or a whole number",
                "Format the column as text in the source and export again: the spreadsheet took the id for a date.",
                row=row,
                column=name,
            )
        return _moment(value, column)
    return str(value)


def read_xlsx(file: str, data: bytes, table: Table) -> RawTable:
    """Read the first sheet of a workbook. Row numbers are those of the sheet. Raises FileRefused."""
    rows = _rows(file, data)
    if not rows:
        raise FileRefused(file, "an empty sheet", "a header and rows", EXPORT_AGAIN)
    header_row, header = rows[0]
    names = [str(value).strip(BLANKS).lower() if value is not None else "" for value in header]
    while names and not names[-1]:
        names.pop()
    check_names(file, names)
    known = {column.name: column for column in table.columns}
    known |= {alias: known[name] for alias, name in table.aliases.items()}
    for row, values in rows[1:]:
        beyond = [place for place, value in enumerate(values) if place >= len(names) and value not in (None, "")]
        if beyond:
            raise FileRefused(
                file,
                f"a value in column {beyond[0] + 1}, which has no name",
                f"{len(names)} columns, as in the header (row {header_row})",
                "Name the column or remove the value. Nothing of this file was loaded.",
                row=row,
            )
    columns = {}
    for place, name in enumerate(names):
        label = name or f"(column {place + 1})"
        column = known.get(name)
        columns[label] = pl.Series(
            label,
            [
                _text(file, values[place] if place < len(values) else None, row, label, column)
                for row, values in rows[1:]
            ],
            dtype=pl.String,
        )
    return RawTable(pl.DataFrame(columns), pl.Series("row_number", [row for row, _ in rows[1:]], dtype=pl.Int64))
