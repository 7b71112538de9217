"""Two independent programs add the books up again: hledger and beancount accept them, and neither forgives a cent."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from apps.documents.books import beancount, hledger
from apps.documents.books.documents import documents_of
from apps.documents.books.export import export_books
from apps.documents.books.selection import Books, Entity, Scope, read_books
from apps.reports.published import Published
from orchestration.home import Home
from tests.apps.made_books import books, document, line

pytestmark = pytest.mark.journey

FULL = os.environ.get("TIEOUT_PROOF", "quick") == "full"
UTF8 = {**os.environ, "LC_ALL": "C.UTF-8"}


@pytest.fixture(scope="module")
def sample(sample_home: Home) -> Published:
    return Published(sample_home.path)


@pytest.fixture(scope="module")
def hledger_program() -> str:
    return _program("hledger", "hledger is not installed: apt-get install hledger")


def _program(name: str, message: str) -> str:
    found = shutil.which(name)
    if found:
        return found
    if os.environ.get("TIEOUT_ALL_TOOLS") == "1":
        pytest.fail(message)
    pytest.skip(message)


Check = Callable[[bytes], subprocess.CompletedProcess[str]]


@pytest.fixture
def hledger_check(hledger_program: str, tmp_path: Path) -> Check:
    def check(content: bytes) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "books.journal"
        file.write_bytes(content)
        command = [hledger_program, "-f", str(file), "check", "--strict", "ordereddates"]
        return subprocess.run(command, capture_output=True, text=True, env=UTF8, check=False)

    return check


@pytest.fixture
def bean_check(tmp_path: Path) -> Check:
    def check(content: bytes) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "books.beancount"
        file.write_bytes(content)
        command = [sys.executable, "-m", "beancount.scripts.check", "--no-cache", str(file)]
        return subprocess.run(command, capture_output=True, text=True, env=UTF8, check=False)

    return check


@cache
def content_of(sample: Published, format: str, scope: Scope, *, detail: bool) -> bytes:
    export = export_books(sample, format, scope, detail=detail)
    assert export.findings == []
    (content,) = export.files
    return content


BOOKS = ("accrual", "cash", "straight_line")
# Every entity in summary, and the events of one over a year's end in detail; all books and events in the full proof.
SCOPES = [(Scope(), False), (Scope(entity_id="birchline", from_period="2025-11", to_period="2026-02"), True)]
if FULL:
    SCOPES += [(Scope(book=book), detail) for book in BOOKS for detail in (True, False)]


@pytest.mark.parametrize(("scope", "detail"), SCOPES)
def test_both_accept_the_books_of_the_sample_and_refuse_a_cent_in_a_balance_or_a_posting(
    sample: Published, scope: Scope, detail: bool, hledger_check: Check, bean_check: Check
) -> None:
    for format, check in (("hledger", hledger_check), ("beancount", bean_check)):
        content = content_of(sample, format, scope, detail=detail)
        accepted = check(content)
        assert accepted.returncode == 0, f"{format}: {accepted.stdout}{accepted.stderr}"[:2000]
        for planted in (_cent_in_a_balance(content), _cent_moved(content)):
            refused = check(planted)
            said = refused.stdout + refused.stderr
            assert refused.returncode != 0 and "alance" in said, f"{format}: {said}"[:2000]


def _cent_in_a_balance(content: bytes) -> bytes:
    """A cent more in the middle one of the asserted balances."""
    found = list(re.finditer(rb"(?<= = )-?\d+\.\d\d(?= )|(?<=  )-?\d+\.\d\d(?= ~ 0\.00 )", content))
    hit = found[len(found) // 2]
    return content[: hit.start()] + _plus_a_cent(hit.group()) + content[hit.end() :]


def _cent_moved(content: bytes) -> bytes:
    """A cent from one posting of the middle entry to the other: it still balances, the accounts no longer do."""
    pattern = rb"\n +([A-Z][^\n]*?  )(-?\d+\.\d\d) ([A-Z]{3})\n +([A-Z][^\n]*?  )(-?\d+\.\d\d) \3\n\n"
    found = list(re.finditer(pattern, content))
    hit = found[len(found) // 2]
    less = str(Decimal(hit.group(5).decode()) - Decimal("0.01")).encode()
    moved = _plus_a_cent(hit.group(2)), less
    return b"".join(
        [content[: hit.start(2)], moved[0], content[hit.end(2) : hit.start(5)], moved[1], content[hit.end(5) :]]
    )


def _plus_a_cent(amount: bytes) -> bytes:
    return str(Decimal(amount.decode()) + Decimal("0.01")).encode()


@pytest.mark.parametrize("book", BOOKS)
def test_the_balances_of_hledger_equal_the_trial_balance_for_every_account_and_month(
    sample: Published, hledger_program: str, tmp_path: Path, book: str
) -> None:
    file = tmp_path / "books.journal"
    file.write_bytes(content_of(sample, "hledger", Scope(book=book), detail=FULL))
    answer = subprocess.run(
        [hledger_program, "-f", str(file), "balance", "--historical", "--monthly", "--flat", "-E", "-N", "-O", "csv"],
        capture_output=True, text=True, env=UTF8, check=True,
    )  # fmt: skip
    rows = list(csv.reader(io.StringIO(answer.stdout)))
    months = [day[:7] for day in rows[0][1:]]
    theirs = {
        (row[0], month): Decimal(cell.split(" ")[0])
        for row in rows[1:]
        for month, cell in zip(months, row[1:], strict=True)
    }
    ours = {
        (_account(row), row["period"]): row["closing"]
        for row in sample.rows("select * from trial_balance where book = ?", [book])
    }
    assert len(ours) > 2_000 and {month for _, month in ours} == set(months)
    assert {key: theirs[key] for key in ours} == ours
    # What the trial balance has no row for, because the account had not moved yet, is nothing there too.
    assert {amount for key, amount in theirs.items() if key not in ours} <= {Decimal("0")}


def _account(row: dict[str, object]) -> str:
    """The account's name in hledger, spelled out here on its own."""
    roots = {"asset": "Assets", "liability": "Liabilities", "equity": "Equity", "expense": "Expenses"}
    root = roots.get(str(row["account_type"]), "Income")
    place = row["property_id"] or "No property"
    return f"{root}:{row['entity_id']}:{row['account']} {row['account_name']}:{place}"


def test_every_row_of_the_trial_balance_is_asserted_in_both(sample: Published) -> None:
    (rows,) = sample.rows("select count(*) as n from trial_balance where book = 'accrual'")
    assert content_of(sample, "hledger", Scope(), detail=False).count(b"  0.00 ") == rows["n"]
    assert content_of(sample, "beancount", Scope(), detail=False).count(b" ~ 0.00 ") == rows["n"]


def test_a_document_keeps_its_number_in_every_range_and_an_export_its_bytes(sample: Published) -> None:
    long, short = (
        read_books(sample.reader(), Scope(entity_id="birchline", from_period=first, to_period="2026-10"))
        for first in ("2026-08", "2026-10")
    )
    for detail in (True, False):
        first, second = (
            {document.number: document for document in documents_of(made, detail=detail)} for made in (long, short)
        )
        assert second and len(first) > len(second)
        assert {number: first[number] for number in second} == second
    for format in ("hledger", "beancount"):
        scope = Scope(entity_id="birchline", from_period="2026-09", to_period="2026-10")
        again = [content_of(Published(sample.home), format, scope, detail=True) for _ in range(2)]
        assert again[0] == again[1]


def test_detail_and_summary_add_up_to_the_debits_and_credits_of_the_trial_balance(sample: Published) -> None:
    made = read_books(sample.reader(), Scope(from_period="2026-09", to_period="2026-10"))
    expected = {
        (row["entity_id"], row["property_id"], row["account"], row["period"]): (row["debits"], row["credits"])
        for row in sample.rows(
            "select * from trial_balance where book = 'accrual' and period in ('2026-09', '2026-10') "
            "and (debits <> 0 or credits <> 0)"
        )
    }
    for detail in (True, False):
        sums: dict[tuple[object, ...], tuple[Decimal, Decimal]] = {}
        for each in documents_of(made, detail=detail):
            assert each.debits == each.credits
            for part in each.lines:
                key = (each.entity.entity_id, each.property_id, part.account, f"{each.on:%Y-%m}")
                debits, credits = sums.get(key, (Decimal(0), Decimal(0)))
                sums[key] = (debits + part.debit, credits + part.credit)
        assert sums == expected


# Names that would end a field, start a comment or run, and letters of other scripts.
HOSTILE = 'Zażółć; =1+1  "x" \\ | ) <b>租金</b>\n2026-01-01 * (X) Injected'


HOME = "mąple (1)"


def hostile_books() -> Books:
    entity = Entity("default", "birch;line", HOSTILE, "USD")
    made = books(entities=[entity])
    balances = [
        replace(each, entity=entity, account_name=f"{each.account_name} {HOSTILE}", property_id=HOME, closing=value)
        for each, value in zip(made.balances[1:4:2], (Decimal("5.00"), Decimal("-5.00")), strict=True)
    ]
    return replace(made, balances=balances, properties={("default", HOME): HOSTILE}, incomplete=[HOSTILE])


def test_hostile_and_foreign_names_are_text_in_both_and_survive(hledger_check: Check, bean_check: Check) -> None:
    made = hostile_books()
    entity = made.entities[0]
    sold = document(line("1200", "5.00"), line("4000", "-5.00"), entity=entity, property_id=HOME, memo=HOSTILE)
    for ledger, check in ((hledger, hledger_check), (beancount, bean_check)):
        assert ledger.pre_flight(made, [sold]) == []
        content = ledger.write(made, [sold])
        accepted = check(content)
        assert accepted.returncode == 0, accepted.stdout + accepted.stderr
        text = content.decode()
        assert "Zażółć" in text and "租金" in text and "mąple" in text
        assert not re.search(r"^2026-01-01", text, re.MULTILINE)
        assert "INCOMPLETE" in text and "Build: 7" in text and "As of: 2026-11-05" in text


def test_a_fiscal_year_that_ends_moves_its_result_and_the_books_of_the_next_year_alone_open_with_it(
    sample: Published, hledger_check: Check
) -> None:
    scope = Scope(entity_id="birchline", from_period="2025-12", to_period="2026-01")
    content = content_of(sample, "hledger", scope, detail=False).decode()
    assert content.count("Opening balances") == 3  # one for each property; suspense held nothing that day
    assert re.search(
        r"^2026-01-01 \* \(Y\w{10}\) Result of the fiscal year to retained earnings", content, re.MULTILINE
    )
    alone = content_of(sample, "hledger", replace(scope, from_period="2026-01"), detail=False)
    assert b"Result of the fiscal year" not in alone and b"3900 Retained earnings" in alone
    assert hledger_check(alone).returncode == 0
