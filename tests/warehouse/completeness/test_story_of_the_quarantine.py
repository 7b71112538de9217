"""Four rows that waited, and how each left: its lease came, it was corrected, its fact had changed, a person decided.

June is closed before any of them arrives. Whatever becomes of them later, June stays as it was closed, to the cent.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from orchestration import pipeline
from orchestration.home import Home
from orchestration.landing import resolve_quarantine
from orchestration.report import close_report
from tests.conftest import Built, build_history, write_files
from tests.warehouse.subledger.portfolio import Portfolio

CLOSED, MONDAY, TUESDAY = "2026-07-02T18:00:00+00:00", "2026-07-06T18:00:00+00:00", "2026-07-07T18:00:00+00:00"
AS_OF = "2026-07-07"
JUNE = "select * exclude (entity_id) from trial_balance where period <= '2026-06' order by all"
RECEIPTS = "select source_id, cast(accounting_on as varchar), amount from resident_ledger where kind = 'payment'"


def first() -> Portfolio:
    """Two landlords, so that money for an unknown lease is nobody's until somebody says whose."""
    book = Portfolio()
    book.add("entities", entity_id="birch", name="Birch LLC", currency="USD", chart_id="main")
    home = (
        book.lease("HOME").charge("JUN", "rent", "2026-06-01", "1000.00").charge("JUL", "rent", "2026-07-01", "1000.00")
    )
    home.pay("P1", "2026-06-03", "400.00")
    return book.close("2026-06", "2026-07-02T12:00:00+00:00")


def charge(charge_id: str, code: str, amount: str, posted_on: str, **more: str) -> dict[str, str]:
    return {
        "charge_id": f"HOME.{charge_id}", "lease_id": "HOME", "charge_code": code, "amount": amount,
        "posted_on": posted_on, **more,
    }  # fmt: skip


WAITS = {
    "payments-2.csv": [
        {"payment_id": "EARLY", "lease_id": "LATE", "amount": "250.00", "received_on": "2026-06-28"},
        {"payment_id": "HUGE", "lease_id": "HOME", "amount": "100000000.00", "received_on": "2026-07-03"},
    ],
    "charges-2.csv": [charge("FEE", "fee", "12,50", "2026-07-02"), charge("JUN", "rent", "1100.00", "2026-06-01")],
}
COMES = {
    "leases-2.csv": [{"lease_id": "LATE", "property_id": "maple1", "unit_id": "maple1-u", "start_on": "2026-06-15"}],
    "charges-3.csv": [
        charge("FEE", "fee", "12.50", "2026-07-02"),
        charge("UNJUN", "rent", "-1000.00", "2026-07-06", reverses_charge_id="HOME.JUN"),
        charge("JUN2", "rent", "1100.00", "2026-06-01"),
    ],
}
Story = tuple[Built, list[str], Built]


@pytest.fixture(scope="module")
def before_and_after(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The home when all four wait, its report then, and the home when none does any more."""
    home = Home(tmp_path_factory.mktemp("story") / "home")
    before = build_history(home, [(CLOSED, first().files()), (MONDAY, WAITS)], AS_OF, each=False)
    told = close_report(home)
    ids = dict(before.landed("select reason, quarantine_id from landing.quarantine where status = 'open'"))
    with home.locked("test"):
        folder = write_files(tmp_path_factory.mktemp("comes"), COMES)
        pipeline.load(pipeline.begin(home, loaded_at=datetime.fromisoformat(TUESDAY)), folder)
        decided = datetime.fromisoformat(TUESDAY) + timedelta(hours=1)
        released = resolve_quarantine(home, ids["amount_out_of_range"], "Kim Lee", "A court paid it in", at=decided)
        aside = resolve_quarantine(home, ids["changed_fact"], "Kim Lee", "Undone and posted anew", at=decided)
        assert (released, aside) == ("released", "rejected")
    build, run = pipeline.run_folder(
        home, None, as_of=AS_OF, loaded_at=decided + timedelta(hours=1), expectations=False
    )
    return before, told, Built(home, build, run)


def test_four_rows_wait_each_with_its_reason(before_and_after: Story) -> None:
    before, told, _ = before_and_after
    assert before.rows("select reason, \"table\", amount from quarantine where status = 'open' order by reason") == [
        ("amount_out_of_range", "payments", Decimal("100000000.00")),
        ("changed_fact", "charges", Decimal("1100.00")),
        ("no_payee", "payments", Decimal("250.00")),
        ("not_an_amount", "charges", None),
    ]
    assert any("A changed fact is not replaced by a corrected row" in line for line in told)


def test_each_left_by_its_own_way(before_and_after: Story) -> None:
    after = before_and_after[2]
    assert sorted(after.landed("select row_key, status, resolved_by from landing.quarantine")) == [
        ("default:EARLY", "released", "run"),
        ("default:HOME.FEE", "rejected", "corrected by a later row"),
        ("default:HOME.JUN", "rejected", "Kim Lee: Undone and posted anew"),
        ("default:HUGE", "released", "Kim Lee: A court paid it in"),
    ]
    assert after.one("select count(*) from quarantine_summary") == 0


def test_what_reached_the_closed_month_is_booked_in_the_open_one(
    before_and_after: Story,
) -> None:
    before, _, after = before_and_after
    assert before.rows(RECEIPTS + " order by 1") == [("HOME.P1", "2026-06-03", Decimal("-400.00"))]
    assert after.rows(RECEIPTS + " order by 1") == [
        ("EARLY", "2026-07-01", Decimal("-250.00")),
        ("HOME.P1", "2026-06-03", Decimal("-400.00")),
        ("HUGE", "2026-07-03", Decimal("-100000000.00")),
    ]
    entries = after.rows(
        "select source_id, amount, entry_on, accounting_on from resident_ledger"
        " where lease_id = 'HOME' and kind <> 'payment' order by source_id"
    )
    june, july = date(2026, 6, 1), date(2026, 7, 1)
    assert entries == [
        ("HOME.FEE", Decimal("12.50"), date(2026, 7, 2), date(2026, 7, 2)),
        ("HOME.JUL", Decimal("1000.00"), july, july),
        ("HOME.JUN", Decimal("1000.00"), june, june),
        ("HOME.JUN2", Decimal("1100.00"), june, july),
        ("HOME.UNJUN", Decimal("-1000.00"), date(2026, 7, 6), date(2026, 7, 6)),
    ]


def test_the_closed_month_is_as_it_was_closed(before_and_after: Story) -> None:
    before, _, after = before_and_after
    assert before.rows(JUNE) == after.rows(JUNE) and before.rows(JUNE)
    assert after.rows("select * from tie_outs where difference <> 0") == []


def test_every_cent_of_every_file_is_still_accounted_for(before_and_after: Story) -> None:
    for built in (before_and_after[0], before_and_after[2]):
        assert built.rows(
            "select file from load_batches where amount_landed <> amount_loaded + amount_duplicate + amount_quarantined"
            " or rows_landed <> rows_loaded + rows_duplicate + rows_quarantined"
        ) == []  # fmt: skip
