"""The quarantine as a workbook: sent to whoever must correct the rows, and taken back when it is filled in.

A sheet per landing table: what is wrong in words, then the contract's columns as they were landed. Every cell is text,
so that ids keep their zeros, amounts their cents, and nothing is run as a formula. What comes back is landed like any
other file, row by row with its own key, and judged again; a row that nobody touched is not landed and changes nothing.
"""

from __future__ import annotations

import csv
import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestration.contract import Table, contract
from orchestration.errors import UsageError
from orchestration.home import Home

if TYPE_CHECKING:
    from orchestration.quarantine import Waiting

#: What a cell of a workbook can hold at most; a longer text would be cut without a word.
CELL = 32_767
ID, WHY, WORDS = "quarantine_id", "why_it_waits", "found_expected_what_to_do"
HOW = "how to"
HELP = (
    "These rows were landed and wait in quarantine: they are in no figure yet.",
    "Each sheet is a landing table. Correct the cells from the fourth column on and leave the first three.",
    "Every cell is text: write amounts as 1234.50, days as 2026-10-31, true or false; an empty cell means nothing.",
    "Keep the id of a row: that is how the corrected row takes the place of the one that waits.",
    "A changed fact is different: put the row back as it was first accepted, or undo that by a reversal and give this"
    " row a new id.",
    "Rows that you do not touch stay as they are. Rows without a quarantine_id are refused.",
    "Give it back with: tieout quarantine return FILE --by NAME",
)


def sheet_columns(table: Table) -> list[str]:
    """The columns of a table's sheet that are landed again: the source system, the contract's, recorded_at."""
    return ["source_system", *table.names, "recorded_at"]


def write_workbook(waiting: Waiting, out: Path) -> int:
    """Write the open rows to an XLSX file, a sheet per table with a frozen header. Returns how many rows it holds.

    Raises UsageError for a place where no file can be written, and for a row with a text longer than a cell can hold.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    rows = [row for row in waiting.rows if row["status"] == "open"]
    book = xlsxwriter.Workbook(str(out), {"strings_to_formulas": False, "strings_to_urls": False})
    cell = book.add_format({"num_format": "@", "quote_prefix": True, "valign": "top"})
    words = book.add_format({"num_format": "@", "quote_prefix": True, "text_wrap": True, "valign": "top"})
    head = book.add_format({"bold": True, "bottom": 1, "num_format": "@"})
    how = book.add_worksheet(HOW)
    how.set_column(0, 0, 120)
    for number, line in enumerate(HELP):
        how.write_string(number, 0, line)
    for table in contract():
        mine = [row for row in rows if row["table_name"] == table.name]
        if not mine:
            continue
        sheet = book.add_worksheet(table.name)
        names = [ID, WHY, WORDS, *sheet_columns(table)]
        sheet.freeze_panes(1, 3)
        sheet.set_column(0, 1, 20, cell)
        sheet.set_column(2, 2, 70, words)
        sheet.set_column(3, len(names) - 1, 18, cell)
        for place, column in enumerate(names):
            sheet.write_string(0, place, column, head)
        for number, row in enumerate(mine, start=1):
            raw = json.loads(row["raw"])
            values = [row["quarantine_id"], row["reason"].replace("_", " "), row["detail"] or ""]
            values += [raw.get(column) or "" for column in sheet_columns(table)]
            for place, value in enumerate(values):
                if place == 2:
                    sheet.write_string(number, place, value[:CELL], words)
                elif len(value) > CELL:
                    raise UsageError(
                        f"{row['file']} row {row['row_number']}: {names[place]} holds {len(value)} characters; a"
                        f" cell of a workbook holds {CELL}.",
                        "Correct this row in its own file, or export to a CSV file.",
                    )
                else:
                    sheet.write_string(number, place, value, cell)
    try:
        book.close()
    except (OSError, FileCreateError) as error:
        raise UsageError(f"{out} cannot be written: {error}.", "Give another file with --out.") from None
    return len(rows)


@dataclass
class Returned:
    """What a filled-in workbook holds: corrected rows by table, and how many rows were left as they were."""

    corrected: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    untouched: int = 0
    settled: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(len(rows) for rows in self.corrected.values())


def read_workbook(path: Path, known: Mapping[str, Mapping[str, Any]]) -> Returned:
    """Read a filled-in workbook against the rows of the quarantine (`known`, by quarantine_id, settled ones too).

    Raises UsageError naming sheet, row and column for anything that is not a row of the workbook that was sent.
    """
    import zipfile

    import openpyxl

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as a workbook: {error}.", "Save it as .xlsx and try again.") from None
    returned = Returned()
    met: set[str] = set()
    for sheet in book.worksheets:
        if sheet.title == HOW:
            continue
        if sheet.title not in contract():
            raise UsageError(
                f"{path.name}: found a sheet {sheet.title!r}; expected one named after a landing table.",
                "Take the sheet out; rows go into the sheet of their own table.",
            )
        table = contract()[sheet.title]
        sheet.reset_dimensions()
        lines = [list(values) for values in sheet.iter_rows(values_only=True)]
        names = [str(value or "").strip() for value in lines[0]] if lines else []
        lacking = [name for name in (ID, *sheet_columns(table)) if name not in names]
        if lacking:
            raise UsageError(
                f"{path.name}, sheet {table.name}, row 1: found no column {', '.join(lacking)}.",
                "Keep the header as it was sent; an empty column means that nothing stands there.",
            )
        for number, values in enumerate(lines[1:], start=2):
            found = {
                name: _text(path, table, number, name, value)
                for name, value in zip(names, [*values, *[None] * len(names)], strict=False)
            }
            if any(found.values()):
                _take(path, table, number, found, known, met, returned)
    book.close()
    return returned


def _take(
    path: Path,
    table: Table,
    number: int,
    found: Mapping[str, str],
    known: Mapping[str, Mapping[str, Any]],
    met: set[str],
    returned: Returned,
) -> None:
    where = f"{path.name}, sheet {table.name}, row {number}"
    row = known.get(found[ID])
    if row is None or row["table_name"] != table.name:
        raise UsageError(
            f"{where}, column {ID}: found {found[ID] or 'nothing'!r}; expected the id of a row of this table.",
            "A new row is landed in a file of its own table, not here. Nothing of this workbook was loaded.",
        )
    if found[ID] in met:
        raise UsageError(f"{where}: the row {found[ID]} stands in the workbook twice.", "Keep one of the two.")
    met.add(found[ID])
    raw = json.loads(row["raw"])
    columns = sheet_columns(table)
    if all(_same(found[name], raw.get(name)) for name in columns):
        returned.untouched += 1
    elif row["status"] != "open":
        returned.settled.append(f"{where}: {row['status']} by {row['resolved_by']}")
    else:
        kept = {
            name: _plain(found[name]) if not _same(found[name], raw.get(name)) else raw.get(name) or ""
            for name in columns
        }
        returned.corrected.setdefault(table.name, []).append({ID: found[ID], **kept})


def _text(path: Path, table: Table, number: int, name: str, value: Any) -> str:
    """A cell as the door reads it: text as it is, a number or day that somebody typed over as the XLSX reader does."""
    from orchestration.landing.raw_table import FileRefused
    from orchestration.landing.read_xlsx import _text as cell_text

    column = table.column(name) if name in table.names else None
    try:
        return cell_text(f"{path.name}, sheet {table.name}", value, number, name, column) or ""
    except FileRefused as refused:
        raise UsageError(refused.message, refused.what_to_do) from None


def _plain(value: str) -> str:
    from openpyxl.utils.escape import unescape

    return unescape(value)


def _same(cell: str, landed: str | None) -> bool:
    """Whether a cell still says what was landed; a workbook writes characters that it cannot hold as `_x000D_`."""
    return (landed or "") in (cell, _plain(cell))


def give_back(home: Home, path: Path, by: str) -> str:
    """Land the corrected rows of a filled-in workbook and build. Returns what happened, in sentences.

    The rows land as one CSV file per table, with the id of the row that they correct and who corrected it beside them.
    Raises UsageError for a workbook that is not one that was sent, or where nothing in it was touched.
    """
    from orchestration import jobs
    from orchestration.quarantine import rows

    if not by.strip():
        raise UsageError("Rows are corrected by a named person.", "Give --by NAME.")
    if not path.is_file():
        raise UsageError(f"There is no file {path}.", "Give the workbook that `tieout quarantine export` wrote.")
    with home.locked("tieout quarantine return"):
        known = {row[ID]: row for row in rows(home, None, True).rows}
        returned = read_workbook(path, known)
        told = [f"{returned.untouched} rows were left as they were." if returned.untouched else ""]
        told += [f"Not taken, settled meanwhile: {line}." for line in returned.settled]
        if not returned.rows:
            raise UsageError(
                " ".join(["Nothing to land: no row that waits was changed.", *filter(None, told)]),
                "Correct the cells from the fourth column on, save, and give it back again.",
            )
        with tempfile.TemporaryDirectory() as folder:
            files = _write_files(Path(folder), path, returned, by)
            published = home.published()
            as_of = published.manifest.get("as_of_given", "") if published else ""
            build = jobs.run(home, Path(folder), as_of=as_of)
        still = [row for row in rows(home, None, False).rows if row["file"] in files]
        entered = returned.rows - len(still)
        told += [f"{entered} of {returned.rows} corrected rows are settled; {len(still)} wait again:" if still else ""]
        told += [f"  {row['file']} row {row['row_number']}: {row['reason']}: {row['detail']}" for row in still]
        open_now = {row[ID] for row in rows(home, None, False).rows}
        moved = [r[ID] for each in returned.corrected.values() for r in each if r[ID] in open_now]
        if moved and not still:
            told.append(
                f"Still open, because their key was changed: {', '.join(moved)}. Set them aside with"
                " `tieout quarantine resolve ID --by NAME --reason TEXT`."
            )
    tables = ", ".join(sorted(returned.corrected))
    head = f"Landed corrected rows: {returned.rows}, of {tables}. Build {build.number} shows it."
    return "\n".join([head, *filter(None, told)])


def _write_files(folder: Path, workbook: Path, returned: Returned, by: str) -> Sequence[str]:
    """One CSV per table, named so that two workbooks never share a name."""
    mark = hashlib.sha256(workbook.read_bytes()).hexdigest()[:12]
    names = []
    for table, rows in returned.corrected.items():
        names.append(f"{table}-corrected-{mark}.csv")
        columns = [*sheet_columns(contract()[table]), ID, "corrected_by"]
        with open(folder / names[-1], "w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, columns)
            writer.writeheader()
            writer.writerows([{**row, "corrected_by": by} for row in rows])
    return names
