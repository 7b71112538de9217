"""The files for other ledgers, of the sample: their headers, their sums, their numbers, and names that arrive whole."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

from apps.documents.books.documents import documents_of
from apps.documents.books.export import TARGETS, Export, export_books
from apps.documents.books.mapping import Names, Theirs
from apps.documents.books.selection import BooksDiffer, ExportRefused, Scope, _must_add_up, read_books
from apps.documents.books.target import postings_of
from apps.reports.published import Published
from orchestration.home import Home
from tests.apps.made_books import books, document, line, rent

pytestmark = pytest.mark.journey

OCTOBER = Scope(entity_id="birchline", from_period="2026-10", to_period="2026-10")
ZERO = Decimal(0)

# Headers as the vendors' own templates and public samples have them.
HEADERS = {
    "qbo": "JournalNo,JournalDate,AccountName,Debits,Credits,Description,Name,Location,Class",
    "xero": "*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,"
    "TrackingOption2",
    "intacct": "DONOTIMPORT,JOURNAL,DATE,REVERSEDATE,DESCRIPTION,REFERENCE_NO,LINE_NO,ACCT_NO,LOCATION_ID,DEPT_ID,"
    "DOCUMENT,MEMO,DEBIT,CREDIT,SOURCEENTITY",
    "netsuite": "External ID,Date,Posting Period,Subsidiary,Currency,Memo,Account,Debit,Credit,Line Memo,Name,Location",
    "yardi": "TRANNUM,PROPERTY,ACCOUNT,DATE,POSTMONTH,BOOKNUM,AMOUNT,REMARK,REF,DESC,FROMDATE,TODATE,SEGMENT1,"
    "DISPLAYTYPE,ReverseNextMonth",
}


@pytest.fixture(scope="module")
def sample(sample_home: Home) -> Published:
    return Published(sample_home.path)


@pytest.fixture(scope="module")
def names(sample: Published) -> Names:
    """Every account under its own number, an ordinary one over there; lines without a property go to `corp`."""
    accounts = sample.rows("select distinct account from gl_accounts")
    places = sample.rows("select property_id, name from properties")
    return Names(
        {("account", "", row["account"]): Theirs(row["account"], "ordinary") for row in accounts}
        | {("property", "", row["property_id"]): Theirs(row["property_id"]) for row in places}
        | {("property", "", "none"): Theirs("corp")}
    )


def made(sample: Published, format: str, names: Names, scope: Scope = OCTOBER, *, detail: bool = True) -> Export:
    export = export_books(sample, format, scope, detail=detail, names=Names() if format == "csv" else names)
    assert export.findings == [] and export.files
    return export


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def iif_rows(content: bytes) -> list[dict[str, str]]:
    lines = [line.split("\t") for line in content.decode("cp1252").split("\r\n") if line]
    assert lines[0] == ["!TRNS", "TRNSID", "TRNSTYPE", "DATE", "ACCNT", "NAME", "CLASS", "AMOUNT", "DOCNUM", "MEMO"]
    assert lines[1] == ["!SPL", "SPLID", "TRNSTYPE", "DATE", "ACCNT", "NAME", "CLASS", "AMOUNT", "DOCNUM", "MEMO"]
    assert lines[2] == ["!ENDTRNS"]
    kinds = "".join({"TRNS": "T", "SPL": "S", "ENDTRNS": "E"}[line[0]] for line in lines[3:])
    assert all(entry.startswith("T") and entry.count("T") == 1 for entry in kinds.split("E")[:-1])
    heads = ["", "id", *lines[0][2:]]
    return [dict(zip(heads, line, strict=True)) for line in lines[3:] if line[0] != "ENDTRNS"]


def signed(debit: str, credit: str) -> Decimal:
    return Decimal(debit or 0) - Decimal(credit or 0)


def read(format: str, files: list[bytes]) -> list[tuple[str, str, str, Decimal]]:
    """Every line of the files as (number, month, account, amount), read back as the target would."""
    if format == "iif":
        return [
            (row["DOCNUM"], f"{row['DATE'][6:]}-{row['DATE'][:2]}", row["ACCNT"], Decimal(row["AMOUNT"]))
            for content in files
            for row in iif_rows(content)
        ]
    rows = [row for content in files for row in rows_of(content)]
    if format == "qbo":
        return [
            (r["JournalNo"], f"{r['JournalDate'][6:]}-{r['JournalDate'][:2]}", r["AccountName"],
             signed(r["Debits"], r["Credits"]))
            for r in rows
        ]  # fmt: skip
    if format == "xero":
        return [
            (
                r["*Narration"].split()[0],
                f"{r['*Date'][6:]}-{r['*Date'][3:5]}",
                r["*AccountCode"],
                Decimal(r["*Amount"]),
            )
            for r in rows
        ]
    if format == "intacct":
        found = []
        for r in rows:
            if r["LINE_NO"] == "1":
                number, day = r["REFERENCE_NO"], r["DATE"]
            assert (r["JOURNAL"], r["DATE"]) == (("GJ", day) if r["LINE_NO"] == "1" else ("", ""))
            found.append((number, f"{day[6:]}-{day[:2]}", r["ACCT_NO"], signed(r["DEBIT"], r["CREDIT"])))
        return found
    if format == "netsuite":
        months = {"Sep 2026": "2026-09", "Oct 2026": "2026-10"}
        return [
            (r["External ID"], months[r["Posting Period"]], r["Account"], signed(r["Debit"], r["Credit"])) for r in rows
        ]
    if format == "yardi":
        return [
            (r["REF"], f"{r['POSTMONTH'][3:]}-{r['POSTMONTH'][:2]}", r["ACCOUNT"], Decimal(r["AMOUNT"])) for r in rows
        ]
    return [(r["document"], r["date"][:7], r["account"], signed(r["debit"], r["credit"])) for r in rows]


@pytest.mark.parametrize("detail", [True, False])
@pytest.mark.parametrize("format", ["iif", "qbo", "xero", "intacct", "netsuite", "yardi", "csv"])
def test_what_a_target_reads_balances_by_number_and_moves_each_account_as_the_trial_balance_says(
    sample: Published, names: Names, format: str, detail: bool
) -> None:
    scope = replace(OCTOBER, from_period="2026-09")
    export = made(sample, format, names, scope, detail=detail)
    by_number: dict[str, Decimal] = defaultdict(lambda: ZERO)
    by_account: dict[tuple[str, str], Decimal] = defaultdict(lambda: ZERO)
    for number, month, account, amount in read(format, list(export.files)):
        by_number[number] += amount
        by_account[month, account] += amount
    assert set(by_number.values()) == {ZERO}
    expected = sample.rows(
        "select period, account, sum(debits - credits) as moved from trial_balance "
        "where book = 'accrual' and entity_id = 'birchline' and period in ('2026-09', '2026-10') group by all"
    )
    moved = {(row["period"], row["account"]): row["moved"] for row in expected}
    assert by_account.items() <= moved.items()
    assert {key for key, amount in moved.items() if amount} <= set(by_account)


@pytest.mark.parametrize("format", ["qbo", "xero", "intacct", "netsuite", "yardi"])
def test_headers_are_the_target_s_own_letter_by_letter(sample: Published, names: Names, format: str) -> None:
    for content in made(sample, format, names).files:
        assert content.split(b"\r\n")[0].decode() == HEADERS[format]


@pytest.mark.parametrize("format", ["iif", "qbo", "xero", "intacct", "netsuite", "yardi", "csv", "xlsx"])
def test_an_export_made_again_has_the_same_bytes(sample: Published, names: Names, format: str) -> None:
    again = partial(export_books, scope=OCTOBER, names=Names() if format in ("csv", "xlsx") else names)
    first, second = again(sample, format), again(Published(sample.home), format)
    assert first.files == second.files and first.files


def test_every_file_of_xero_holds_three_hundred_lines_at_most_and_no_entry_is_in_two(
    sample: Published, names: Names
) -> None:
    files = made(sample, "xero", names).files
    assert len(files) > 1 and all(len(rows_of(content)) <= 300 for content in files)
    numbers = [{row["*Narration"].split()[0] for row in rows_of(content)} for content in files]
    assert sum(map(len, numbers)) == len(set().union(*numbers))


def test_numbers_fit_the_shortest_field_and_are_of_letters_that_no_one_misreads(
    sample: Published, names: Names
) -> None:
    numbers = {row["DOCNUM"] for content in made(sample, "iif", names).files for row in iif_rows(content)}
    assert all(len(number) == 11 and number.isascii() and number.isalnum() and number.isupper() for number in numbers)
    assert not any(letter in number for number in numbers for letter in "ILOU")


def test_the_csv_walks_every_line_back_to_the_row_that_caused_it(sample: Published) -> None:
    (content,) = export_books(sample, "csv", OCTOBER).files
    lines = rows_of(content)
    known = {
        (row["source_table"], row["source_id"], row["file"], str(row["row_number"]))
        for row in sample.rows("select source_table, source_id, file, row_number from gl_entries")
    }
    assert lines and all(
        (line["source_table"], line["source_id"], line["file"], line["row_number"]) in known for line in lines
    )


def test_an_export_says_build_day_completeness_and_totals_and_marks_entries_of_an_incomplete_build(
    sample: Published,
) -> None:
    export = export_books(sample, "csv", OCTOBER)
    about = export.about_text(["books.csv"])
    debits = sample.rows(
        "select sum(debits) as total from trial_balance "
        "where book = 'accrual' and entity_id = 'birchline' and period = '2026-10'"
    )[0]["total"]
    build = sample.rows("select build_no, as_of from build_info")[0]
    for said in (
        f"Build: {build['build_no']}\n", f"As of: {build['as_of']}\n", "Build is: complete\n", "Book: accrual\n",
        f"Total USD: debits {debits}, credits {debits}\n", "sha256 of books.csv: ",
    ):  # fmt: skip
        assert said in about
    whole = read_books(sample.reader(), OCTOBER)
    half = replace(whole, incomplete=["charges.csv was refused whole."])
    assert ("Build is", "INCOMPLETE: charges.csv was refused whole.") in half.facts()
    marked = documents_of(half, detail=True)
    assert all(each.memo.startswith(f"INCOMPLETE BUILD {half.build_no}: ") for each in marked)
    assert [each.number for each in marked] == [each.number for each in documents_of(whole, detail=True)]


@pytest.mark.parametrize(
    ("scope", "says"),
    [
        (Scope(book="straight"), "There is no book 'straight'"),
        (Scope(entity_id="nobody"), "they hold birchline, cedarmain, lakeshore"),
        (Scope(from_period="2026-13"), "Month '2026-13' was not understood"),
        (Scope(from_period="2026-10", to_period="2026-09"), "ends before it begins"),
        (Scope(from_period="2030-01", to_period="2030-02"), "Nothing is booked from 2030-01 to 2030-02"),
    ],
)
def test_a_scope_that_is_not_published_is_refused_in_words(sample: Published, scope: Scope, says: str) -> None:
    with pytest.raises(ExportRefused) as refused:
        export_books(sample, "csv", scope)
    assert says in str(refused.value)


def test_a_cent_between_journal_and_trial_balance_stops_every_format(sample: Published) -> None:
    whole = read_books(sample.reader(), OCTOBER)
    first = whole.balances[0]
    for broken in (
        replace(whole, balances=[replace(first, debits=first.debits + Decimal("0.01")), *whole.balances[1:]]),
        replace(whole, lines=whole.lines[1:]),
        replace(whole, balances=[each for each in whole.balances if each.account != "1200"]),
    ):
        with pytest.raises(BooksDiffer, match="Nothing was written"):
            _must_add_up(broken)


def test_text_that_a_spreadsheet_would_run_is_defused_and_names_of_every_script_arrive_whole() -> None:
    run = document(
        line("1200", "5.00", '=HYPERLINK("x")'),
        line("4000", "-5.00", "Łódź 租金 فاطمة"),
        memo="@SUM(A1)",
        property_id="-2+3",
    )
    target = TARGETS["csv"]
    rows = rows_of(target.write(postings_of(target, books(), [run], Names()), {}))
    assert [row["lease_id"] for row in rows] == ['\'=HYPERLINK("x")', "Łódź 租金 فاطمة"]
    assert (rows[0]["memo"], rows[0]["property_id"], rows[1]["credit"]) == ("'@SUM(A1)", "'-2+3", "5.00")
    for key, encoding in (("qbo", "utf-8"), ("xero", "utf-8"), ("netsuite", "utf-8"), ("iif", "cp1252")):
        target = TARGETS[key]
        named = Names({("account", "", "4000"): Theirs("Müller & Söhne <b>", "ordinary")})
        content = target.write(postings_of(target, books(), [rent()], named), target.settings)
        assert "Müller & Söhne <b>" in content.decode(encoding)
