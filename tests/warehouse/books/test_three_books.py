"""The same facts in three books: what is income and when, in the accrual, the cash and the straight-line book.

Figures stand in `figures_of_books.csv` beside the arithmetic of each; the facts behind them in `portfolio.py`.
"""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from tests.warehouse.books.conftest import Books
from tests.warehouse.books.test_worked_cases import measured


def figures() -> list[dict[str, str]]:
    with (Path(__file__).parent / "figures_of_books.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_book_holds_the_figures_that_were_worked_out(worked: Books) -> None:
    wrong = [
        f"{row['entity']} {row['book']} {row['on']} {row['measure']}: {found}, worked out "
        f"{row['expected']} ({row['says']})"
        for row in figures()
        if (found := measured(worked, row["entity"], row["on"], row["measure"], row["book"]))
        != Decimal(row["expected"])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("entity", "period", "pair", "results", "to_date"),
    [
        # Rent 1200 less the free month, against 1200 less January's share of it.
        ("FREE", "2026-01", ("accrual", "straight_line"), ("0.00", "1098.08", "-1098.08"), "-1098.08"),
        ("FREE", "2026-02", ("accrual", "straight_line"), ("1200.00", "1107.95", "92.05"), "-1006.03"),
        ("FREE", "2026-02", ("accrual", "cash"), ("1200.00", "1200.00", "0.00"), "0.00"),
        ("FREE", "2026-02", ("cash", "straight_line"), ("1200.00", "1107.95", "92.05"), "-1006.03"),
        # Rent 1200 and 604.93 charged back, against rent less June's own share.
        ("EARLY", "2026-06", ("accrual", "straight_line"), ("1804.93", "1101.37", "703.56"), "0.00"),
        ("RENEWAL", "2026-06", ("accrual", "straight_line"), ("-600.00", "0.00", "-600.00"), "-600.00"),
        ("RENEWAL", "2026-07", ("accrual", "straight_line"), ("0.00", "-50.96", "50.96"), "-549.04"),
    ],
)
def test_the_difference_of_two_books_is_published_month_by_month(
    worked: Books, entity: str, period: str, pair: tuple[str, str], results: tuple[str, str, str], to_date: str
) -> None:
    rows = worked.rows(
        "select left_result, right_result, difference, difference_to_date from marts.book_differences "
        "where entity_id = ? and period = ? and left_book = ? and right_book = ?",
        entity, period, *pair,
    )  # fmt: skip
    assert rows == [tuple(map(Decimal, (*results, to_date)))]


def test_the_memo_says_how_large_a_difference_is_and_asks_about_a_large_one(worked: Books) -> None:
    memo = (
        "select is_asked_about, memo from marts.book_differences "
        "where entity_id = ? and period = ? and left_book = 'accrual' and right_book = 'straight_line'"
    )
    assert worked.rows(memo, "FREE", "2026-02") == [
        (
            True,
            "The accrual book shows 92.05 more than the straight-line book in the month (1200.00 against 1107.95), "
            "-1006.03 in all so far. That is 5% of its result or more: say in the close why it is not material.",
        )
    ]
    assert worked.rows(memo, "WORKED", "2026-10") == [(False, "Both books show the same result.")]


def test_every_book_balances_by_journal_and_nets_to_zero_every_month(worked: Books) -> None:
    assert {row[0] for row in worked.rows("select distinct book from marts.gl_entries")} == {
        "accrual", "cash", "straight_line",
    }  # fmt: skip
    assert (
        worked.rows("select journal_id from marts.gl_entries group by journal_id having sum(debit) <> sum(credit)")
        == []
    )
    open_months = worked.rows(
        "select book, entity_id, period from marts.trial_balance group by all having sum(closing) <> "
        "0 or sum(opening) <> 0"
    )
    assert open_months == []


def test_the_books_agree_wherever_they_must(worked: Books) -> None:
    """Cash, clearing, suspense and deposits are the same in every book; a straight-line book has the accrual book's
    debts."""
    differing = worked.rows(
        """
        select entity_id, property_id, account_name, period
        from marts.trial_balance
        where account_name in ('Cash', 'Trust cash', 'Platform clearing', 'Suspense', 'Deposits held')
        group by all having max(closing) <> min(closing) or count(*) <> 3
        """
    )
    assert differing == []
    differing = worked.rows(
        """
        select entity_id, property_id, account_name, period
        from marts.trial_balance
        where book <> 'cash' and account_name not in ('Concessions', 'Deferred rent', 'Retained earnings')
        group by all having max(closing) <> min(closing) or count(*) <> 2
        """
    )
    assert differing == []


def test_in_the_cash_book_prepaid_is_the_money_that_waits_and_only_money(worked: Books) -> None:
    """Credits that wait are no money; what stands as prepaid in the cash book is payments, deposits and old money."""
    waits = worked.rows(
        "select lease_id, sum(amount) from marts.unapplied_credits where "
        "source_kind in ('payment', 'deposit_applied', 'opening_balance') group by 1 order by 1"
    )
    prepaid = worked.rows(
        "select lease_id, sum(credit - debit) from marts.gl_entries where book = 'cash' and account_name = 'Prepaid' "
        "group by 1 having sum(credit - debit) <> 0 order by 1"
    )
    assert waits == prepaid and len(waits) == 5


def test_a_concession_that_is_heard_of_after_a_close_is_earned_in_the_first_open_month(worked: Books) -> None:
    """600 over the 181 days from January to June; 90 of them, 298.34, were over in March, which was closed without it.

    Its shares were booked in the closed months, which stopped the build."""
    for on, put_off, earned in (
        ("2026-03-31", "0.00", "0.00"),
        ("2026-04-01", "301.66", "298.34"),
        ("2026-05-31", "99.45", "500.55"),
        ("2026-06-30", "0.00", "600.00"),
    ):
        assert worked.balance("TERM-HEARD-LATE", "Deferred rent", on, book="straight_line") == Decimal(put_off), on
        assert worked.balance("TERM-HEARD-LATE", "Concessions", on, book="straight_line") == Decimal(earned), on
    assert worked.balance("TERM-HEARD-LATE", "Concessions", "2026-04-01") == 600
    assert worked.balance("TERM-HEARD-LATE", "Concessions", "2026-03-31") == 0
