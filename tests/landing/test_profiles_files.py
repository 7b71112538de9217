"""Reading files of other layouts: one declared format for a file, and a stop where a value says otherwise."""

from __future__ import annotations

import gzip
import io
from datetime import datetime
from decimal import Decimal

import openpyxl
import pytest

from orchestration.landing import FileRefused
from orchestration.profiles.formats import AmountFormat, DateFormat
from orchestration.profiles.grid import content
from orchestration.profiles.parse import parse_profile
from orchestration.profiles.read import Profiled, read_profiled

BASE = """profile: bank
describes: Receipts.
files: ["r*"]
reads: {{{reads}}}
formats: {{{formats}}}
{more}
tables:
  - table: payments
    columns:
      payment_id: {id}
      amount: {amount}
      received_on: Date
"""


def read(
    data: str | bytes,
    *,
    formats: str = "date: YYYY-MM-DD",
    reads: str = "",
    more: str = "",
    amount: str = "Amount",
    identity: str = "Ref",
    file: str = "r.csv",
) -> Profiled:
    text = BASE.format(formats=formats, reads=reads, more=more, amount=amount, id=identity)
    raw = data.encode() if isinstance(data, str) else data
    return read_profiled(parse_profile("bank.yaml", text), file, content(file, io.BytesIO(raw)), "x", {})


def refused(data: str | bytes, **settings: str) -> str:
    with pytest.raises(FileRefused) as refusal:
        read(data, **settings)
    assert refusal.value.what_to_do
    return str(refusal.value)


def column(profiled: Profiled, name: str) -> list[str | None]:
    return profiled.parts[0].read.frame[name].to_list()


def faults(profiled: Profiled) -> dict[int, str]:
    frame = profiled.parts[0].read.frame.drop_nulls("profile_fault")
    return dict(frame.select("row_number", "profile_fault").iter_rows())


def cells(*amounts: str, sep: str = ";") -> str:
    return sep.join(("Ref", "Date", "Amount")) + "\n" + "".join(
        f"R{n}{sep}2026-10-01{sep}{amount}\n" for n, amount in enumerate(amounts)
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ amounts (case IMP-07)


def test_a_declared_decimal_comma_reads_every_cell_of_the_feed_alike() -> None:
    """IMP-07."""
    given = ("1.355,90", "10,00", "1.000", "4.711,98 €", "5323,54")
    found = read(
        cells(*given),
        reads="separator: semicolon",
        formats="date: YYYY-MM-DD, decimal: comma, thousands: point, currency: ['€']",
    )
    assert column(found, "amount") == ["1355.90", "10.00", "1000.00", "4711.98", "5323.54"]
    assert found.parts[0].read.amount == Decimal("12401.42")


def test_a_declared_decimal_point_stops_at_three_digits_after_it() -> None:
    """IMP-07."""
    found = read(
        cells("1,000", "-110.7", "1.000"),
        reads="separator: semicolon",
        formats="date: YYYY-MM-DD, decimal: point, thousands: comma",
    )
    assert column(found, "amount") == ["1000.00", "-110.70", "1.000"]
    assert faults(found) == {4: "not_an_amount"}
    detail = column(found, "profile_detail")[2]
    assert detail is not None and "found '1.000' in the column Amount (3 digits after the decimal mark)" in detail


def test_a_declared_scale_of_three_reads_three_digits_that_are_whole_cents() -> None:
    scaled = AmountFormat(scale=3)
    assert scaled.read("1.000").value == "1.00"
    assert scaled.read("1.005").value is None


@pytest.mark.parametrize(
    ("formats", "values"),
    [
        ("decimal: point, thousands: comma", ("5.00", "1.355,90")),
        ("decimal: point", ("5.00", "10,00")),
        ("decimal: comma, thousands: point", ("5,00", "-110.7")),
        ("decimal: comma", ("5,00", "1,355.90")),
    ],
)
def test_a_value_that_proves_the_other_decimal_mark_refuses_the_file(formats: str, values: tuple[str, ...]) -> None:
    message = refused(cells(*values), reads="separator: semicolon", formats="date: YYYY-MM-DD, " + formats)
    assert message.startswith(f"r.csv, row 3, column Amount: found {values[1]} (decimal ")
    assert "as the profile bank declares" in message


@pytest.mark.parametrize(
    ("fmt", "text", "value"),
    [
        (AmountFormat(negatives=("parentheses",)), "(1500.00)", "-1500.00"),
        (AmountFormat(negatives=("parentheses",), currency=("$",)), "$(20)", "-20.00"),
        (AmountFormat(negatives=("parentheses", "minus"), currency=("$",)), "-$20.5", "-20.50"),
        (AmountFormat(negatives=("trailing minus",)), "20.00-", "-20.00"),
        (AmountFormat(negatives=("CR",)), "20.00 CR", "-20.00"),
        (AmountFormat(thousands="space", decimal="comma"), "1 234 567,8", "1234567.80"),
        (AmountFormat(thousands="apostrophe"), "1'234.50", "1234.50"),
        (AmountFormat(), ".5", "0.50"),
        (AmountFormat(), "+7", "7.00"),
        (AmountFormat(), "-0.00", "0.00"),
        (AmountFormat(), "007", "7.00"),
        (AmountFormat(), "(1500.00)", None),
        (AmountFormat(), "$5", None),
        (AmountFormat(thousands="comma"), "1,00,000.00", None),
        (AmountFormat(thousands="comma"), "1234,567.00", None),
        (AmountFormat(), "1e3", None),
        (AmountFormat(), "NaN", None),
        (AmountFormat(), "--5", None),
        (AmountFormat(), ".", None),
        (AmountFormat(), "٣", None),
    ],
)
def test_an_amount_is_read_by_the_declared_format_or_not_at_all(
    fmt: AmountFormat, text: str, value: str | None
) -> None:
    assert fmt.read(text).value == value


# -------------------------------------------------------------------------------------------- days (case IMP-08)


def test_a_declared_day_order_reads_every_row_of_the_file_alike() -> None:
    """IMP-08."""
    data = "Ref,Date,Amount\nA,12/05/2015,1.00\nB,18/05/2015,1.00\n"
    assert column(read(data, formats="date: DD/MM/YYYY"), "received_on") == ["2015-05-12", "2015-05-18"]


def test_a_month_18_refuses_the_file_and_not_its_row() -> None:
    """IMP-08."""
    data = "Ref,Date,Amount\nA,12/05/2015,1.00\nB,18/05/2015,1.00\n"
    message = refused(data, formats="date: MM/DD/YYYY")
    assert "row 3, column Date: found 18/05/2015 (a day in the order DD/MM/YYYY)" in message
    assert "expected a day as MM/DD/YYYY" in message


def test_a_day_that_cannot_be_read_holds_its_row_and_no_day_at_all_refuses_the_file() -> None:
    data = "Ref,Date,Amount\nA,12/05/2015,1.00\nB,soon,1.00\nC,31/02/2015,1.00\nD,01/01/0026,1.00\n"
    found = read(data, formats="date: DD/MM/YYYY")
    assert faults(found) == {3: "not_a_date", 4: "not_a_date", 5: "not_a_date"}
    assert "row 2, column Date: found 12/05/2015" in refused(data, formats="date: DD.MM.YYYY")


@pytest.mark.parametrize(
    ("fmt", "text", "value"),
    [
        (DateFormat("D.M.YYYY"), "1.2.2026", "2026-02-01"),
        (DateFormat("YYYYMMDD"), "20261005", "2026-10-05"),
        (DateFormat("YYYYMMDD"), "2026105", None),
        (DateFormat("MM/DD/YY"), "10/05/26", "2026-10-05"),
        (DateFormat("D Mon YYYY"), "5 Oct 2026", "2026-10-05"),
        (DateFormat("Month D, YYYY"), "October 5, 2026", "2026-10-05"),
        (DateFormat("MM/YYYY"), "02/2028", "2028-02-01"),
        (DateFormat("MM/YYYY", "last"), "02/2028", "2028-02-29"),
        (DateFormat("DD/MM/YYYY"), "12/05/2015 00:00", None),
    ],
)
def test_a_day_is_read_by_the_declared_format_or_not_at_all(fmt: DateFormat, text: str, value: str | None) -> None:
    assert fmt.read(text).value == value


# ---------------------------------------------------------------------------- debit and credit (case IMP-10)

BANK = "Ref,Date,debit,credit,balance\nA,27.05.2019,-,500.00,2000.00\nB,24.05.2019,500.00,-,-\n"
SIGNED = {"amount": "{plus: credit, minus: debit}", "formats": "date: DD.MM.YYYY, empty: ['-']"}


def test_a_dash_in_the_debit_or_credit_cell_means_empty_and_a_row_stays_one_row() -> None:
    """IMP-10."""
    found = read(BANK, **SIGNED)
    assert column(found, "amount") == ["500.00", "-500.00"]
    assert (found.parts[0].read.rows, faults(found)) == (2, {})


def test_both_cells_filled_or_neither_is_a_stop() -> None:
    found = read(BANK + "C,25.05.2019,1.00,2.00,-\nD,26.05.2019,-,-,-\n", **SIGNED)
    assert faults(found) == {4: "debit_and_credit", 5: "debit_and_credit"}
    details = column(found, "profile_detail")[2:]
    assert "found both, 2.00 and 1.00 in the columns credit and debit" in str(details[0])
    assert "found neither" in str(details[1])
    assert found.parts[0].read.amount == Decimal("0.00"), "what is not one amount is counted as a row, not as money"


# --------------------------------------------------------------------- encodings and title lines (case IMP-11)

FIVE = "Ref,Date,Amount\n" + "".join(f"R{n},2026-10-0{n},{n}.00\n" for n in range(1, 6))
TITLES = "Müller Immobilien\nReceipts\n\nfrom 1 October\nto 5 October\n"


@pytest.mark.parametrize(
    ("data", "reads"),
    [
        (FIVE.encode("utf-8-sig"), ""),
        (FIVE.encode(), ""),
        (FIVE.encode("utf-16"), ""),
        (b"\xff\xfe" + FIVE.encode("utf-16-le"), ""),
        (b"\xfe\xff" + FIVE.encode("utf-16-be"), ""),
        (FIVE.encode("utf-16-le"), "encodings: [utf-16-le]"),
        ((TITLES + FIVE).encode(), ""),
        ((TITLES + FIVE).encode("cp1252"), "encodings: [utf-8, cp1252]"),
        (gzip.compress(FIVE.encode("utf-16")), ""),
    ],
    ids=["a mark", "UTF-8", "UTF-16", "UTF-16 LE", "UTF-16 BE", "UTF-16 LE without mark", "title lines",
         "title lines in CP1252", "gzip"],
)  # fmt: skip
def test_five_rows_are_five_rows_in_every_encoding(data: bytes, reads: str) -> None:
    """IMP-11."""
    found = read(data, reads=reads, file="r.csv.gz" if data[:2] == b"\x1f\x8b" else "r.csv")
    assert (found.parts[0].read.rows, found.parts[0].read.amount) == (5, Decimal("15.00"))
    assert column(found, "payment_id") == ["R1", "R2", "R3", "R4", "R5"]


def test_row_numbers_are_those_of_the_file_and_title_lines_are_counted() -> None:
    found = read(TITLES + FIVE)
    assert column(found, "row_number") == [7, 8, 9, 10, 11]
    assert found.skipped_by_rule() == {"title lines": 4, "blank rows": 1}
    assert (found.rows, found.used) == (10, 5)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "an empty file"),
        (" \n\n", "an empty file"),
        (FIVE.encode("utf-16-le"), "another encoding"),
        ("Grüße\n".encode("cp1252") + FIVE.encode(), "another encoding"),
        (FIVE.encode("utf-32"), "damaged utf-16"),
        (FIVE.replace("Amount", "Sum"), "no row with the column amount (the nearest is row 1)"),
        (FIVE + 'R6,2026-10-06,"7.00\n', "quotation marks that do not pair"),
        (FIVE + "R6,2026-10-06\n", "row 7: found 2 fields"),
        (FIVE + "R6,2026-10-06,7.00,8.00\n", "row 7: found 4 fields"),
        (FIVE.replace("Amount", "Ref"), "no row with the column amount"),
        ("Ref,Date,Amount,amount\n", "the column twice"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(data: str | bytes, words: str) -> None:
    assert words in refused(data)


def test_rows_that_are_all_set_aside_are_an_error_and_not_an_empty_month() -> None:
    more = "skip:\n  - {rule: everything, when: {column: Ref, filled: 'yes'}}"
    message = refused(FIVE, more=more)
    assert "5 rows, every one set aside by a rule (everything)" in message


def test_a_header_without_rows_is_a_file_without_rows() -> None:
    assert read("Ref,Date,Amount\n").parts[0].read.rows == 0


def test_short_rows_may_be_declared_usual() -> None:
    data = "Ref,Date,Amount,Memo\nA,2026-10-01,5.00\n"
    assert "3 fields" in refused(data)
    assert column(read(data, reads="short_rows: fill"), "amount") == ["5.00"]


# ------------------------------------------------------------------------------------ where values come from


def test_values_are_captured_from_title_lines_file_names_and_section_rows() -> None:
    text = """profile: ledger
describes: Ledger.
files: ["*"]
captures:
  - {name: Property, from: title lines, matches: 'Property: (\\w+)'}
  - {name: Batch, from: file name, matches: '-([0-9]+)\\.'}
  - {name: Lease, from: section rows, matches: '^Lease (\\S+)$'}
reads: {short_rows: fill}
formats: {date: YYYY-MM-DD}
tables:
  - table: payments
    columns:
      payment_id: {text: "{Batch}/{Property}/{Ref}"}
      lease_id: Lease
      amount: Amount
      received_on: Date
"""
    data = (
        "Property: Oak\nRef,Date,Amount\nLease L1\nA,2026-10-01,5.00\nB,2026-10-02,6.00\nLease L2\nC,2026-10-02,7.00\n"
    )
    found = read_profiled(parse_profile("l.yaml", text), "x-77.csv", data.encode(), "x", {})
    assert found.parts[0].read.frame.select("payment_id", "lease_id", "row_number").rows() == [
        ("77/Oak/A", "L1", 4),
        ("77/Oak/B", "L1", 5),
        ("77/Oak/C", "L2", 7),
    ]
    assert found.skipped_by_rule() == {"title lines": 1, "section rows: lease": 2}
    with pytest.raises(FileRefused, match="no title lines that matches"):
        read_profiled(parse_profile("l.yaml", text), "x-77.csv", data[14:].encode(), "x", {})


def test_an_id_made_of_the_row_stays_the_same_and_tells_equal_rows_apart() -> None:
    data = "Ref,Date,Amount\nA,2026-10-01,5.00\nA,2026-10-01,5.00\nB,2026-10-01,5.00\n"
    identity = "{id_of: [Ref, Date, Amount], prefix: x-}"
    first = column(read(data, identity=identity), "payment_id")
    assert len(set(first)) == 3 and first[1] == f"{first[0]}-2" and str(first[0]).startswith("x-")
    assert first == column(read("Title\n" + data, identity=identity), "payment_id")


def workbook(*rows: tuple[object, ...], title: str = "Report1") -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Cover"
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_numbers_and_days_of_a_workbook_are_exact_and_in_no_local_format() -> None:
    data = workbook(
        ("Receipts",),
        (),
        ("Ref", "Date", "Amount"),
        (1001, datetime(2026, 10, 5), 1355.9),
        ("R2", "06.10.2026", "10,00"),
    )
    settings = {"reads": "sheet: Report1", "formats": "date: DD.MM.YYYY, decimal: comma", "file": "r.xlsx"}
    found = read(data, **settings)
    assert found.parts[0].read.frame.select("payment_id", "amount", "received_on", "row_number").rows() == [
        ("1001", "1355.90", "2026-10-05", 4),
        ("R2", "10.00", "2026-10-06", 5),
    ]
    assert "a sheet Report1" in refused(workbook(("Ref",), title="Other"), **settings)
    assert "2^53" in refused(workbook(("Ref", "Date", "Amount"), (1.5, datetime(2026, 10, 5), 1)), **settings)


def test_a_header_may_stand_on_two_rows_or_nowhere() -> None:
    two = "Payment,,Amount\nRef,Date,\nA,2026-10-01,5.00\n"
    assert column(read(two, more="header: {rows: '2'}", identity="Payment Ref"), "payment_id") == ["A"]
    assert column(read("A,2026-10-01,5.00\n", more="header: {names: [Ref, Date, Amount]}"), "row_number") == [1]


# ------------------------------------------------------------------------------------------------------- checks

RUNNING = "checks:\n  - {check: the balance runs, running: Balance, add: [Amount]}"
LEDGER = "Ref,Date,Amount,Balance\nA,2026-10-01,5.00,5.00\nB,2026-10-02,6.00,11.00\nC,2026-10-03,-1.00,10.00\n"


def test_a_running_balance_that_breaks_refuses_the_file_and_names_the_row() -> None:
    assert read(LEDGER, more=RUNNING).used == 3
    without = LEDGER.replace("B,2026-10-02,6.00,11.00\n", "")
    assert "row 3, column Balance: found the balance 10.00 after 5.00 and a movement of -1.00" in refused(
        without, more=RUNNING
    )


TOTAL = """skip:
  - {rule: total, when: {column: Ref, is: Total}}
checks:
  - {check: adds up, total: Amount, on_rows: total}"""


def test_a_total_row_must_be_there_and_be_the_sum_of_the_rows() -> None:
    data = LEDGER + "Total,,10.00,\n"
    assert read(data, more=TOTAL).skipped_by_rule() == {"total": 1}
    assert "Amount = 10.01 on the total row and 10.00 over the 3 rows above" in refused(
        data.replace("Total,,10.00", "Total,,10.01"), more=TOTAL
    )
    assert "no row under the rule 'total'" in refused(LEDGER, more=TOTAL)
