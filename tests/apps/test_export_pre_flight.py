"""What each target would refuse is found before a file is written, and said so that a person can act on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from apps.documents.books import beancount, hledger
from apps.documents.books.documents import Document
from apps.documents.books.export import TARGETS
from apps.documents.books.mapping import NOTHING_MAPPED, Names, Theirs, read_mapping
from apps.documents.books.selection import Books, Entity, ExportRefused
from apps.documents.books.target import Finding, files_of, postings_of, refusals
from tests.apps.made_books import BIRCHLINE, books, document, line, rent

ORDINARY = Names(
    {
        ("account", "", account): Theirs(f"{account} over there"[:10], "ordinary")
        for account in ("1010", "1200", "2100", "4000", "9999")
    }
)
IMPORTS = ("iif", "qbo", "xero", "intacct", "netsuite", "yardi")


def found(key: str, *documents: Document, of: Books | None = None, names: Names = ORDINARY) -> list[Finding]:
    target, selected = TARGETS[key], of or books()
    return refusals(target, selected, postings_of(target, selected, documents, names), names)


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]


@pytest.mark.parametrize("key", [*IMPORTS, "csv"])
def test_a_plain_entry_is_refused_by_nobody(key: str) -> None:
    assert found(key, rent(), names=NOTHING_MAPPED if key == "csv" else ORDINARY) == []


@pytest.mark.parametrize("key", [*IMPORTS, "csv"])
def test_an_entry_that_does_not_balance_by_a_cent_is_refused_by_all(key: str) -> None:
    names = NOTHING_MAPPED if key == "csv" else ORDINARY
    finding = only(found(key, document(line("1200", "1500.00"), line("4000", "-1499.99")), names=names))
    assert (finding.document, finding.found, finding.limit) == (
        "J0000000001", "debits 1500.00, credits 1499.99", "debits = credits",
    )  # fmt: skip


@pytest.mark.parametrize("key", IMPORTS)
def test_a_line_of_nothing_a_lone_line_and_a_day_of_the_year_26_are_refused(key: str) -> None:
    empty = document(line("1200", "10.00"), line("4000", "-10.00"), line("9999", "0.00"))
    assert only(found(key, empty)).line == "3"
    assert [f.field for f in found(key, document(line("9999", "0.00")))] == ["lines", "amount"]
    early = only(found(key, rent(on=date(26, 10, 1))))
    assert (early.field, early.found) == ("date", "0026-10-01")


@pytest.mark.parametrize("key", IMPORTS)
def test_a_number_used_twice_is_refused(key: str) -> None:
    finding = only(found(key, rent(), rent("20.00")))
    assert (finding.document, finding.found) == ("J0000000001", "2 documents")


@pytest.mark.parametrize("key", IMPORTS)
def test_where_a_file_names_accounts_it_names_all_and_a_missing_one_is_said_once(key: str) -> None:
    names = Names({each: theirs for each, theirs in ORDINARY.entries.items() if each[2] != "4000"})
    finding = only(found(key, rent(), rent("20.00", number="J0000000002"), names=names))
    assert (finding.found, finding.lines) == ("4000", 2)
    assert "what=account, ours=4000" in finding.what_to_do


@pytest.mark.parametrize(
    ("key", "what", "longest"),
    [
        ("iif", "account", 159), ("iif", "property", 159), ("iif", "name", 41), ("iif", "number", 11),
        ("qbo", "account", 100), ("qbo", "property", 100), ("qbo", "name", 100), ("qbo", "number", 21),
        ("xero", "account", 10), ("xero", "property", 100),
    ],
)  # fmt: skip
def test_a_name_of_the_longest_length_passes_and_one_letter_more_is_refused(key: str, what: str, longest: int) -> None:
    for length in (longest, longest + 1):
        text = "n" * length
        entries = dict(ORDINARY.entries)
        if what == "account":
            entries["account", "", "4000"] = Theirs(text, "ordinary")
        if what == "property":
            entries["property", "", "maple1"] = Theirs(text)
        if what == "name":
            entries["account", "", "1200"] = Theirs("Receivable", "receivable", text)
        findings = found(key, rent(number=text if what == "number" else "J0000000001"), names=Names(entries))
        assert [f.limit for f in findings] == ([] if length == longest else [f"{longest} characters; found {length}"])


def test_memos_are_cut_to_what_the_target_takes_and_never_refused() -> None:
    target = TARGETS["intacct"]
    (posting,) = postings_of(target, books(), [rent(memo="Charge RENT " + "x" * 40)], ORDINARY)
    assert posting.memo == "Charge RENT xxxxxxxxxxxxxxx..." and len(posting.memo) == 30
    assert posting.lines[0].memo == "Charge RENT " + "x" * 40
    assert found("intacct", rent(memo="Charge RENT " + "x" * 40)) == []


def test_letters_that_windows_1252_lacks_are_refused_in_names_and_shown_as_a_question_mark_in_memos() -> None:
    names = Names({**ORDINARY.entries, ("account", "", "4000"): Theirs("Zażółć", "ordinary")})
    finding = only(found("iif", rent(), names=names))
    assert (finding.field, finding.found, finding.limit) == ("ACCNT", "Zażółć", "letters of cp1252")
    assert found("qbo", rent(), names=names) == []
    (posting,) = postings_of(TARGETS["iif"], books(), [rent(memo="Miete Łódź")], ORDINARY)
    assert posting.memo == "Miete ?ód?"


@pytest.mark.parametrize("text", ["a\tb", 'a"b', "a\nb"])
def test_letters_that_would_end_a_field_of_an_iif_file_are_refused_in_names(text: str) -> None:
    names = Names({**ORDINARY.entries, ("account", "", "4000"): Theirs(text, "ordinary")})
    assert only(found("iif", rent(), names=names)).limit.startswith("none of")
    (posting,) = postings_of(TARGETS["iif"], books(), [rent(memo=text)], ORDINARY)
    assert posting.memo == "a b"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
@pytest.mark.parametrize("key", IMPORTS)
def test_a_name_that_a_spreadsheet_would_run_is_refused(key: str, text: str) -> None:
    names = Names({**ORDINARY.entries, ("account", "", "4000"): Theirs(text, "ordinary")})
    assert only(found(key, rent(), names=names)).limit == "no first letter that a spreadsheet runs as a formula"


@pytest.mark.parametrize("key", ["iif", "qbo", "netsuite"])
def test_a_colon_in_a_name_of_ours_is_refused_and_one_in_the_mapping_file_names_a_sub_account(key: str) -> None:
    """Over there it parts a name from the one above it: `Fees: late` would be an account `late` below `Fees`."""
    made = document(line("1200", "5.00"), line("4000", "-5.00", account_name="Fees: late"))
    whose = books(residents={"L1": "Ada: Example"}, properties={("default", "maple1"): "Maple: Court"})

    def parted(names: Names) -> set[tuple[str, str]]:
        findings = found(key, made, of=whose, names=names)
        return {(each.field, each.found) for each in findings if "parts a name" in each.limit}

    label = TARGETS[key].label
    assert parted(NOTHING_MAPPED) == {
        (label("account"), "4000 Fees: late" if key == "netsuite" else "Fees: late"),
        (label("property"), "Maple: Court"),
        (label("name"), "Ada: Example"),
    }
    named = {
        ("account", "", "4000"): Theirs("Fees:Late"),
        ("account", "", "1200"): Theirs("Receivable, residents", "receivable"),
        ("property", "", "maple1"): Theirs("Maple:Court"),
        ("lease", "", "L1"): Theirs("Example:Ada"),
    }
    assert parted(Names(named)) == set()


def test_xero_takes_no_line_on_its_own_receivable_or_bank_accounts_until_they_are_mapped() -> None:
    paid = document(line("1010", "5.00"), line("1200", "-5.00"))
    findings = found("xero", paid, names=NOTHING_MAPPED)
    assert [f.found for f in findings] == ["1010 (bank)", "1200 (receivable)"]
    assert all("kind=ordinary" in f.what_to_do for f in findings)
    assert found("xero", paid) == []


def test_quickbooks_desktop_takes_one_receivable_line_an_entry() -> None:
    moved = document(line("1200", "75.00"), line("1200", "-75.00", "L2"))
    finding = only(found("iif", moved, names=NOTHING_MAPPED))
    assert finding.found == "Receivable, residents +75.00, Receivable, residents -75.00"
    assert found("iif", moved) == [] and found("qbo", moved, names=NOTHING_MAPPED) == []


@pytest.mark.parametrize("key", ["iif", "qbo", "netsuite"])
def test_a_receivable_line_needs_a_customer_and_has_the_household_s_name(key: str) -> None:
    (posting,) = postings_of(TARGETS[key], books(), [rent()], NOTHING_MAPPED)
    assert [each.name for each in posting.lines] == ["Ada Example", ""]
    summed = document(line("1200", "5.00", None), line("4000", "-5.00", None))
    assert only(found(key, summed, names=NOTHING_MAPPED)).found.startswith("no name on")
    named = Names({**ORDINARY.entries, ("account", "", "1200"): Theirs("Receivable", "receivable", "Residents")})
    assert found(key, summed, names=named) == []


@pytest.mark.parametrize("key", ["iif", "qbo", "netsuite"])
@pytest.mark.parametrize("other", ["Jo Smith", "JO SMITH"])
def test_two_households_of_one_name_are_never_posted_to_one_customer(key: str, other: str) -> None:
    same = books(residents={"L1": "Jo Smith", "L2": other})
    two = [rent(), document(line("1200", "9.00", "L2"), line("4000", "-9.00", "L2"), number="J0000000002")]
    finding = only(found(key, *two, of=same, names=NOTHING_MAPPED))
    assert (finding.found, finding.limit) == ("Jo Smith", "one lease a name; found leases L1, L2")
    apart = Names({("lease", "", "L1"): Theirs("Jo Smith 1A"), ("lease", "", "L2"): Theirs("Jo Smith 2B")})
    assert found(key, *two, of=same, names=apart) == []
    together = Names({**ORDINARY.entries, ("account", "", "1200"): Theirs("Receivable", "receivable", "Residents")})
    assert found(key, *two, of=same, names=together) == []


@pytest.mark.parametrize("key", ["iif", "qbo", "xero"])
def test_a_company_file_takes_one_entity(key: str) -> None:
    both = books(entities=[BIRCHLINE, replace(BIRCHLINE, entity_id="lakeshore")])
    finding = only(found(key, rent(), of=both))
    assert (finding.field, finding.found) == ("entity", "birchline, lakeshore") and "--entity" in finding.what_to_do
    assert found("netsuite", rent(), of=both) == []


def test_yardi_wants_a_property_on_every_line() -> None:
    loose = rent(property_id=None)
    assert only(found("yardi", loose)).found == "no property"
    named = Names(
        {**ORDINARY.entries, ("property", "", "none"): Theirs("corp"), ("property", "", "maple1"): Theirs("m")}
    )
    assert found("yardi", loose, names=named) == []
    assert found("intacct", loose) == []


def test_an_entry_of_too_many_lines_is_refused_and_a_file_of_too_many_is_split_between_entries() -> None:
    def long(lines: int, number: str) -> Document:
        return document(
            line("1200", f"{lines - 1}.00"), *(line("4000", "-1.00") for _ in range(lines - 1)), number=number
        )

    assert found("xero", long(300, "J1")) == []
    finding = only(found("xero", long(301, "J1")))
    assert (finding.found, finding.limit) == ("301", "300 lines")
    assert only(found("netsuite", long(10_001, "J1"))).limit == "10000 lines"
    target = TARGETS["xero"]
    many = postings_of(target, books(), [long(150, "J1"), long(151, "J2"), long(149, "J3"), long(2, "J4")], ORDINARY)
    assert [[each.number for each in file] for file in files_of(target, many)] == [["J1"], ["J2", "J3"], ["J4"]]


def test_an_amount_beyond_quickbooks_online_is_refused() -> None:
    assert found("qbo", rent("99999999999.00")) == []
    assert [f.field for f in found("qbo", rent("100000000000.00"))] == ["amount", "amount"]


def test_a_setting_that_the_target_has_not_is_refused_and_one_that_it_has_is_written() -> None:
    names = Names({**ORDINARY.entries, ("setting", "", "tax_rate"): Theirs("No VAT")})
    assert only(found("iif", rent(), names=names)).found == "tax_rate"
    assert found("xero", rent(), names=names) == []
    target = TARGETS["xero"]
    content = target.write(postings_of(target, books(), [rent()], names), {**target.settings, **names.settings})
    assert b",No VAT,1500.00," in content


@pytest.mark.parametrize("ledger", [hledger, beancount])
def test_plain_text_ledgers_refuse_one_name_for_two_accounts_and_a_currency_that_is_none(ledger: object) -> None:
    made = books()
    twice = [*made.balances, *(replace(each, property_id="maple1 ") for each in made.balances[:1])]
    finding = only(ledger.pre_flight(replace(made, balances=twice), []))  # type: ignore[attr-defined]
    assert "one account a name" in finding.limit and "maple1" in finding.limit
    odd = books(entities=[Entity("default", "birchline", "Birchline", "$")])
    assert only(ledger.pre_flight(odd, [])).field == "currency"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("what,ours\naccount,1", "expected what, ours, theirs"),
        ("what,ours,theirs\nacount,1,2\n", "row 2, column what: found 'acount'"),
        ("what,ours,theirs,kind\naccount,1,2,bnk\n", "row 2, column kind: found 'bnk'"),
        ("what,ours,theirs\naccount,1,\n", "row 2: columns ours and theirs must not be empty"),
        ("what,ours,theirs\naccount,1,2\naccount,1,3\n", "row 3: account 1 stands in the file twice"),
        ("what,ours,theirs\n", "holds no rows"),
    ],
)
def test_a_mapping_file_that_cannot_be_read_is_said_by_row_and_column(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "names.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ExportRefused, match=r"names\.csv") as refused:
        read_mapping(file)
    assert says in str(refused.value)


def test_a_mapping_of_one_entity_comes_before_the_one_for_all(tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text(
        "what,ours,theirs,entity_id\naccount,1,all,\naccount,1,own,E\naccount,2,'-2,\n", encoding="utf-8-sig"
    )
    names = read_mapping(file)
    assert [names.find("account", "1", entity).theirs for entity in ("E", "F")] == ["own", "all"]  # type: ignore[union-attr]
    assert names.find("account", "2").theirs == "-2"  # type: ignore[union-attr]
    assert Decimal(names.find("account", "2").theirs) == -2  # type: ignore[union-attr]


def test_two_entities_of_one_id_are_told_apart_by_their_system() -> None:
    other = replace(BIRCHLINE, source_system="yardi")
    told = dict(books(entities=[BIRCHLINE, other]).facts())
    assert told["Entities"] == "birchline of default (USD), birchline of yardi (USD)"
    assert dict(books().facts())["Entities"] == "birchline (USD)"
