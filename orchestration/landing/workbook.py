"""Opening a workbook that may have been made to harm: what its archive may hold, and one sheet of it cell by cell.

An XLSX file is a zip archive of XML. It is looked at before it is parsed: how much it unpacks to, where its entries
would lie, whether its XML declares entities. Of the sheet every cell is accounted for: a row that stands twice, a cell
that belongs to another row, merged cells and formulas whose value was never worked out refuse the file, because a
reader that passes over them loses or invents a number.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from orchestration.landing import limits
from orchestration.landing.raw_table import EXPORT_AGAIN, FileRefused, shown

_NOT_LOADED = "Nothing of this file was loaded."
#: A document type, in which entities are declared, as it looks in the encodings that an XML parser takes.
_DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_NOT_CALCULATED = re.compile(rb"fullCalcOnLoad\s*=\s*[\"'](1|true)")
_WINDOW = 1024 * 1024


@dataclass
class Sheet:
    """A sheet: its rows by number, each with its values by place, and what to say about the rest of the workbook.

    `merged`: cells that are merged, as (last row, reference); only where the reader asked to see to them itself.
    """

    rows: list[tuple[int, dict[int, Any]]] = field(default_factory=list)
    note: str | None = None
    merged: list[tuple[int, str]] = field(default_factory=list)


def check_archive(file: str, stream: BinaryIO) -> None:
    """Raise FileRefused where the archive is a bomb, reaches outside itself, or declares entities in its XML."""
    with zipfile.ZipFile(stream) as archive:
        entries = archive.infolist()
        if len(entries) > limits.WORKBOOK_ENTRIES:
            raise FileRefused(
                file,
                f"a workbook of {len(entries):,} parts",
                f"at most {limits.WORKBOOK_ENTRIES:,} parts",
                "Export the table as a workbook of its own, or as CSV. " + _NOT_LOADED,
            )
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > limits.WHOLE_BYTES:
            raise FileRefused(
                file,
                f"a workbook that unpacks to {unpacked:,} bytes",
                f"at most {limits.WHOLE_BYTES:,} bytes unpacked",
                "Split the table, or export it as CSV. " + _NOT_LOADED,
            )
        seen: set[str] = set()
        for entry in entries:
            name = entry.filename
            if name.startswith(("/", "\\")) or ":" in name or ".." in re.split(r"[/\\]", name):
                raise FileRefused(
                    file,
                    f"a part named {shown(name)!r}, which lies outside the workbook",
                    "parts inside the workbook",
                    "No program exports such a workbook. Find out where it came from. " + _NOT_LOADED,
                )
            if name in seen:
                raise FileRefused(
                    file,
                    f"the part {shown(name)!r} twice",
                    "every part once",
                    "Save the workbook again: which of them holds the values cannot be told. " + _NOT_LOADED,
                )
            seen.add(name)
            if name.endswith((".xml", ".rels")):
                _check_xml(file, archive, entry)


def _check_xml(file: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    tail = b""
    with archive.open(entry) as part:
        while block := part.read(_WINDOW):
            window = tail + block
            if any(doctype in window for doctype in _DOCTYPES):
                raise FileRefused(
                    file,
                    f"a document type in the part {shown(entry.filename)!r}, which can declare entities",
                    "XML without a document type",
                    "No spreadsheet program writes one. Find out where the file came from. " + _NOT_LOADED,
                )
            tail = window[-32:]


def read_sheet(file: str, stream: BinaryIO, name: str = "", *, allows_merged: bool = False) -> Sheet:
    """The first visible sheet of the workbook, or the visible one of that name.

    Raises FileRefused for what would lose a value; merged cells are left to a reader that `allows_merged`.
    """
    import openpyxl
    from openpyxl.worksheet._reader import FORMULA_TAG, VALUE_TAG, WorkSheetParser

    uncalculated: list[str] = []
    formulas = 0

    class Parser(WorkSheetParser):
        """Reads values, and notes the formulas that have none."""

        def parse_cell(self, element: Any) -> dict[str, Any]:
            nonlocal formulas
            cell: dict[str, Any] = super().parse_cell(element)
            if element.find(FORMULA_TAG) is not None:
                formulas += 1
                # An empty text is a value (t="str"); anything else that is empty was not worked out.
                if not element.findtext(VALUE_TAG) and element.get("t") != "str":
                    uncalculated.append(f"{_letter(cell['column'])}{cell['row']}")
            return cell

    with warnings.catch_warnings():
        # A date beyond Excel's range reads as #VALUE!, which the judge holds with its reason.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if not visible:
            raise FileRefused(
                file, "no visible sheet", "a sheet with a header and rows", "Show the sheet and save the file again."
            )
        first = next((sheet for sheet in visible if sheet.title == name), None) if name else visible[0]
        if first is None:
            there = ", ".join(shown(sheet.title) for sheet in visible[:5])
            raise FileRefused(
                file, f"the visible sheets {there}", f"a sheet {name}", "Name the sheet that holds the rows."
            )
        with book._archive.open(first._worksheet_path) as source:
            parser = Parser(
                source,
                first._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            sheet = Sheet(list(_rows(file, parser)))
        merged = parser.merged_cells
        if merged is not None and merged.mergeCell and allows_merged:
            sheet.merged = [(one.max_row, str(one.ref)) for one in merged.mergeCell]
        elif merged is not None and merged.mergeCell:
            raise FileRefused(
                file,
                f"merged cells {shown(', '.join(str(one.ref) for one in merged.mergeCell[:3]))}",
                "every value in a cell of its own",
                "Unmerge them and fill in the values: which rows a merged value is meant for cannot be told. "
                + _NOT_LOADED,
            )
        if not uncalculated and formulas and _NOT_CALCULATED.search(book._archive.read("xl/workbook.xml")):
            uncalculated.append("the sheet")
        if uncalculated:
            raise FileRefused(
                file,
                f"formulas without a value that was worked out ({shown(', '.join(uncalculated[:3]))})",
                "values, or formulas that a spreadsheet program has calculated",
                "Open the file in a spreadsheet program, let it calculate, and save it. " + _NOT_LOADED,
            )
        others = [s.title for s in book.worksheets if s is not first]
        if others and not name:
            listed = ", ".join(shown(title) for title in others[:5]) + (", ..." if len(others) > 5 else "")
            sheet.note = f"Only the sheet {shown(first.title)} was read; not read: {listed}."
        book.close()
    return sheet


def _rows(file: str, parser: Any) -> Iterator[tuple[int, dict[int, Any]]]:
    """The rows that are not empty, every cell in its own row and once."""
    last = 0
    for number, cells in parser.parse():
        if number > limits.SHEET_ROWS:
            raise FileRefused(
                file, f"a row {number:,}", f"at most {limits.SHEET_ROWS:,} rows, as Excel has", EXPORT_AGAIN
            )
        values: dict[int, Any] = {}
        for cell in cells:
            if cell["row"] != number or cell["column"] in values:
                raise _damaged(
                    file, f"the cell {_letter(cell['column'])}{cell['row']} in another row, or twice", number
                )
            values[cell["column"]] = cell["value"]
        if number <= last:
            raise _damaged(file, f"the row {number} after the row {last}", number)
        last = number
        if any(value is not None and value != "" for value in values.values()):
            yield number, values


def _letter(column: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column))


def _damaged(file: str, found: str, row: int) -> FileRefused:
    return FileRefused(file, found, "every row and cell once, in order", EXPORT_AGAIN, row=row)
