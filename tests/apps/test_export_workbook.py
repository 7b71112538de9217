"""The tie-out workbook: its totals are live, come out as the published figures in another program, and print well."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pypdfium2
import pytest

from apps.documents.books import workbook
from apps.documents.books.documents import documents_of
from apps.documents.books.export import export_books
from apps.documents.books.selection import Scope, read_books
from apps.reports.published import Published
from orchestration.home import Home
from tests.apps.made_books import books, document, line

pytestmark = pytest.mark.journey

# Two months over a year's end, all entities, two currencies: small enough for a recalculation in seconds.
SCOPE = Scope(from_period="2025-12", to_period="2026-01")
NAMES = ["Summary", "Trial balance", "Tie-outs", "Roll-forward", "Aging", "Journal"]


@pytest.fixture(scope="module")
def sample(sample_home: Home) -> Published:
    return Published(sample_home.path)


@pytest.fixture(scope="module")
def content(sample: Published) -> bytes:
    export = export_books(sample, "xlsx", SCOPE, detail=False)
    assert export.findings == []
    return export.files[0]


@pytest.fixture(scope="module")
def soffice() -> str:
    found = shutil.which("soffice") or shutil.which("libreoffice")
    if found:
        return found
    message = "LibreOffice is not installed: apt-get install libreoffice-calc-nogui"
    if os.environ.get("TIEOUT_ALL_TOOLS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def converted(soffice: str, content: bytes, to: str, folder: Path) -> Path:
    """The workbook as LibreOffice writes it out in another format, with a profile of its own."""
    file = folder / "books.xlsx"
    file.write_bytes(content)
    out = folder / "out"
    subprocess.run(
        [soffice, f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", to, "--outdir",
         str(out), str(file)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    return out / f"books.{to}"


def without_values(content: bytes) -> bytes:
    """The workbook with every formula's kept value taken out, so that a reader must work each one out."""
    target = io.BytesIO()
    removed = 0
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            if name.startswith("xl/worksheets/"):
                text, count = re.subn(rb"(</f>)<v>[^<]*</v>", rb"\1", text)
                removed += count
            new.writestr(name, text)
    assert removed > 500
    return target.getvalue()


@pytest.fixture(scope="module")
def recalculated(soffice: str, content: bytes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The workbook after LibreOffice has worked every formula out by itself."""
    file = converted(soffice, without_values(content), "xlsx", tmp_path_factory.mktemp("recalculated"))
    yield openpyxl.load_workbook(file, data_only=True)


def formulas(content: bytes) -> Iterator[tuple[str, str, str, Any]]:
    """Every formula of the workbook as (sheet, cell, formula, value kept with it)."""
    live, kept = (openpyxl.load_workbook(io.BytesIO(content), data_only=only) for only in (False, True))
    for sheet in live:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield sheet.title, cell.coordinate, str(cell.value), kept[sheet.title][cell.coordinate].value


def cents(value: Any) -> Decimal:
    """A spreadsheet's number as the cents it stands for."""
    return Decimal(str(value)).quantize(Decimal("0.01"))


def test_every_total_that_libreoffice_works_out_is_the_figure_that_the_workbook_was_given(
    content: bytes, recalculated: Any
) -> None:
    compared = 0
    for sheet, cell, formula, kept in formulas(content):
        found = recalculated[sheet][cell].value
        if isinstance(kept, str):
            assert found == kept, (sheet, cell, formula)
        else:
            assert cents(found) == cents(kept), (sheet, cell, formula)
        compared += 1
    assert compared > 500


def totals(recalculated: Any, sheet: str, currency: str) -> dict[str, Decimal]:
    """The total row of a currency by the headings below it."""
    rows = list(recalculated[sheet].iter_rows(min_row=1, max_row=6, values_only=True))
    head = next(row for row in rows if row[0] == "Currency")
    total = next(row for row in rows if row[0] == f"Total {currency}")
    return {label: cents(value) for label, value in zip(head, total, strict=True) if isinstance(value, int | float)}


def test_the_totals_that_libreoffice_works_out_are_those_of_the_published_tables(
    sample: Published, recalculated: Any
) -> None:
    def published(sql: str) -> dict[str, Any]:
        (row,) = sample.rows(
            f"with of as (select distinct entity_id, currency from properties) {sql} and of.currency = 'USD'"
        )
        return row

    books_of = published(
        "select sum(debits) as debits, sum(credits) as credits from trial_balance join of using (entity_id) "
        "where book = 'accrual' and period between '2025-12' and '2026-01'"
    )
    assert totals(recalculated, "Trial balance", "USD") == {
        "Debits": books_of["debits"], "Credits": books_of["credits"], "Unexplained": 0,
    }  # fmt: skip
    journal = totals(recalculated, "Journal", "USD")
    assert (journal["Debit"], journal["Credit"]) == (books_of["debits"], books_of["credits"])
    moved = published(
        "select sum(charges) as charges, sum(receipts) as receipts, sum(transfers) as transfers "
        "from receivable_roll_forward join of using (entity_id) where period between '2025-12' and '2026-01'"
    )
    rolled = totals(recalculated, "Roll-forward", "USD")
    assert (rolled["Charges"], rolled["Receipts"], rolled["Transfers"], rolled["Unexplained"]) == (
        moved["charges"], moved["receipts"], moved["transfers"], 0,
    )  # fmt: skip
    aged = published(
        "select sum(open_total) as open_total, sum(days_over_90) as over, sum(balance) as balance "
        "from aging_month_end join of using (entity_id) where basis = 'books' and as_of = '2026-01-31'"
    )
    aging = totals(recalculated, "Aging", "USD")
    assert (aging["Open"], aging["Over 90 days"], aging["Balance"]) == (
        aged["open_total"], aged["over"], aged["balance"],
    )  # fmt: skip
    assert totals(recalculated, "Tie-outs", "USD") == {"Difference": 0}


def test_the_first_sheet_compares_six_figures_a_currency_and_all_tie(recalculated: Any) -> None:
    rows = [row for row in recalculated["Summary"].iter_rows(values_only=True) if row[7] in ("ties", "DIFFERS")]
    assert len(rows) == 2 * 6 + 1 and {row[1] for row in rows} == {"USD", "CAD", None}
    assert all(row[7] == "ties" and cents(row[3]) == cents(row[5]) for row in rows)
    assert all(cents(row[3]) > 0 for row in rows if row[0].startswith(("Debits", "Open", "Waiting", "Receivables")))


def test_a_cent_changed_in_the_journal_shows_on_the_first_sheet(soffice: str, content: bytes, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(io.BytesIO(content))
    sheet = book["Journal"]
    head = next(row for row in sheet.iter_rows(max_row=6) if row[0].value == "Currency")
    debit = next(cell for cell in head if cell.value == "Debit")
    cell = next(c for (c,) in sheet.iter_rows(debit.row + 1, 100, debit.column, debit.column) if c.value)
    cell.value = float(cents(cell.value) + Decimal("0.01"))
    changed = io.BytesIO()
    book.save(changed)
    read = openpyxl.load_workbook(converted(soffice, changed.getvalue(), "xlsx", tmp_path), data_only=True)
    rows = [row for row in read["Summary"].iter_rows(values_only=True) if row[7] == "DIFFERS"]
    assert [(row[0], cents(row[6])) for row in rows] == [("Debits", Decimal("0.01"))]


def test_headings_stay_in_sight_repeat_in_print_and_a_sheet_is_one_landscape_page_wide(content: bytes) -> None:
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == NAMES
    for sheet in book:
        assert sheet.page_setup.orientation == "landscape"
        assert (sheet.page_setup.fitToWidth or 1, sheet.page_setup.fitToHeight) == (1, 0)  # a width left out is 1
        assert sheet.sheet_properties.pageSetUpPr.fitToPage and "Page &P of &N" in sheet.oddFooter.right.text
    for sheet in book.worksheets[1:]:
        (header,) = [row[0].row for row in sheet.iter_rows(max_row=6) if row[0].value == "Currency"]
        assert sheet.freeze_panes == f"A{header + 1}"
        assert sheet.print_title_rows == f"${header}:${header}"
        assert sheet.auto_filter.ref.startswith(f"A{header}:")


def test_it_prints_with_its_headings_on_every_page_and_says_which_build_it_is(
    sample: Published, soffice: str, content: bytes, tmp_path: Path
) -> None:
    pages = pypdfium2.PdfDocument(converted(soffice, content, "pdf", tmp_path))
    texts = [page.get_textpage().get_text_range() for page in pages]
    build = sample.rows("select build_no, as_of from build_info")[0]
    assert all(f"Build {build['build_no']} as of {build['as_of']}" in text for text in texts)
    assert all(page.get_width() > page.get_height() for page in pages)
    journal = [text for text in texts if "What happened" in text]
    assert len(journal) > 1 and all("Debit" in text and "Credit" in text for text in journal)
    assert "Prepared by" in texts[0] and "Reviewed by" in texts[0] and "###" not in "".join(texts)


def hostile() -> bytes:
    made = books()
    balances = [replace(each, property_id="=1+1", account_name="<b>&</b> @x") for each in made.balances[:1]]
    made = replace(made, balances=balances, incomplete=["charges.csv was refused whole."])
    entry = document(line("1200", "5.00", "+cmd"), line("4000", "-5.00", "Łódź 租金"), memo='=HYPERLINK("x")')
    return _workbook_of(made, [entry])


def _workbook_of(made: Any, documents: list[Any]) -> bytes:
    class Nothing:
        """A build whose other tables are empty."""

        def rows(self, sql: str, params: object = None) -> list[dict[str, Any]]:
            return []

    sheets = workbook.sheets_of(Nothing(), made, documents)  # type: ignore[arg-type]
    assert workbook.pre_flight(sheets, made) == []
    return workbook.write(made, sheets, datetime(2026, 11, 6, tzinfo=UTC))


def test_no_text_of_the_data_is_a_formula_or_markup_and_foreign_letters_survive() -> None:
    content = hostile()
    made_here = {formula for _, _, formula, _ in formulas(content)}
    assert all(formula.startswith(("=ROUND(", "=COUNTIF(", "=IF(", "=D", "=-ROUND(", "=0")) for formula in made_here)
    book = openpyxl.load_workbook(io.BytesIO(content))
    texts = {cell.value for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "s"}
    assert {"'=1+1", "'+cmd", '\'=HYPERLINK("x")', "<b>&</b> @x", "Łódź 租金"} <= texts
    assert "INCOMPLETE: charges.csv was refused whole." in texts
    assert "INCOMPLETE build 7" in book["Journal"].oddFooter.left.text


def test_amounts_and_days_that_no_spreadsheet_holds_are_refused() -> None:
    made = books()
    sheet = workbook.Sheet(
        "Journal", "", [workbook.money("debit", "Debit"), workbook.Column("on", "Date", "day")],
        [
            {"debit": Decimal("9999999999999.99"), "on": date(1900, 3, 1)},
            {"debit": Decimal("10000000000000.00"), "on": date(1900, 2, 28)},
        ],
    )  # fmt: skip
    assert [(f.line, f.field, f.found) for f in workbook.pre_flight([sheet], made)] == [
        ("2", "Debit", "10000000000000.00"),
        ("2", "Date", "1900-02-28"),
    ]


def test_detail_and_summary_fill_the_same_journal_total(sample: Published) -> None:
    made = read_books(sample.reader(), Scope(entity_id="lakeshore", from_period="2026-10", to_period="2026-10"))
    sums = set()
    for detail in (True, False):
        sheets = workbook.sheets_of(sample.reader(), made, documents_of(made, detail=detail))
        sums.add(sum(row["debit"] for row in sheets[-1].rows))
    assert len(sums) == 1 and sums.pop() > 0
