"""A file that cannot be trusted as a table is refused whole, with its own message: file, row, column, what to do."""

from __future__ import annotations

import gzip
import io
import json
from datetime import date, datetime
from decimal import Decimal

import openpyxl
import polars as pl
import pytest

from orchestration.contract import contract
from orchestration.landing import FileRefused
from orchestration.landing.read import FileRead, read_file, table_of

HEADER = "charge_id,lease_id,charge_code,amount,posted_on,posted_by\n"
ROW = "C1,L1,RENT,1500.00,2026-10-01,Ann\n"


def read(data: str | bytes, file: str = "charges.csv") -> FileRead:
    raw = data.encode("utf-8") if isinstance(data, str) else data
    return read_file(file, raw, contract()["charges"], "default")


def refused(data: str | bytes, file: str = "charges.csv") -> str:
    with pytest.raises(FileRefused) as refusal:
        read(data, file)
    assert refusal.value.what_to_do, "every refusal says what to do"
    return str(refusal.value)


def parquet(**columns: pl.Series) -> bytes:
    base = {
        "charge_id": ["C1"],
        "lease_id": ["L1"],
        "charge_code": ["RENT"],
        "amount": ["5.00"],
        "posted_on": ["2026-10-01"],
    }
    stream = io.BytesIO()
    pl.DataFrame({**base, **columns}).write_parquet(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", ["empty file"]),
        ("  \n \n", ["empty file"]),
        ((HEADER + ROW).encode("utf-16"), ["UTF-16"]),
        ((HEADER + ROW).encode("utf-16-le"), ["UTF-16 text without a byte order mark"]),
        ((HEADER + ROW).encode("utf-32"), ["UTF-32"]),
        ((HEADER + ROW + "C2,L1,RENT,1.00,2026-10-01,José\n").encode("cp1252"), ["row 3", "column posted_by", "E9",
         "'é'", "UTF-8"]),
        (HEADER + ROW + "C2,L1,RENT,1.00,2026-10-01,A\x00n\n", ["row 3", "column posted_by", "NUL"]),
        (HEADER + ROW + "C2,L1,RENT\n", ["row 3", "column charge_code", "3 fields", "6 fields"]),
        (HEADER + "C1,L1,RENT,1500.00,2026-10-01,Smith, Ann\n" + ROW, ["row 2", "7 fields", "quotation marks"]),
        (HEADER + ROW + 'C2,L1,RENT,1.00,2026-10-01,"An\n', ["row 3", "never closed"]),
        ("charge_id,lease_id,amount,charge_code,posted_on,Amount\n", ["column amount", "column 3 and 6"]),
        ("charge_id;lease_id;charge_code;amount;posted_on\nC1;L1;RENT;1,00;2026-10-01\n", ["semicolons"]),
        ("charge_id\tlease_id\tcharge_code\tamount\tposted_on\n", ["tabs"]),
        ("charge_id,lease_id,amount\nC1,L1,1.00\n", ["no column charge_code, posted_on", "required"]),
    ],
    ids=[
        "empty", "blank", "UTF-16", "UTF-16 without a mark", "UTF-32", "CP1252 name", "NUL byte", "a row too short",
        "a row too long", "an open quotation mark", "a duplicate header", "semicolons", "tabs",
        "a missing required column",
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_trusted_is_refused(data: str | bytes, words: list[str]) -> None:
    message = refused(data)
    assert message.startswith("charges.csv")
    for word in words:
        assert word in message


def test_a_truncated_gzip_is_refused() -> None:
    whole = gzip.compress((HEADER + ROW * 500).encode())
    assert "truncated gzip" in refused(whole[:-20], "charges.csv.gz")


def test_a_damaged_parquet_is_refused() -> None:
    assert "damaged Parquet" in refused(parquet()[:-10], "charges.parquet")


def test_float_amounts_refuse_the_file() -> None:
    message = refused(parquet(amount=pl.Series([5.1])), "charges.parquet")
    assert "column amount" in message and "floating point" in message and "DECIMAL" in message


def test_a_float_in_an_id_column_refuses_the_file() -> None:
    assert "column lease_id" in refused(parquet(lease_id=pl.Series([1.0])), "charges.parquet")


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    assert read("\ufeff" + HEADER + ROW).frame["charge_id"].to_list() == ["C1"]


def test_headers_only_is_a_file_without_rows_and_says_so() -> None:
    empty = read(HEADER)
    assert (empty.rows, empty.amount) == (0, Decimal("0.00"))
    assert empty.message == "The file has a header and no rows."


def test_row_numbers_are_those_a_spreadsheet_shows() -> None:
    data = (
        HEADER + ROW + "\n" + 'C2,L1,RENT,1.00,2026-10-01,"two\nlines, ""quoted"""\r\n' + "C3,L1,RENT,2.00,2026-10-01,x"
    )
    found = read(data)
    assert found.frame["row_number"].to_list() == [2, 4, 5]
    assert found.frame["posted_by"].to_list() == ["Ann", 'two\nlines, "quoted"', "x"]


def test_the_reader_counts_only_amounts_that_can_be_read() -> None:
    amounts = ["1500.00", '"1,500.00"', "+2.5", "-.50", "", "1e3", "12345678901", " 7 "]
    data = HEADER + "".join(f"C{n},L1,RENT,{amount},2026-10-01,x\n" for n, amount in enumerate(amounts))
    found = read(data)
    assert (found.rows, found.amount) == (8, Decimal("1509.00"))


def test_unknown_columns_are_kept_aside_by_name() -> None:
    data = "charge_id,lease_id,charge_code,amount,posted_on,Color,\nC1,L1,RENT,1.00,2026-10-01,red,x\n"
    found = read(data)
    assert found.unknown_columns == ("color", "(column 7)")
    assert found.frame["unknown_columns"].to_list() == ['{"color":"red","(column 7)":"x"}']


def test_a_source_system_is_the_row_s_own_else_the_folder_s() -> None:
    data = "source_system," + HEADER + "yardi," + ROW + " ," + ROW
    assert read(data).frame["source_system"].to_list() == ["yardi", "default"]


def test_parquet_types_become_the_text_that_a_csv_would_hold() -> None:
    data = parquet(
        amount=pl.Series([Decimal("1500.5000")], dtype=pl.Decimal(18, 4)),
        posted_on=pl.Series([date(2026, 10, 1)]),
        due_on=pl.Series([datetime(2026, 10, 5)]),
        lease_id=pl.Series([77]),
        recorded_at=pl.Series([datetime(2026, 10, 1, 8)]).dt.replace_time_zone("America/Denver"),
    )
    found = read(data, "charges.parquet")
    row = found.frame.select("amount", "posted_on", "due_on", "lease_id", "recorded_at", "row_number").row(0)
    assert row == ("1500.50", "2026-10-01", "2026-10-05", "77", "2026-10-01T14:00:00.000000Z", 1)
    assert found.amount == Decimal("1500.50")


def test_gzip_is_read_like_what_it_holds() -> None:
    assert read(gzip.compress((HEADER + ROW).encode()), "charges-2026-10.csv.gz").rows == 1


def workbook(*rows: tuple[object, ...], sheets: int = 1) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for _ in range(sheets - 1):
        book.create_sheet().append(("other", "sheet"))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


XLSX_HEADER = ("charge_id", "lease_id", "charge_code", "amount", "posted_on", "recorded_at", None)


def test_a_workbook_is_read_by_its_first_sheet_with_numbers_as_shortest_decimals_and_dates_by_format() -> None:
    data = workbook(
        (),
        XLSX_HEADER,
        (1001, 77.0, "RENT", 1500.1, datetime(2026, 10, 1), datetime(2026, 10, 1, 8, 30), None),
        (),
        ("C2", "L1", "RENT", "20", "2026-10-02", date(2026, 10, 2), None),
        ("C3", "L1", "RENT", 1500.105, 46296, None, None),
        sheets=2,
    )
    found = read(data, "charges.xlsx")
    columns = ("row_number", "charge_id", "lease_id", "amount", "posted_on", "recorded_at")
    assert found.frame.select(columns).rows() == [
        (3, "1001", "77", "1500.1", "2026-10-01", "2026-10-01T08:30:00"),
        (5, "C2", "L1", "20", "2026-10-02", "2026-10-02"),
        (6, "C3", "L1", "1500.105", "46296", None),
    ]
    assert found.amount == Decimal("1520.10"), "a number that is no amount is left to the judge"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (workbook(), ["empty sheet"]),
        (b"PK-not-really", ["damaged XLSX"]),
        (workbook(XLSX_HEADER, (1001.5, "L1", "RENT", 1, "2026-10-01")),
         ["row 2", "column charge_id", "1001.5", "as an id"]),
        (workbook(XLSX_HEADER, (10.0**17, "L1", "RENT", 1, "2026-10-01")), ["row 2", "column charge_id", "2^53"]),
        (workbook(XLSX_HEADER, (date(2026, 1, 2), "L1", "RENT", 1, "2026-10-01")), ["row 2", "a date", "as an id"]),
        (workbook(("charge_id", "charge_id")), ["column charge_id", "column 1 and 2"]),
        (workbook(XLSX_HEADER, ("C1", "L1", "RENT", 1, "2026-10-01", None, None, "x")),
         ["row 2", "column 8", "no name"]),
        (workbook(("charge_id", "amount"), ("C1", 1)), ["no column lease_id"]),
    ],
    ids=["empty", "damaged", "a broken id", "a rounded id", "an id taken for a date", "a duplicate header",
         "a value without a column", "a missing required column"],
)  # fmt: skip
def test_a_workbook_that_cannot_be_trusted_is_refused(data: bytes, words: list[str]) -> None:
    message = refused(data, "charges.xlsx")
    assert message.startswith("charges.xlsx")
    for word in words:
        assert word in message


JSON_ROW = '{"charge_id": "C1", "lease_id": 7, "charge_code": "RENT", "amount": 1500.10, "posted_on": "2026-10-01"}'


def test_json_lines_keep_the_digits_they_are_written_with() -> None:
    other = '{"charge_id": "C2", "lease_id": "L1", "charge_code": "RENT", "amount": 12345678.90, "posted_on": null,'
    other += ' "extra": {"a": [1.50, true, "é"]}, "reason": true}'
    found = read(JSON_ROW + "\n\n" + other + "\n", "charges.jsonl")
    assert found.frame.select("row_number", "lease_id", "amount", "posted_on", "reason").rows() == [
        (1, "7", "1500.10", "2026-10-01", None),
        (3, "L1", "12345678.90", None, "true"),
    ]
    assert found.amount == Decimal("12347179.00")
    assert json.loads(found.frame["unknown_columns"][1]) == {"extra": '{"a": [1.50, true, "é"]}'}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("\n", ["empty file"]),
        (JSON_ROW + "\n" + JSON_ROW[:-20], ["row 2", "not JSON"]),
        (JSON_ROW + "\n[1, 2]\n", ["row 2", "no object"]),
        (JSON_ROW[:-1] + ', "amount": 2}', ["row 1", "column amount", "twice"]),
        (JSON_ROW.replace("RENT", "\xe9").encode("cp1252"), ["row 1", "not UTF-8"]),
        ('{"charge_id": "C1"}', ["no column lease_id"]),
    ],
    ids=["empty", "broken off", "no object", "a name twice", "CP1252", "a missing required column"],
)
def test_json_lines_that_cannot_be_trusted_are_refused(data: str | bytes, words: list[str]) -> None:
    message = refused(data, "charges.jsonl")
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("charges.csv", "charges"),
        ("charges-2026-10.parquet", "charges"),
        ("Charges_2026.csv.gz", "charges"),
        ("opening_balances.2026-01.csv", "opening_balances"),
        ("payment_plan_installments-1.csv", "payment_plan_installments"),
        ("chargesheet.csv", None),
        ("payment.csv", None),
    ],
)
def test_a_file_is_named_after_its_table(name: str, table: str | None) -> None:
    assert table_of(name, tuple(contract().tables)) == table


def test_a_large_file_is_counted_right_across_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, quotes and fields are counted block by block; a block border inside a quoted value must not matter."""
    monkeypatch.setattr("orchestration.landing.read_csv._BLOCK_BYTES", 7)
    data = (
        HEADER
        + ROW
        + 'C2,L1,RENT,1.00,2026-10-01,"a, ""b""\n, c"\n\n'
        + ROW.replace("C1", "C3")
        + "C4,L1,RENT,1.00,2026-10-01,z"
    )
    assert read(data).frame["row_number"].to_list() == [2, 3, 5, 6]
    assert "row 3" in refused(HEADER + ROW + "C2,L1\n" + ROW)
