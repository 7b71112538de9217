"""The books of worked cases, to the cent: who owes, what waits, what is cash and what is income, on which day.

Figures stand in `figures.csv` beside the sentence that each proves; the facts behind them in `portfolio.py`. The cases
named CLO, GLT and RET are public questions about rental books that went wrong; the others walk the rest of the events.
"""

from __future__ import annotations

import csv
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.warehouse.books.conftest import Books

ACCOUNTS = {
    "receivable": "Receivable, residents",
    "receivable_subsidy": "Receivable, subsidy",
    "prepaid": "Prepaid",
    "cash": "Cash",
    "trust_cash": "Trust cash",
    "clearing": "Platform clearing",
    "suspense": "Suspense",
    "deposits_billed": "Deposits billed",
    "deposits_held": "Deposits held",
    "forfeited_deposits": "Forfeited deposits",
    "deposit_interest": "Interest on deposits",
    "income": "Income",
    "parking_income": "Parking income",
    "late_fee_income": "Late fee income",
    "concessions": "Concessions",
    "tax_payable": "Tax payable",
    "bad_debt": "Bad debt",
    "bad_debt_recovered": "Bad debt recovered",
    "intercompany": "Intercompany",
    "agreements_receivable": "Agreements receivable",
    "unreported_income": "Unreported income agreements",
    "opening_equity": "Opening equity",
    "retained_earnings": "Retained earnings",
    "subsidy_clearing": "Subsidy clearing",
    "deferred_rent": "Deferred rent",
}
DAILY = (
    "open_charges__to__receivable_account",
    "waiting_money__to__prepaid_account",
    "account_balances__to__ledger_accounts",
    "deposits_held__to__deposits_account",
    "deposits_overdrawn__to__zero",
    "debits__to__credits",
    "agreements_owed__to__agreement_account",
    "business_dates__to__late_arrivals",
    "unmatched_receipts__to__suspense_account",
)


def figures() -> list[dict[str, str]]:
    with (Path(__file__).parent / "figures.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measured(books: Books, entity: str, on: str, measure: str, book: str = "accrual") -> Decimal:
    kind, _, name = measure.rpartition(".")
    if kind == "aging":
        return books.one(
            f"""
            select sum({name}) from marts.aging_month_end
            where entity_id = ? and as_of = cast(? as date) and basis = 'business'
            """,
            entity, on,
        )  # fmt: skip
    if kind in ("month", "closing"):
        column = "closing" if kind == "closing" else "debits - credits"
        return books.one(
            f"""
            select coalesce(sum({column}), 0)
                * case when any_value(account_type) in ('liability', 'equity', 'income') then -1 else 1 end
            from marts.trial_balance
            where entity_id = ? and period = ? and account_name = ? and book = ?
            """,
            entity, on[:7], ACCOUNTS[name], book,
        )  # fmt: skip
    return books.balance(entity, ACCOUNTS[measure], on, book=book)


@pytest.mark.parametrize(
    "figure", figures(), ids=lambda row: f"{row['case']}-{row['entity']}-{row['on']}-{row['measure']}"
)
def test_the_books_hold_the_figure_that_was_worked_out(worked: Books, figure: dict[str, str]) -> None:
    found = measured(worked, figure["entity"], figure["on"], figure["measure"])
    assert found == Decimal(figure["expected"]), figure["says"]


@pytest.mark.parametrize("tie_out", DAILY)
def test_every_daily_tie_out_of_the_worked_example_holds_on_each_of_its_61_days(worked: Books, tie_out: str) -> None:
    rows = worked.rows(
        "select as_of, left_amount, right_amount, difference, status from marts.tie_outs "
        "where tie_out = ? and entity_id = 'WORKED' order by as_of",
        tie_out,
    )
    days = [date(2026, 10, 1) + timedelta(days=day) for day in range(61)]
    assert [row[0] for row in rows] == days
    assert all(left == right and difference == 0 and status == "ties" for _, left, right, difference, status in rows)


def test_the_late_check_moves_applications_between_months_with_no_net_line(worked: Books) -> None:
    lines = worked.rows(
        "select account_name, debit, credit, accounting_on, entry_on from marts.gl_entries "
        "where source_id = 'WORKED-P2' and book = 'accrual' order by line_no"
    )
    first_open, its_day = date(2026, 11, 1), date(2026, 10, 2)
    assert lines == [
        ("Cash", Decimal("100.00"), Decimal("0.00"), first_open, its_day),
        ("Receivable, residents", Decimal("0.00"), Decimal("100.00"), first_open, its_day),
    ]
    moved = worked.rows(
        "select count(*) from marts.payment_applications where lease_id = 'WORKED' and reason = 'correction'"
    )
    assert moved[0][0] > 0, "the check of the 2nd takes the place of the payment of the 3rd in October"


def test_what_arrived_late_is_listed_with_both_dates(worked: Books) -> None:
    late = worked.rows(
        "select source_id, amount, entry_on, accounting_on, closed_period, cause from marts.late_arrivals "
        "where entity_id in ('WORKED', 'CLO-06') order by source_id"
    )
    assert late == [
        ("CLO-06-TRUE", Decimal("-40.00"), date(2022, 2, 1), date(2022, 3, 1), "2022-02", "backdated_into_closed"),
        ("WORKED-P2", Decimal("-100.00"), date(2026, 10, 2), date(2026, 11, 1), "2026-10", "backdated_into_closed"),
    ]


def test_clo_06_a_true_up_books_on_the_first_open_day_and_keeps_its_service_month(worked: Books) -> None:
    """Booked on the first day of March, though later months are open too, it is still a correction of February."""
    row = worked.rows(
        "select service_from, accounting_on, amount from marts.resident_ledger where source_id = 'CLO-06-TRUE'"
    )
    assert row == [(date(2022, 2, 1), date(2022, 3, 1), Decimal("-40.00"))]


def test_glt_04_a_payment_that_is_not_posted_counts_neither_in_aging_nor_in_the_ledger(worked: Books) -> None:
    for build, owed in (("first", Decimal(10)), ("second", Decimal(5))):
        aging = worked.one(
            "select sum(open_total) from marts.aging_month_end "
            "where entity_id = 'GLT-04' and basis = 'business' and as_of = '2026-06-30'",
            build=build,
        )
        assert aging == worked.balance("GLT-04", "Receivable, residents", "2026-06-30", build=build) == owed


def test_glt_03_a_bill_with_tax_is_owed_and_paid_in_total(worked: Books) -> None:
    owed = [worked.balance("GLT-03", "Receivable, residents", f"2022-11-{day}") for day in ("01", "14", "15")]
    assert owed == [Decimal("1198.88"), Decimal("1198.88"), Decimal(0)]
    assert worked.balance("GLT-03", "Parking income", "2022-11-15") == Decimal("1168.67")
    assert worked.balance("GLT-03", "Tax payable", "2022-11-15") == Decimal("30.21")


def test_glt_05_a_corrected_payment_and_its_correction_both_count(worked: Books) -> None:
    paid = worked.one(
        "select -sum(amount) from marts.resident_ledger "
        "where lease_id = 'GLT-05' and kind in ('payment', 'payment_return')"
    )
    still_open = worked.one("select sum(open_amount) from marts.open_charges where lease_id = 'GLT-05'")
    assert (paid, still_open) == (Decimal(300), Decimal(600))
    assert worked.balance("GLT-05", "Receivable, residents", "2026-06-30") == Decimal(600)


def test_clo_03_an_entry_of_a_closed_year_is_undone_in_an_open_month(worked: Books) -> None:
    undone = worked.rows(
        "select kind, accounting_on::varchar from marts.resident_ledger where source_id = 'CLO-03-REV'"
    )
    assert undone == [("charge_reversal", "2026-05-25")]
    year = (
        "select book, period, account, opening, debits, credits, closing from marts.trial_balance "
        "where entity_id = 'CLO-03' and period <= '2025-12' order by all"
    )
    assert worked.rows(year) == worked.rows(year, build="first") != []
    owed = [worked.balance("CLO-03", "Receivable, residents", on) for on in ("2025-12-31", "2026-05-24", "2026-05-31")]
    assert owed == [Decimal(500), Decimal(500), Decimal(0)]


def test_closed_months_are_the_same_cent_for_cent_after_the_late_facts(worked: Books) -> None:
    """Closed months of nineteen entities in all three books, before and after what became known later."""
    closed = (
        "select tb.book, tb.entity_id, tb.property_id, tb.account, tb.period, opening, debits, credits, closing "
        "from marts.trial_balance tb join marts.close_status c on c.entity_id = tb.entity_id and c.period = tb.period "
        "where c.is_closed order by all"
    )
    before = worked.rows(closed, build="first")
    assert len({row[1] for row in before}) == 19 and len({row[0] for row in before}) == 3
    assert worked.rows(closed) == before


def test_the_balances_kept_at_a_close_are_compared_with_the_balances_now(worked: Books) -> None:
    kept = worked.rows(
        "select entity_id, sum(abs(left_amount)), count(*) filter (where status <> 'ties') "
        "from marts.tie_outs where tie_out = 'balances_at_close__to__balances_now' group by entity_id"
    )
    assert {row[0] for row in kept} == {
        "WORKED", "CLO-01", "CLO-03", "CLO-06", "SUSPENSE", "SELLER", "OLD-OWNER",
        "HEARD-LATE", "CLO-02", "CLO-05", "CLO-08", "BOUNCED", "LATE-BOOKS",
        "HEIR", "FORMER", "HEIR-2", "LATE-AGAIN", "LOCKBOX", "TERM-HEARD-LATE",
    }  # fmt: skip
    assert all(amount > 0 and differing == 0 for _, amount, differing in kept)


def test_no_tie_out_differs_anywhere(worked: Books) -> None:
    ours = "tie_out_no not in (6, 7, 13, 14)"  # those compare with other people's books, which have planted differences
    assert worked.rows(f"select * from marts.tie_outs where {ours} and (status <> 'ties' or difference <> 0)") == []
    assert {row[0] for row in worked.rows("select distinct tie_out from marts.tie_outs")} >= {
        *DAILY,
        "closed_months_then__to__closed_months_now",
        "balances_at_close__to__balances_now",
        "batch_rows__to__outcomes",
        "batch_amounts__to__outcomes",
        "receivable_roll_forward__to__trial_balance",
    }


def test_the_roll_forward_adds_up_and_closes_at_the_receivable(worked: Books) -> None:
    broken = worked.rows(
        "select * from marts.receivable_roll_forward "
        "where opening + charges + credits + receipts + returns + write_offs + transfers <> closing"
    )
    assert broken == []
    november = worked.rows(
        "select sum(opening), sum(charges), sum(credits), sum(receipts), sum(returns), sum(closing) "
        "from marts.receivable_roll_forward where entity_id = 'WORKED' and period = '2026-11'"
    )
    assert november == [tuple(map(Decimal, ("0.00", "1000.00", "-150.00", "-300.00", "1200.00", "1750.00")))]


def test_close_status_says_who_closed_what_and_what_came_late(worked: Books) -> None:
    rows = worked.rows(
        "select period, is_closed, closed_by, is_over, tie_outs_that_differ, late_arrivals, late_arrivals_amount "
        "from marts.close_status where entity_id = 'WORKED' order by period"
    )
    assert rows == [
        ("2026-10", True, "A. Controller", True, 0, 0, Decimal("0.00")),
        ("2026-11", False, None, False, 0, 1, Decimal("-100.00")),
    ]


def test_closing_a_month_closes_all_earlier_ones(worked: Books) -> None:
    open_months = worked.rows(
        "select period from marts.close_status where entity_id = 'CLO-03' and period <= '2025-12' and not is_closed"
    )
    assert open_months == []


def test_every_journal_names_the_row_that_caused_it_and_keeps_to_one_entity(worked: Books) -> None:
    broken = worked.rows(
        "select journal_id from marts.gl_entries group by journal_id "
        "having count(distinct entity_id) > 1 or count(distinct source_id) > 1 or sum(debit) <> sum(credit) "
        "or count(source_id) < count(*)"
    )
    assert broken == []


def test_earlier_journals_keep_every_line_and_id_when_more_becomes_known(worked: Books) -> None:
    lines = (
        "select journal_id, line_no, account, debit, credit, accounting_on, entry_on, source_id from marts.gl_entries"
    )
    before, after = set(worked.rows(lines, build="first")), set(worked.rows(lines))
    assert before and before <= after


def test_the_build_says_what_it_is(worked: Books) -> None:
    assert worked.rows("select build_no, as_of from marts.build_info") == [(2, date(2026, 11, 30))]


def test_what_a_lockbox_reports_under_its_own_system_stands_on_the_ledger_of_the_household(worked: Books) -> None:
    """Pages and statements ask for a lease by its system and id: the payments were missing there, and the bridge to the
    claim fell in two, which stopped the build."""
    ledger = worked.rows(
        "select source_system, kind, amount, running_balance from marts.resident_ledger where lease_id = 'LOCKBOX' "
        "order by entry_seq"
    )
    assert ledger == [
        ("default", "charge", Decimal("500.00"), Decimal("500.00")),
        ("default", "payment", Decimal("-300.00"), Decimal("200.00")),
        ("default", "payment", Decimal("-80.00"), Decimal("120.00")),
    ]
    bridge = worked.rows(
        "select line, amount from marts.arrears_bridge where lease_id = 'LOCKBOX' and forum = 'earliest_rent' "
        "order by line_no"
    )
    assert bridge == [("Ledger balance", Decimal("120.00")), ("Rent claimed", Decimal("120.00"))]
    assert worked.rows("select distinct source_system from marts.payment_applications where lease_id = 'LOCKBOX'") == [
        ("default",)
    ]
