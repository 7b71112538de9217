"""The tie-out workbook: what finance signs at a month end, as XLSX.

Six sheets: the checks, the trial balance, the comparisons, the roll-forward of receivables, their aging, the journal.
Totals are formulas over the rows below them, one a currency, and carry the figure of the published build as their
value, so a reader sees the build's figure and a recalculation must come to the same. Text is written as text and
defused as well, because workbooks get saved as CSV. Rows of headings stay in sight and repeat on every printed page.

A spreadsheet computes in binary floating point, so totals are rounded to cents, and amounts that fifteen digits do not
hold are refused by the pre-flight.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name

from apps.documents import words
from apps.documents.books.documents import Document
from apps.documents.books.selection import ZERO, Balance, Books, query_text
from apps.documents.books.target import Finding
from apps.documents.formulas import defused
from apps.reports.published import Reader, Row

LARGEST = Decimal("9999999999999.99")  # fifteen digits: what a spreadsheet's number holds to the cent
ROWS = 1_048_576  # of a sheet, in XLSX
EARLIEST = date(1900, 3, 1)  # before it a spreadsheet's calendar is a day off, or has no day at all
LONGEST_TEXT = 32_767  # characters of a cell
FONT = "Arial"

Kind = Literal["text", "day", "money", "count"]


@dataclass(frozen=True)
class Column:
    """A column of a sheet. `formula`, with {name} for other columns of its row, makes its cells live."""

    key: str
    label: str
    kind: Kind = "text"
    width: float = 12
    is_totalled: bool = False
    formula: str = ""


@dataclass(frozen=True)
class Sheet:
    """A sheet: columns, and rows as dicts with the columns' keys. Every row has a `currency`, empty for counts."""

    name: str
    subtitle: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]

    def letter(self, key: str) -> str:
        """The letter of a column."""
        return xl_col_to_name([column.key for column in self.columns].index(key))


@dataclass(frozen=True)
class Check:
    """A comparison on the first sheet: two formulas, and the build's own figures for them."""

    title: str
    currency: str
    left_label: str
    left: tuple[str, Decimal]
    right_label: str
    right: tuple[str, Decimal]


CURRENCY = Column("currency", "Currency", width=9)
ENTITY = Column("entity_id", "Entity", width=13)
PROPERTY = Column("property_id", "Property", width=13)
PARTY = Column("ledger_party", "Party", width=12)
ACCOUNT = Column("account", "Account", width=10)
NAME = Column("account_name", "Name of account", width=30)


def money(key: str, label: str, *, is_totalled: bool = True, formula: str = "") -> Column:
    """A column of amounts."""
    return Column(key, label, "money", 15, is_totalled, formula)


def pre_flight(sheets: Sequence[Sheet], books: Books) -> list[Finding]:
    """What a spreadsheet would not hold: too many rows, amounts of more than fifteen digits, days before 1900."""
    findings = []
    for sheet in sheets:
        if len(sheet.rows) + 2 + len(_currencies(books)) + 1 > ROWS:
            findings.append(
                Finding(
                    "(file)", "", f"sheet {sheet.name}", f"{len(sheet.rows)} rows", f"{ROWS} rows of a sheet",
                    "Narrow the range with --from and --to or to one --entity, or export with --summary.",
                )
            )  # fmt: skip
        for number, row in enumerate(sheet.rows, start=1):
            for column in sheet.columns:
                value = row.get(column.key)
                if column.kind == "money" and value is not None and abs(value) > LARGEST:
                    findings.append(
                        Finding(
                            sheet.name, str(number), column.label, str(value), str(LARGEST),
                            "Take the journal in another format: no spreadsheet holds this amount to the cent.",
                        )
                    )  # fmt: skip
                if column.kind == "day" and value is not None and value < EARLIEST:
                    findings.append(
                        Finding(
                            sheet.name, str(number), column.label, value.isoformat(),
                            f"{EARLIEST.isoformat()} or later", "Correct the date in the source.",
                        )
                    )  # fmt: skip
    return findings


def sheets_of(reader: Reader, books: Books, documents: Sequence[Document]) -> list[Sheet]:
    """The sheets behind the first one, in their order."""
    scope = {"entity_id": books.scope.entity_id, "source_system": books.scope.source_system}
    periods = {"from_period": books.scope.from_period, "to_period": books.scope.to_period}
    days = {"from_on": books.from_on, "to_on": books.to_on}
    currencies = {(entity.source_system, entity.entity_id): entity.currency for entity in books.entities}

    def read(name: str, **params: Any) -> list[Row]:
        rows = reader.rows(query_text(name), {**scope, **params})
        return [{**row, "currency": currencies.get((row["source_system"], row["entity_id"]), "")} for row in rows]

    return [
        Sheet(
            "Trial balance",
            f"Book {books.scope.book}, by month, property and account; debits positive",
            [
                CURRENCY, ENTITY, PROPERTY, Column("period", "Month", width=9), ACCOUNT, NAME,
                Column("account_type", "Type", width=13), Column("role", "Role", width=20),
                money("opening", "Opening", is_totalled=False), money("debits", "Debits"), money("credits", "Credits"),
                money("closing", "Closing", is_totalled=False),
                money("check", "Unexplained", formula="{opening}+{debits}-{credits}-{closing}"),
            ],
            [_balance_row(balance) for balance in books.balances],
        ),
        Sheet(
            "Tie-outs",
            "Both sides of what must agree, on the last day of each month and on every day that differs",
            [
                CURRENCY, ENTITY, PROPERTY, PARTY, Column("as_of", "Day", "day", 11),
                Column("tie_out", "Comparison", width=38), Column("left_label", "Left", width=26),
                money("left_amount", "Left amount", is_totalled=False), Column("right_label", "Right", width=26),
                money("right_amount", "Right amount", is_totalled=False),
                money("difference", "Difference", formula="{left_amount}-{right_amount}"),
                Column("status", "Status", width=9), Column("subject", "Subject", width=26),
                Column("look_at", "Look at first", width=24),
            ],
            read("workbook_tie_outs", **days),
        ),
        Sheet(
            "Roll-forward",
            "Receivables by month, property, party and charge code; positive raises what is owed",
            [
                CURRENCY, ENTITY, PROPERTY, PARTY, Column("period", "Month", width=9),
                Column("charge_code", "Code", width=12), money("opening", "Opening", is_totalled=False),
                money("charges", "Charges"), money("credits", "Credits"), money("receipts", "Receipts"),
                money("returns", "Returns"), money("write_offs", "Write-offs"), money("transfers", "Transfers"),
                money("closing", "Closing", is_totalled=False),
                money(
                    "check", "Unexplained",
                    formula="{opening}+{charges}+{credits}+{receipts}+{returns}+{write_offs}+{transfers}-{closing}",
                ),
            ],
            [{**row, "check": ZERO} for row in read("workbook_roll_forward", **periods)],
        ),
        Sheet(
            "Aging",
            f"What accounts owe in the books on {books.to_on.isoformat()}, by age; waiting money stands apart",
            [
                CURRENCY, ENTITY, PROPERTY, Column("lease_id", "Lease", width=18), PARTY,
                Column("as_of", "Day", "day", 11),
                *(money(key, label) for key, label in words.BUCKETS.items()),
                money("open_total", "Open"), money("unapplied_credit", "Waiting money"), money("balance", "Balance"),
                money("check", "Unexplained", formula="{open_total}-{unapplied_credit}-{balance}"),
            ],
            [{**row, "check": ZERO} for row in read("workbook_aging", to_on=books.to_on)],
        ),
        Sheet(
            "Journal",
            f"Book {books.scope.book}, a row per line of a document",
            [
                CURRENCY, ENTITY, PROPERTY, Column("number", "Document", width=14), Column("on", "Date", "day", 11),
                ACCOUNT, NAME, money("debit", "Debit"), money("credit", "Credit"),
                Column("lease_id", "Lease", width=18),
                Column("memo", "What happened", width=48), Column("file", "File", width=24),
                Column("row_number", "Row", "count", 8),
            ],
            [_journal_row(document, line) for document in documents for line in document.lines],
        ),
    ]  # fmt: skip


def write(books: Books, sheets: Sequence[Sheet], made_at: datetime) -> bytes:
    """The bytes of the workbook, the same for the same build and scope. `made_at`: when the build was loaded."""
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True, "default_date_format": "yyyy-mm-dd"})
    book.set_properties(
        {"title": f"Tie-out of build {books.build_no}", "author": "Tieout", "company": "", "created": made_at}
    )
    formats = _formats(book)
    summary = book.add_worksheet("Summary")
    for sheet in sheets:
        _write_sheet(book, formats, books, sheet)
    _write_summary(summary, formats, books, sheets)
    book.close()
    return stream.getvalue()


def _balance_row(balance: Balance) -> dict[str, Any]:
    return {
        "currency": balance.entity.currency,
        "entity_id": balance.entity.entity_id,
        "property_id": balance.property_id,
        "period": balance.period,
        "account": balance.account,
        "account_name": balance.account_name,
        "account_type": balance.account_type,
        "role": balance.role,
        "opening": balance.opening,
        "debits": balance.debits,
        "credits": balance.credits,
        "closing": balance.closing,
        "check": ZERO,
    }


def _journal_row(document: Document, line: Any) -> dict[str, Any]:
    return {
        "currency": document.entity.currency,
        "entity_id": document.entity.entity_id,
        "property_id": document.property_id,
        "number": document.number,
        "on": document.on,
        "account": line.account,
        "account_name": line.account_name,
        "debit": line.debit,
        "credit": line.credit,
        "lease_id": line.lease_id,
        "memo": document.memo,
        "file": line.source.file if line.source else None,
        "row_number": line.source.row_number if line.source else None,
    }


def _currencies(books: Books) -> list[str]:
    return sorted({entity.currency for entity in books.entities})


def _formats(book: Any) -> dict[str, Any]:
    plain = {"font_name": FONT, "font_size": 9, "valign": "top", "align": "left"}
    amounts = {"num_format": '#,##0.00;[Red]-#,##0.00;"–"', "align": "right"}
    strong = {"bold": True, "bg_color": "#eef3f2"}
    makes = {
        "title": {"font_size": 14, "bold": True},
        "quiet": {"font_color": "#5b6764"},
        "bad": {"bold": True, "font_color": "#b00020"},
        "head": {
            "bold": True, "font_color": "#ffffff", "bg_color": "#1f5f5b", "text_wrap": True, "valign": "vcenter",
            "indent": 1,
        },
        "head_right": {
            "bold": True, "font_color": "#ffffff", "bg_color": "#1f5f5b", "text_wrap": True, "align": "right",
            "valign": "vcenter",
        },
        "text": {"indent": 1},
        "day": {"num_format": "yyyy-mm-dd", "align": "left", "indent": 1},
        "count": {"num_format": "0", "align": "right"},
        "money": amounts,
        "total": {**strong, "indent": 1},
        "total_money": {**strong, **amounts},
        "line": {"bottom": 1, "bottom_color": "#5b6764"},
        "label": {"bold": True, "indent": 1},
    }  # fmt: skip
    return {name: book.add_format({**plain, **extra}) for name, extra in makes.items()}


def _print(worksheet: Any, books: Books, header_row: int | None) -> None:
    worksheet.set_landscape()
    worksheet.set_paper(1)
    worksheet.fit_to_pages(1, 0)
    worksheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.7)
    state = "INCOMPLETE build" if books.incomplete else "Build"
    about = f"{state} {books.build_no} as of {books.as_of.isoformat()}"
    worksheet.set_footer(f"&L&8{about}&C&8&A&R&8Page &P of &N")
    if header_row is not None:
        worksheet.repeat_rows(header_row)


def _write_sheet(book: Any, formats: Mapping[str, Any], books: Books, sheet: Sheet) -> None:
    worksheet = book.add_worksheet(sheet.name)
    currencies = _currencies(books)
    header = _header_row(books)
    last = header + max(len(sheet.rows), 1)
    worksheet.write_string(0, 0, sheet.name, formats["title"])
    worksheet.write_string(1, 0, sheet.subtitle, formats["quiet"])
    for number, currency in enumerate(currencies):
        _write_total(worksheet, formats, sheet, 2 + number, currency, header + 1, last)
    for index, column in enumerate(sheet.columns):
        worksheet.set_column(index, index, column.width)
        is_right = column.kind in ("money", "count")
        worksheet.write_string(header, index, column.label, formats["head_right" if is_right else "head"])
    for number, row in enumerate(sheet.rows, start=header + 1):
        for index, column in enumerate(sheet.columns):
            _write_cell(worksheet, formats, sheet, column, row, number, index)
    worksheet.freeze_panes(header + 1, 0)
    worksheet.autofilter(header, 0, last, len(sheet.columns) - 1)
    _print(worksheet, books, header)


def _header_row(books: Books) -> int:
    """The row of the headings, counted from zero: title, subtitle, and a total for each currency stand above it."""
    return 2 + len(_currencies(books))


def _write_total(
    worksheet: Any, formats: Mapping[str, Any], sheet: Sheet, row: int, currency: str, first: int, last: int
) -> None:
    for index, column in enumerate(sheet.columns):
        if not column.is_totalled:
            worksheet.write_blank(row, index, None, formats["total"])
            continue
        formula = _sum(sheet, column.key, first, last, {"currency": currency}, within=False)
        value = _added(sheet, column.key, {"currency": currency})
        worksheet.write_formula(row, index, f"={formula}", formats["total_money"], _cached(value))
    worksheet.write_string(row, 0, f"Total {currency}", formats["total"])


def _write_cell(
    worksheet: Any,
    formats: Mapping[str, Any],
    sheet: Sheet,
    column: Column,
    row: Mapping[str, Any],
    at: int,
    index: int,
) -> None:
    value = row.get(column.key)
    if column.formula:
        cells = {each.key: f"{sheet.letter(each.key)}{at + 1}" for each in sheet.columns}
        worksheet.write_formula(
            at, index, f"=ROUND({column.formula.format(**cells)},2)", formats["money"], _cached(value or ZERO)
        )
    elif value is None:
        return
    elif column.kind in ("money", "count"):
        worksheet.write_number(at, index, value, formats[column.kind])
    elif column.kind == "day":
        worksheet.write_datetime(at, index, value, formats["day"])
    else:
        worksheet.write_string(at, index, defused(str(value))[:LONGEST_TEXT], formats["text"])


def _cached(value: Decimal) -> Decimal:
    """A value as a formula's cell keeps it: the decimal itself, by way of no float. (-0 is 0.)"""
    return value + 0


def _sum(sheet: Sheet, key: str, first: int, last: int, where: Mapping[str, str], *, within: bool = True) -> str:
    """A rounded SUMIFS over the rows of a sheet; `within`: from another sheet, so that its name stands in front."""
    place = f"'{sheet.name}'!" if within else ""

    def cells(column: str) -> str:
        letter = sheet.letter(column)
        return f"{place}${letter}${first + 1}:${letter}${last + 1}"

    tests = "".join(f',{cells(column)},"{value}"' for column, value in where.items())
    return f"ROUND(SUMIFS({cells(key)}{tests}),2)"


def _added(sheet: Sheet, key: str, where: Mapping[str, str]) -> Decimal:
    """The same sum of the published figures, in exact decimals. A test value that ends in `*` is a beginning."""
    return sum((row[key] or ZERO for row in sheet.rows if all(_holds(row, *test) for test in where.items())), ZERO)


def _holds(row: Mapping[str, Any], key: str, wanted: str) -> bool:
    found = str(row.get(key) or "")
    return found.startswith(wanted[:-1]) if wanted.endswith("*") else found == wanted


def _checks(books: Books, sheets: Sequence[Sheet]) -> list[Check]:
    named = {sheet.name: sheet for sheet in sheets}
    first = _header_row(books) + 1
    last_period = books.periods[-1]

    def side(sheet: str, key: str, **where: str) -> tuple[str, Decimal]:
        of = named[sheet]
        last = first - 1 + max(len(of.rows), 1)
        return _sum(of, key, first, last, where), _added(of, key, where)

    def negative(of: tuple[str, Decimal]) -> tuple[str, Decimal]:
        return f"-{of[0]}", -of[1]

    checks = []
    for currency in _currencies(books):
        of = {"currency": currency}
        end = {**of, "period": last_period}
        receivable = side("Trial balance", "closing", **end, role="receivable*")
        checks += [
            Check("Debits", currency, "Journal", side("Journal", "debit", **of), "Trial balance",
                  side("Trial balance", "debits", **of)),
            Check("Credits", currency, "Journal", side("Journal", "credit", **of), "Trial balance",
                  side("Trial balance", "credits", **of)),
            Check(f"All accounts at the end of {last_period}", currency, "Trial balance",
                  side("Trial balance", "closing", **end), "Zero", ("0", ZERO)),
        ]  # fmt: skip
        if books.scope.book != "cash":  # the cash book keeps no receivables
            checks += [
                Check(f"Receivables at the end of {last_period}", currency, "Roll-forward",
                      side("Roll-forward", "closing", **end), "Receivable accounts", receivable),
                Check(f"Open charges on {books.to_on.isoformat()}", currency, "Aging",
                      side("Aging", "open_total", **of), "Receivable accounts", receivable),
                Check(f"Waiting money on {books.to_on.isoformat()}", currency, "Aging",
                      side("Aging", "unapplied_credit", **of), "Prepaid accounts",
                      negative(side("Trial balance", "closing", **end, role="prepaid"))),
            ]  # fmt: skip
    return checks


def _write_summary(worksheet: Any, formats: Mapping[str, Any], books: Books, sheets: Sequence[Sheet]) -> None:
    for index, width in enumerate((34, 10, 24, 18, 24, 18, 15, 11)):
        worksheet.set_column(index, index, width)
    worksheet.write_string(0, 0, "Tie-out of the books", formats["title"])
    row = 2
    for label, value in books.facts():
        is_bad = label == "Build is" and bool(books.incomplete)
        worksheet.write_string(row, 0, label, formats["label"])
        worksheet.write_string(row, 1, defused(value)[:LONGEST_TEXT], formats["bad" if is_bad else "text"])
        row += 1
    row += 1
    heads = ("What must agree", "Currency", "Left", "Left amount", "Right", "Right amount", "Difference", "Status")
    for index, label in enumerate(heads):
        worksheet.write_string(row, index, label, formats["head_right" if index in (3, 5, 6) else "head"])
    for check in _checks(books, sheets):
        row += 1
        difference = check.left[1] - check.right[1]
        worksheet.write_string(row, 0, check.title, formats["text"])
        worksheet.write_string(row, 1, check.currency, formats["text"])
        worksheet.write_string(row, 2, check.left_label, formats["text"])
        worksheet.write_formula(row, 3, f"={check.left[0]}", formats["money"], _cached(check.left[1]))
        worksheet.write_string(row, 4, check.right_label, formats["text"])
        worksheet.write_formula(row, 5, f"={check.right[0]}", formats["money"], _cached(check.right[1]))
        worksheet.write_formula(row, 6, f"=ROUND(D{row + 1}-F{row + 1},2)", formats["total_money"], _cached(difference))
        status = "ties" if difference == 0 else "DIFFERS"
        worksheet.write_formula(row, 7, f'=IF(G{row + 1}=0,"ties","DIFFERS")', formats["total"], status)
    row += 1
    _write_comparisons(worksheet, formats, books, sheets[1], row)
    row += 3
    for label in ("Prepared by", "Reviewed by"):
        worksheet.write_string(row, 0, label, formats["label"])
        for index in range(1, 4):
            worksheet.write_blank(row, index, None, formats["line"])
        worksheet.write_string(row, 4, "Date", formats["label"])
        worksheet.write_blank(row, 5, None, formats["line"])
        row += 2
    _print(worksheet, books, None)


def _write_comparisons(worksheet: Any, formats: Mapping[str, Any], books: Books, tie_outs: Sheet, row: int) -> None:
    """How many comparisons of the tie-out sheet differ, counted there."""
    letter = tie_outs.letter("status")
    first = _header_row(books) + 2
    cells = f"'{tie_outs.name}'!${letter}${first}:${letter}${first - 1 + max(len(tie_outs.rows), 1)}"
    ties = sum(1 for each in tie_outs.rows if each["status"] == "ties")
    differ = len(tie_outs.rows) - ties
    worksheet.write_string(row, 0, "Comparisons that differ", formats["text"])
    worksheet.write_string(row, 2, "Compared", formats["text"])
    worksheet.write_formula(row, 3, f'=COUNTIF({cells},"?*")', formats["count"], len(tie_outs.rows))
    worksheet.write_string(row, 4, "Tie", formats["text"])
    worksheet.write_formula(row, 5, f'=COUNTIF({cells},"ties")', formats["count"], ties)
    worksheet.write_formula(row, 6, f"=D{row + 1}-F{row + 1}", formats["count"], differ)
    status = "ties" if differ == 0 else "DIFFERS"
    worksheet.write_formula(row, 7, f'=IF(G{row + 1}=0,"ties","DIFFERS")', formats["total"], status)
