"""A file of another layout as a grid: its title lines, its header, its rows as text, every row's number kept.

Nothing is converted here. Text files may have any declared separator and encoding; of a workbook the declared sheet is
read. A cell that a workbook holds as a number or a date is marked, since its text is exact and in no local format.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, BinaryIO

import polars as pl

from orchestration.landing import limits
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused
from orchestration.landing.read import Unpacked
from orchestration.landing.read_xlsx import moment_text, number_text, open_sheet
from orchestration.profiles.declare import Profile, key_of

#: What a cell is: text, a number that may be an id, a number that may not (a fraction, or too large), a day.
TEXT, WHOLE, FRACTION, DAY = 0, 1, 2, 3
MARKS = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
_WHOLE_BELOW = 2**53


@dataclass(frozen=True)
class Row:
    """A row of the file: its number there, its cells as text, and what each cell is (None: all text)."""

    number: int
    cells: Sequence[str | None]
    kinds: Sequence[int] | None = None

    @property
    def is_blank(self) -> bool:
        return not any(cell and cell.strip(BLANKS) for cell in self.cells)

    def text(self) -> str:
        """The filled cells with blanks between them."""
        return " ".join(cell.strip(BLANKS) for cell in self.cells if cell and cell.strip(BLANKS))


@dataclass(frozen=True)
class Grid:
    """Rows below the header, under the header's names in comparable form.

    `titles`: the rows above the header; `names`: comparable name -> the name as it stands in the file; `kinds`: what
    each cell is, for a workbook; `fields`: cells per row; `beyond`: rows with a value where the header has no column.
    """

    format: str
    titles: tuple[Row, ...]
    names: dict[str, str]
    numbers: pl.Series
    cells: pl.DataFrame
    kinds: pl.DataFrame | None
    fields: pl.Series
    beyond: pl.Series
    blank_rows: tuple[int, ...]


def kind_of(name: str) -> str | None:
    """`xlsx` or `text` by the file's name, gzip or not; None for what profiles do not read."""
    bare = name.lower().removesuffix(".gz")
    if bare.endswith(".xlsx"):
        return "xlsx"
    return "text" if bare.endswith((".csv", ".tsv", ".txt", ".tab", ".asc")) else None


def read_grid(profile: Profile, file: str, data: bytes, needs: Sequence[str] | None = None) -> Grid:
    """The grid of a file (its bytes, unpacked) as its profile declares it. Raises FileRefused.

    `needs`: the header's columns, where it is not the profile's own file (a joined one).
    """
    kind = kind_of(file)
    if kind is None:
        raise FileRefused(
            file,
            "a file that no profile reads",
            "text with separators (.csv, .tsv, .txt) or .xlsx",
            "Export it as CSV. Parquet and JSON lines land under the contract's own names.",
        )
    merged: list[tuple[int, str]] = []
    if kind == "xlsx":
        rows, merged = workbook_rows(file, data, profile.sheet)
    else:
        text, _ = decoded(file, data, profile.encodings)
        rows = text_rows(file, text, profile.separator)
    if not any(not row.is_blank for row in rows):
        raise FileRefused(file, "an empty file", "a header and rows", EXPORT_AGAIN)
    grid = _below_header(profile, file, rows, needs, kind)
    _refuse_merged(file, grid, merged)
    return grid


def content(file: str, stream: BinaryIO) -> bytes:
    """All bytes of a file, unpacked where it is a gzip. Raises FileRefused beyond the limit of what profiles read."""
    opened = Unpacked(file, stream) if file.lower().endswith(".gz") else stream
    data = opened.read(limits.PROFILED_BYTES + 1)
    if len(data) > limits.PROFILED_BYTES:
        raise FileRefused(
            file,
            f"more than {limits.PROFILED_BYTES:,} bytes",
            f"at most {limits.PROFILED_BYTES:,} bytes in a file that is read through a profile",
            "Split the export, by months for example. Nothing of this file was loaded.",
        )
    return data


def _refuse_merged(file: str, grid: Grid, merged: list[tuple[int, str]]) -> None:
    """Refuse merged cells among the rows: which of them a merged value is meant for cannot be told. Titles may be."""
    among = [reference for last, reference in merged if grid.numbers.len() and last >= int(grid.numbers[0])]
    if among:
        raise FileRefused(
            file,
            f"merged cells {', '.join(among[:3])}",
            "every value in a cell of its own",
            "Unmerge them and fill in the values. Nothing of this file was loaded.",
        )


def decoded(file: str, data: bytes, encodings: Sequence[str]) -> tuple[str, str]:
    """The text of the bytes and the encoding it was read with: that of its mark, else the first declared that fits.

    Raises FileRefused where none of the declared encodings fits.
    """
    for encoding, mark in MARKS.items():
        if data.startswith(mark) and (encoding in encodings or encoding.rsplit("-", 1)[0] in encodings):
            text = data[len(mark) :].decode(encoding, "replace")
            if "\ufffd" in text or "\x00" in text:
                raise FileRefused(file, f"damaged {encoding} text", encoding, EXPORT_AGAIN)
            return text, encoding
    for encoding in encodings:
        if encoding == "utf-16":
            continue  # Without a mark its byte order would be a guess.
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text, encoding
    raise FileRefused(
        file,
        "text in another encoding",
        " or ".join(encodings),
        "Declare the encoding under `reads.encodings` in the profile (Windows programs often write cp1252), or save the"
        " file as UTF-8.",
    )


def text_rows(file: str, text: str, separator: str) -> list[Row]:
    """Every record of the text, blank ones too. Raises FileRefused for quotation marks that do not pair."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[Row] = []
    try:
        for number, cells in enumerate(reader, start=1):
            rows.append(Row(number, cells))
    except csv.Error as error:
        raise FileRefused(
            file,
            f"quotation marks that do not pair ({error})",
            "quotation marks in pairs, doubled inside a value",
            "Quote the value, or export the file again if it broke off. Nothing of this file was loaded.",
            row=len(rows) + 1,
        ) from None
    return rows


def workbook_rows(file: str, data: bytes, sheet: str) -> tuple[list[Row], list[tuple[int, str]]]:
    """The rows of a sheet that are not empty, and what is merged in it. Raises FileRefused."""
    opened = open_sheet(file, io.BytesIO(data), sheet, allows_merged=True)
    found = []
    for number, values in opened.rows:
        cells = [_cell(values.get(place)) for place in range(1, max(values) + 1)]
        texts, kinds = zip(*cells, strict=True)
        found.append(Row(number, texts, kinds))
    return found, opened.merged


def _cell(value: Any) -> tuple[str | None, int]:
    if value is None or isinstance(value, str):
        return value, TEXT
    if isinstance(value, bool):
        return ("true" if value else "false"), TEXT
    if isinstance(value, int | float):
        whole = float(value).is_integer() and abs(value) < _WHOLE_BELOW
        return number_text(value), WHOLE if whole else FRACTION
    if isinstance(value, datetime | date | time):
        return moment_text(value, None), DAY
    return str(value), TEXT


def _below_header(profile: Profile, file: str, rows: list[Row], needs: Sequence[str] | None, kind: str) -> Grid:
    at, height, given = _header(profile, file, rows, needs)
    names = _names(profile, file, given, rows[at].number if at >= 0 else 1)
    keys = list(names)
    width = len(keys)
    below = rows[at + height :] if at >= 0 else rows
    body = [row for row in below if not row.is_blank]
    titles = tuple(row for row in rows[: max(at, 0)] if not row.is_blank)
    filled = {row.number for row in (*titles, *rows[max(at, 0) : at + height], *body)}
    blank = tuple(number for number in range(1, rows[-1].number + 1) if number not in filled)
    padded = [[*row.cells[:width], *[None] * (width - len(row.cells))] for row in body]
    columns = list(zip(*padded, strict=True)) if padded else [()] * width
    cells = pl.DataFrame([pl.Series(key, column, dtype=pl.String) for key, column in zip(keys, columns, strict=True)])
    kinds = None
    if kind == "xlsx":
        marks = [[*(row.kinds or ())[:width], *[TEXT] * (width - len(row.cells))] for row in body]
        turned = list(zip(*marks, strict=True)) if marks else [()] * width
        kinds = pl.DataFrame([pl.Series(key, column, dtype=pl.Int8) for key, column in zip(keys, turned, strict=True)])
    beyond = [any(cell and cell.strip(BLANKS) for cell in row.cells[width:]) for row in body]
    return Grid(
        format=kind if kind == "xlsx" else "csv",
        titles=titles,
        names=names,
        numbers=pl.Series("row_number", [row.number for row in body], dtype=pl.Int64),
        cells=cells,
        kinds=kinds,
        fields=pl.Series("fields", [len(row.cells) for row in body], dtype=pl.Int64),
        beyond=pl.Series("beyond", beyond, dtype=pl.Boolean),
        blank_rows=blank,
    )


def _header(profile: Profile, file: str, rows: list[Row], needs: Sequence[str] | None) -> tuple[int, int, list[str]]:
    """Index of the header in `rows` (-1: the file has none), its height, its names as they stand there."""
    header = profile.header
    if needs is None and header.names:
        return -1, 0, list(header.names)
    wanted = list(needs if needs is not None else header.has)
    height = 1 if needs is not None else header.rows
    nearest: tuple[int, int, list[str]] = (-1, 0, wanted)
    for index, row in enumerate(rows[: header.within]):
        below = rows[index + 1].cells if height == 2 and index + 1 < len(rows) else ()
        given = []
        for place in range(max(len(row.cells), len(below))):
            parts = [cells[place] for cells in (row.cells, below) if place < len(cells) and cells[place]]
            given.append(" ".join(" ".join(part.strip(BLANKS).split()) for part in parts if part).strip())
        while given and not given[-1]:
            given.pop()
        found = {key_of(name) for name in given}
        missing = [name for name in wanted if name not in found]
        if not missing:
            return index, height, given
        if len(wanted) - len(missing) > nearest[1]:
            nearest = (index, len(wanted) - len(missing), missing)
    where = f" (the nearest is row {rows[nearest[0]].number})" if nearest[1] else ""
    raise FileRefused(
        file,
        f"no row with the column{'s' if len(nearest[2]) > 1 else ''} {', '.join(nearest[2])}{where}",
        f"a header with {', '.join(wanted)} in the first {header.within} rows, as the profile {profile.name} declares",
        "See whether the export's columns changed: `tieout profile FILE` proposes a profile for what is there. Nothing"
        " of this file was loaded.",
        column=nearest[2][0],
    )


def _names(profile: Profile, file: str, given: list[str], row: int) -> dict[str, str]:
    names: dict[str, str] = {}
    used = set(profile.own_columns())
    for place, name in enumerate(given, start=1):
        label = name or f"(column {place})"
        key = key_of(label)
        if key in names:
            if key in used:
                raise FileRefused(
                    file,
                    "the column twice",
                    "every column that the profile reads once",
                    "Remove or rename one of them: which one holds the value cannot be guessed.",
                    row=row,
                    column=label,
                )
            label = f"{label} (column {place})"
            key = key_of(label)
        names[key] = label
    return names
