"""What was promised against what came, the source's own totals against ours, and the one meaning of incomplete."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pypdfium2
import pytest

from apps.documents.statement import statement_pdf
from apps.reports.published import Published
from orchestration.closing.close import Month, reasons_against
from orchestration.home import Home
from orchestration.report import close_report, falls_short
from tests.conftest import BuildOf, Built, build_history
from tests.warehouse.subledger.portfolio import Portfolio

FIRST, SECOND = "2026-07-02T08:00:00+00:00", "2026-07-09T08:00:00+00:00"
AS_OF = "2026-07-09"
CAUSES = "select cause, table_name, entity_id, property_id, cast(period_from as varchar), message from incomplete_data"


def town() -> Portfolio:
    """Two landlords, a property each (and a second one of maple's), a lease in each with rent of April to July."""
    book = Portfolio(properties={"maple1": "US-IA", "maple2": "US-IA"})
    book.add("entities", entity_id="birch", name="Birch LLC", currency="USD", chart_id="main")
    book.property("birch1", "US-IA", entity_id="birch")
    for lease, at in (("M1", "maple1"), ("M2", "maple2"), ("B1", "birch1")):
        household = book.lease(lease, at=at)
        for month in (4, 5, 6):
            household.charge(f"R{month}", "rent", f"2026-{month:02}-01", "1000.00")
    for lease, month in (("M1", 4), ("M1", 5), ("M1", 6), ("M2", 4), ("M2", 6), ("B1", 4), ("B1", 5)):
        book.add("payments", payment_id=f"{lease}.P{month}", lease_id=lease, amount="900.00",
                 received_on=f"2026-{month:02}-30")  # fmt: skip
    for at in ("maple1", "maple2", "birch1"):
        book.add("expected_batches", table_name="payments", period_grain="month", due_days=5, property_id=at,
                 valid_from="2026-04-01")  # fmt: skip
    book.add("expected_batches", table_name="charges", period_grain="month", due_days=5, valid_from="2026-03-15")
    book.add("expected_batches", table_name="bank_deposits", period_grain="day", due_days=1, valid_from="2026-07-01",
             valid_to="2026-07-03")  # fmt: skip
    book.add("expected_batches", table_name="leases", period_grain="week", due_days=0, valid_from="2026-06-24")
    for place, measure, amount in (
        ({"property_id": "maple1"}, "balance", "300.00"),
        ({"property_id": "maple2"}, "balance", "1200.01"),
        ({"lease_id": "B1"}, "receipts_in_month", "0.00"),
        ({"lease_id": "B1"}, "open_charges", "1200.00"),
        ({}, "charges_in_month", "3000.00"),
        ({}, "unapplied_credit", "0.00"),
    ):
        book.add("control_totals", source_report="Receivable Summary", as_of="2026-06-30", measure=measure,
                 amount=amount, **place)  # fmt: skip
    book.add("control_totals", source_report="Receivable Summary", as_of="2026-12-31", measure="balance", amount="1")
    return book


def loads(extra: dict[str, str] | None = None) -> list[tuple[str, dict[str, object]]]:
    return [(FIRST, town().files()), (SECOND, {"bank_deposits-2026-07-02.csv": HEADER, **(extra or {})})]


HEADER = "deposit_id,settlement_account,amount,deposited_on\n"


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(loads=loads({"payments-2026-06.csv": "payment_id\nP\n"}), as_of=AS_OF)


def statuses(built: Built, table: str, property_id: str | None = None) -> list[tuple[str, str]]:
    return built.rows(
        "select cast(period_from as varchar), status from batch_expectations where table_name = ?"
        " and property_id is not distinct from ? order by 1",
        [table, property_id],
    )


def test_a_promised_month_has_come_when_a_row_of_it_landed_after_its_end(built: Built) -> None:
    assert statuses(built, "payments", "maple1") == [
        ("2026-04-01", "late"), ("2026-05-01", "late"), ("2026-06-01", "arrived"), ("2026-07-01", "expected"),
    ]  # fmt: skip
    arrived = built.rows(
        "select due_on, arrived_on, batches from batch_expectations where property_id = 'maple1' and status = 'arrived'"
    )
    assert arrived == [(date(2026, 7, 5), date(2026, 7, 2), 1)]


def test_the_first_period_is_the_first_that_begins_in_the_promise(built: Built) -> None:
    assert statuses(built, "charges")[0] == ("2026-04-01", "late")


def test_a_file_named_for_a_day_brings_that_day_though_it_holds_no_row(built: Built) -> None:
    assert statuses(built, "bank_deposits") == [("2026-07-01", "missing"), ("2026-07-02", "late")]


def test_a_table_without_days_is_brought_by_what_landed_at_or_after_the_end_of_the_week(built: Built) -> None:
    assert statuses(built, "leases") == [("2026-06-29", "missing"), ("2026-07-06", "expected")]


def test_a_refused_file_is_named_once_and_not_as_a_missing_batch_too(built: Built) -> None:
    assert statuses(built, "payments", "maple2")[1] == ("2026-05-01", "refused")
    refused = [row for row in built.rows(CAUSES) if row[0] == "refused_file"]
    assert [(row[1], row[2], row[4]) for row in refused] == [("payments", None, None)]
    assert not [row for row in built.rows(CAUSES) if row[0] == "missing_batch" and row[1] == "payments"]


def test_control_totals_tie_to_the_cent_and_only_what_differs_is_a_cause(built: Built) -> None:
    rows = built.rows(
        "select subject, left_amount, right_amount, status from tie_outs where tie_out_no = 13 order by subject"
    )
    report = "in Receivable Summary of default"
    assert [(row[0], str(row[1]), str(row[2]), row[3]) for row in rows] == [
        (f"balance of property maple1 {report}", "300.00", "300.00", "ties"),
        (f"balance of property maple2 {report}", "1200.01", "1200.00", "differs"),
        (f"charges_in_month of default {report}", "3000.00", "3000.00", "ties"),
        (f"open_charges of lease B1 {report}", "1200.00", "1200.00", "ties"),
        (f"receipts_in_month of lease B1 {report}", "0.00", "0.00", "ties"),
        (f"unapplied_credit of default {report}", "0.00", "0.00", "ties"),
    ]
    (found,) = [row for row in built.rows(CAUSES) if row[0] == "control_total_differs"]
    assert found[2:5] == ("maple", "maple2", "2026-06-01")
    assert "the report says 1200.01, found here 1200.00, difference 0.01; look at control_totals.csv" in found[5]


def test_the_manifest_the_status_and_the_close_name_the_same_causes(built: Built) -> None:
    causes = sorted({row[5] for row in built.rows(CAUSES)})
    assert built.build.manifest["incomplete"] == causes and len(causes) == 4
    assert [line for line in falls_short(built.home) if line.startswith("Incomplete: ")] == [
        f"Incomplete: {cause}" for cause in causes
    ]
    assert all(any(cause in line for line in close_report(built.home)) for cause in causes)
    at = built.run.loaded_at
    maple = [
        line for line in reasons_against(built.home, Month("default", "maple", "2026-06"), at) if "incompl" in line
    ]
    birch = [
        line for line in reasons_against(built.home, Month("default", "birch", "2026-06"), at) if "incompl" in line
    ]
    assert any("1200.01" in line for line in maple) and not any("1200.01" in line for line in birch)
    assert any("payments-2026-06.csv" in line for line in birch), "who knows whose rows a refused file held"
    assert not any("bank_deposits" in line for line in maple), "a day of July is nothing that June lacks"
    april = [
        line for line in reasons_against(built.home, Month("default", "maple", "2026-04"), at) if "incompl" in line
    ]
    assert len(april) == 1 and "payments-2026-06.csv" in april[0]


def test_a_statement_says_that_it_may_lack_something_and_nothing_of_anybody_else(built: Built) -> None:
    def text(lease: str, month: str) -> str:
        document = pypdfium2.PdfDocument(statement_pdf(Published(built.home.path), lease, month))
        return " ".join(" ".join(page.get_textpage().get_text_range() for page in document).split())

    refused = "A file of payments that was sent to us could not be read yet."
    differs = "A total of Jun 30, 2026 in the report of another system differs from the books"
    assert "These figures are incomplete." in text("M2", "2026-06")
    assert refused in text("M2", "2026-06") and differs in text("M2", "2026-06")
    assert refused in text("M1", "2026-06") and differs not in text("M1", "2026-06")
    assert differs not in text("M2", "2026-05"), "June is not yet due to the reader of May"
    assert "1200" not in text("M1", "2026-06").replace("1,200", ""), "totals of others are nobody's business"


def test_what_was_missing_and_came_is_missing_no_more(built: Built, tmp_path: Path) -> None:
    late = {"payment_id": "M2.P5", "lease_id": "M2", "amount": "0.01", "received_on": "2026-05-30"}
    also = {"payment_id": "B1.P6", "lease_id": "B1", "amount": "5.00", "received_on": "2026-06-30"}
    home = Home(tmp_path / "home")
    shutil.copytree(built.home.path, home.path, symlinks=True)
    good = {"payments-2026-06.csv": [also], "payments-may.csv": [late]}
    now = build_history(home, [("2026-07-09T09:00:00+00:00", good)], AS_OF)
    assert now.rows(CAUSES + " where table_name = 'payments'") == []
    assert statuses(now, "payments", "maple2")[1] == ("2026-05-01", "late")
    assert now.landed("select file from landing.batches where status = 'withdrawn'") == [("payments-2026-06.csv",)]
