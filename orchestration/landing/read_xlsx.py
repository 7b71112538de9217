"""XLSX: the first visible sheet, its first row that is not empty as header.

A spreadsheet holds numbers as floats and dates as numbers with a format. Numbers are written as the shortest decimal
that is that number; a cell is a date only if its format says so. In an id column a number stands for its digits, so
only a whole number below 2^53 is taken: anything else has lost the id already.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO

import polars as pl

from orchestration.contract import Column, Table
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names, shown, whole
from orchestration.landing.workbook import Sheet, check_archive, read_sheet

#: Above this a float no longer tells neighbouring whole numbers apart.
_EXACT_WHOLE_NUMBERS = 2**53


def open_sheet(file: str, stream: BinaryIO, name: str = "", *, allows_merged: bool = False) -> Sheet:
    """The first visible sheet, or the one of that name. Raises FileRefused, whatever the damage."""
    data = io.BytesIO(whole(file, stream))
    try:
        check_archive(file, data)
        return read_sheet(file, data, name, allows_merged=allows_merged)
    except FileRefused:
        raise
    except Exception as error:
        # openpyxl answers damage with whatever error it runs into; each means the same here: not a workbook.
        words = shown(" ".join(f"{type(error).__name__}: {error}".split()))
        raise FileRefused(file, f"a damaged XLSX file ({words})", "a workbook with a sheet", EXPORT_AGAIN) from error


def number_text(value: float | int) -> str:
    """The shortest decimal that is this number, without an exponent."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_WHOLE_NUMBERS:
        return str(int(value))
    return format(Decimal(repr(value)), "f")


def moment_text(value: datetime | date | time, column: Column | None) -> str:
    """ISO text; a moment at midnight is a day, unless the column wants a moment."""
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
        return number_text(value)
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
        return moment_text(value, column)
    return str(value)


def read_xlsx(file: str, stream: BinaryIO, table: Table) -> Iterator[RawTable]:
    """Read the first visible sheet of a workbook. Row numbers are those of the sheet. Raises FileRefused."""
    sheet = open_sheet(file, stream)
    if not sheet.rows:
        raise FileRefused(file, "an empty sheet", "a header and rows", EXPORT_AGAIN)
    header_row, header = sheet.rows[0]
    rows = sheet.rows[1:]
    width = max(place for place, value in header.items() if value not in (None, ""))
    names = [_name(header.get(place)) for place in range(1, width + 1)]
    check_names(file, names)
    known = {column.name: column for column in table.columns}
    known |= {alias: known[name] for alias, name in table.aliases.items()}
    for row, values in rows:
        beyond = [place for place, value in values.items() if place > width and value not in (None, "")]
        if beyond:
            raise FileRefused(
                file,
                f"a value in column {min(beyond)}, which has no name",
                f"{width} columns, as in the header (row {header_row})",
                "Name the column or remove the value. Nothing of this file was loaded.",
                row=row,
            )
    columns = {}
    for place, name in enumerate(names, start=1):
        label = name or f"(column {place})"
        column = known.get(name)
        columns[label] = pl.Series(
            label, [_text(file, values.get(place), row, shown(label), column) for row, values in rows], dtype=pl.String
        )
    numbers = pl.Series("row_number", [row for row, _ in rows], dtype=pl.Int64)
    yield RawTable(pl.DataFrame(columns), numbers, sheet.note)


def _name(value: Any) -> str:
    return "" if value is None else str(value).strip(BLANKS).lower()
