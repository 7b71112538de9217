"""The household statement: the published cases, the figures of a worked household, and what it refuses to print."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pypdfium2
import pytest

from apps.documents.scripts import drawn
from apps.documents.statement import (
    StatementRefused,
    draw,
    statement_leases,
    statement_of,
    statement_pdf,
    statement_pdfs,
)
from apps.reports.published import Published
from tests.apps.published_home import (
    FORMULA_NAME,
    MARKUP_NAME,
    Account,
    Entry,
    Portfolio,
    Property,
    applied,
    charge,
    money,
    payment,
    portfolio,
    publish,
    rent,
)

CASES = {
    row["case_id"]: (json.loads(row["input_json"]), json.loads(row["expected_json"]))
    for row in csv.DictReader((Path(__file__).parent / "statement_cases.csv").open(newline="", encoding="utf-8"))
}


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    return "\n".join(page.get_textpage().get_text_range() for page in document).replace("\r\n", "\n")


def figures(*values: str) -> list[Decimal]:
    return [money(value) for value in values]


def test_many_rows_of_one_day_run_in_ledger_order_case_stm_01(small: Published) -> None:
    _, expected = CASES["STM-01"]
    january = statement_of(small.reader(), "STM-01", "2018-01")
    february = statement_of(small.reader(), "STM-01", "2018-02")
    running = [row["running_balance"] for row in (*january.entries, *february.entries)]
    assert running == figures(*expected["running"])
    assert january.charges + february.charges == money(expected["debits"])
    assert january.credits + february.credits == money(expected["credits"])
    assert february.opening == january.closing
    assert february.closing == money(expected["closing"])
    printed = text_of(statement_pdf(small, "STM-01", "2018-02"))
    last = -1
    for value in expected["running"][5:]:
        at = printed.index(f"{money(value):,.2f}", last + 1)
        assert at > last, "the balances are printed in the order in which they were worked out"
        last = at


def test_a_window_opens_at_what_came_before_it_case_stm_02(small: Published) -> None:
    _, expected = CASES["STM-02"]
    statement = statement_of(small.reader(), "STM-02", "2021-01")
    assert statement.opening == money(expected["opening"])
    assert statement.entries[0]["running_balance"] == money(expected["first_running"])
    printed = text_of(statement_pdf(small, "STM-02", "2021-01"))
    assert "8,140.87" in printed and "8,136.87" in printed
    assert "-4.00" not in printed


def test_a_charge_under_a_hold_stays_on_the_statement_case_stm_04(small: Published) -> None:
    facts, expected = CASES["STM-04"]
    statement = statement_of(small.reader(), "STM-04", facts["statement"])
    assert statement.opening == money(expected["opening"])
    assert statement.closing == money(expected["closing"])


def test_the_printed_statement_holds_every_figure_of_the_month(small: Published) -> None:
    printed = text_of(statement_pdf(small, "t0001001", "2026-03"))
    for shown in (
        "Harbour & Vine Management",
        "Ada Example",
        "Unit 2B",
        "Maple Court",
        "March 2026",
        "Opening balance",
        "1,575.00",
        "1,550.00",
        "Payment (ACH)",
        "1,000.00",
        "Amount due",
        "$2,205.00",
        "What is open on March 31, 2026",
        "0–30 days",
        "1,630.00",
        "550.00",
        "Page 1 of 1",
    ):
        assert shown in printed, shown


def test_an_entry_known_only_since_is_in_the_opening_and_listed(small: Published) -> None:
    statement = statement_of(small.reader(), "t0001001", "2026-03")
    assert [(row["entry_on"], row["amount"], row["known_on"]) for row in statement.became_known] == [
        (date(2026, 2, 5), Decimal("-1500.00"), date(2026, 3, 3))
    ]
    assert "became known to us" in text_of(draw(statement))
    assert not statement_of(small.reader(), "t0001001", "2026-04").became_known


def test_a_negative_balance_is_a_credit_owed_to_the_household(small: Published) -> None:
    printed = text_of(statement_pdf(small, "S-1", "2026-04"))
    assert "Credit owed to you" in printed and "$750.25" in printed and "Amount due" not in printed
    assert "CAD" in printed
    paid = text_of(statement_pdf(small, "Z-1", "2026-03"))
    assert "Nothing due" in paid and "Every charge is paid" in paid


def test_what_was_written_off_beyond_what_was_owed_is_no_credit_of_the_household(tmp_path: Path) -> None:
    pine = Property("p", "Pine", "e", "Pine LLC")
    entries = [
        rent("c", "2026-03-01", "1000"),
        payment("m", "2026-03-02", "1000"),
        Entry("w", "write_off", date(2026, 3, 20), money("-120"), description="Written off"),
    ]
    account = Account("OVER", "p", "9", "A", entries, [applied("m", "c", "1000", "2026-03-02")])
    publish(tmp_path, Portfolio(date(2026, 3, 31), [pine], [account]))
    printed = text_of(statement_pdf(Published(tmp_path), "OVER", "2026-03"))
    assert "Credit owed to you" not in printed and "It is yours" not in printed
    assert "Nothing due" in printed and "$120.00 was written off beyond what was owed" in printed


def test_a_month_that_is_not_over_says_through_which_day_it_speaks(small: Published) -> None:
    printed = text_of(statement_pdf(small, "M-1", "2026-04"))
    assert "April 5, 2026" in printed and "The month is not over" in printed


@pytest.mark.parametrize("lease_id, name", [("M-1", MARKUP_NAME), ("F-1", FORMULA_NAME)])
def test_markup_and_formulas_in_names_are_printed_as_they_are(small: Published, lease_id: str, name: str) -> None:
    printed = text_of(statement_pdf(small, lease_id, "2026-04")).replace("\n", "")
    assert name.replace(" ", "") in printed.replace(" ", "")


def test_names_of_many_scripts_are_printed_with_glyphs(small: Published) -> None:
    printed = text_of(statement_pdf(small, "S-1", "2026-04")).replace("\n", " ")
    for name in ("Łukasz Müller", "Ирина Ковалёва", "Νίκος Παπαδόπουλος", "Գրիգոր", "Աբգարյան"):
        assert name in printed
    assert "�" not in printed


@pytest.mark.parametrize(
    "stored, shown",
    [
        ("Ada Example", "Ada Example"),
        ("שרה לוי, Bob", "יול הרש, Bob"),
        ("בן (12) דוד", "דוד (12) ןב"),
        ("سلام", "\ufee1\ufefc\ufeb3"),
        ("فاطمة", "\ufe94\ufee4\ufec3\ufe8e\ufed3"),
    ],
)
def test_right_to_left_names_are_drawn_in_their_own_order_with_joined_letters(stored: str, shown: str) -> None:
    assert drawn(stored) == shown


def test_the_same_build_gives_the_same_bytes_in_any_process(small: Published, small_home: Path) -> None:
    code = (
        "import sys, hashlib; from apps.reports.published import Published;"
        "from apps.documents.statement import statement_pdf;"
        "print(hashlib.sha256(statement_pdf(Published(sys.argv[1]), 't0001001', '2026-03')).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code, str(small_home)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_a_long_month_runs_over_pages_and_repeats_its_heading(tmp_path: Path) -> None:
    days = [f"2026-03-{1 + number % 28:02d}" for number in range(120)]
    account = Account(
        "LONG", "p", "9", "Many Entries", [charge(f"c{n}", on, "1.01", f"Laundry {n}") for n, on in enumerate(days)]
    )
    publish(tmp_path, Portfolio(date(2026, 3, 31), [Property("p", "Pine", "e", "Pine LLC")], [account]))
    pdf = statement_pdf(Published(tmp_path), "LONG", "2026-03")
    pages = len(pypdfium2.PdfDocument(pdf))
    printed = text_of(pdf)
    assert pages > 3 and f"Page {pages} of {pages}" in printed
    assert "121.20" in printed and printed.count("Payment or credit") >= 2


def test_the_next_statement_opens_at_the_closing_of_the_one_before(small: Published) -> None:
    reader = small.reader()
    for lease_id in ("t0001001", "F-1", "S-1"):
        march, april = (statement_of(reader, lease_id, month) for month in ("2026-03", "2026-04"))
        assert april.opening == march.closing


def test_all_statements_of_a_month_are_those_with_entries_or_a_balance(small: Published) -> None:
    leases = [lease_id for _, lease_id in statement_leases(small, "2026-04")]
    assert leases == ["F-1", "M-1", "S-1", "STM-01", "STM-02", "STM-04", "t0001001"]


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_statements_read_in_batches_are_the_statements_read_alone(
    small: Published, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr("apps.documents.statement.BATCH", batch)
    drawn_together = list(statement_pdfs(small, "2026-03", statement_leases(small, "2026-03")))
    assert [key for *key, _ in drawn_together] == [list(key) for key in statement_leases(small, "2026-03")]
    for source_system, lease_id, pdf in drawn_together:
        assert pdf == statement_pdf(small, lease_id, "2026-03", source_system=source_system)


@pytest.mark.parametrize(
    "lease_id, month, message",
    [
        ("NOPE", "2026-03", "Lease NOPE is not in the published build"),
        ("t0001001", "2026-13", "write it as year and month"),
        ("t0001001", "March", "write it as year and month"),
        ("t0001001", "2026-05", "has not begun"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(small: Published, lease_id: str, month: str, message: str) -> None:
    with pytest.raises(StatementRefused, match=message):
        statement_pdf(small, lease_id, month)


def test_figures_that_do_not_explain_each_other_are_refused(tmp_path: Path) -> None:
    maple = Property("p", "Pine", "e", "Pine LLC")
    account = Account("BAD", "p", "9", "A", [rent("c", "2026-03-01", "100"), payment("m", "2026-03-02", "40")])
    sound = Portfolio(date(2026, 3, 31), [maple], [account])
    publish(tmp_path / "unapplied", sound)
    assert statement_of(Published(tmp_path / "unapplied").reader(), "BAD", "2026-03").closing == money("60")
    path = publish(tmp_path / "broken", sound)
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute("update marts.open_charges_month_end set open_amount = open_amount - 1")
    with pytest.raises(StatementRefused, match="is not the closing balance"):
        statement_pdf(Published(tmp_path / "broken"), "BAD", "2026-03")


def test_a_lease_id_of_two_source_systems_must_be_told_apart(tmp_path: Path) -> None:
    path = publish(tmp_path, portfolio())
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "insert into marts.leases by name select * replace ('other' as source_system) from marts.leases"
            " where lease_id = 'M-1'"
        )
    published = Published(tmp_path)
    with pytest.raises(StatementRefused, match="several source systems"):
        statement_pdf(published, "M-1", "2026-04")
    assert statement_pdf(published, "M-1", "2026-04", source_system="default")


def test_a_statement_whose_total_is_wrong_is_refused(small: Published) -> None:
    from apps.documents.statement import _must_explain_itself

    statement = statement_of(small.reader(), "t0001001", "2026-03")
    with pytest.raises(StatementRefused, match="the ledger closes at"):
        _must_explain_itself(replace(statement, closing=statement.closing + 1))
