"""Closed months: what people try on them, what comes after, and how a reported figure and today's explain each other.

The cases named CLO and GLT are public questions about closed periods and about books that moved by themselves.
"""

from __future__ import annotations

from decimal import Decimal

from tests.warehouse.books.conftest import Books

BALANCES = (
    "select account_name, as_reported, came_late, as_now from marts.reported_balances "
    "where entity_id = ? and closed_period = ? order by account_name"
)


def test_show_a_payment_that_bounces_across_a_close(worked: Books) -> None:
    """Bounced on 30 December, heard of on 4 January, when December is closed: three reports, one explanation."""
    december = (
        "select book, account, opening, debits, credits, closing from marts.trial_balance "
        "where entity_id = 'BOUNCED' and period = '2025-12' order by all"
    )
    assert worked.rows(december) == worked.rows(december, build="first") != []
    assert worked.balance("BOUNCED", "Receivable, residents", "2025-12-31") == Decimal(0)
    assert worked.balance("BOUNCED", "Receivable, residents", "2026-01-01") == Decimal(800), "the open month carries it"
    register = worked.rows(
        "select entry_on::varchar, closed_period, accounting_on::varchar, period, days_late, amount, cause from "
        "marts.late_arrivals "
        "where source_id = 'BOUNCED-P1-R'"
    )
    assert register == [
        ("2025-12-30", "2025-12", "2026-01-01", "2026-01", 5, Decimal("800.00"), "backdated_into_closed"),
    ]
    assert worked.rows(BALANCES, "BOUNCED", "2025-12") == [
        ("Cash", Decimal("800.00"), Decimal("-800.00"), Decimal("0.00")),
        ("Income", Decimal("-800.00"), Decimal("0.00"), Decimal("-800.00")),
        ("Receivable, residents", Decimal("0.00"), Decimal("800.00"), Decimal("800.00")),
    ]
    changes = worked.rows(
        "select account_name, event, source_id, days_after_month, amount, row_number > 0 from marts.reported_changes "
        "where entity_id = 'BOUNCED' order by account_name"
    )
    assert changes == [
        ("Cash", "payment_return", "BOUNCED-P1-R", 1, Decimal("-800.00"), True),
        ("Receivable, residents", "payment_return", "BOUNCED-P1-R", 1, Decimal("800.00"), True),
    ]


def test_clo_01_a_return_dated_after_the_month_changes_nothing_that_was_reported(worked: Books) -> None:
    assert {row[2] for row in worked.rows(BALANCES, "CLO-01", "2025-12")} == {Decimal("0.00")}


def test_clo_02_a_return_dated_back_into_a_closed_month_is_moved_and_keeps_its_day(worked: Books) -> None:
    row = worked.rows(
        "select entry_on::varchar, accounting_on::varchar, amount from marts.resident_ledger where "
        "source_id = 'CLO-02-P1-R'"
    )
    assert row == [("2026-03-03", "2026-04-01", Decimal("950.00"))]
    march = (
        "select book, account, debits, credits, closing from marts.trial_balance "
        "where entity_id = 'CLO-02' and period = '2026-03' order by all"
    )
    assert worked.rows(march) == worked.rows(march, build="first") != []


def test_clo_05_whatever_is_tried_on_a_closed_month_it_stays_as_it_was(worked: Books) -> None:
    """Added, reversed, moved and closed again in February 2018: what can be accepted is booked on 1 April, the rest
    is refused."""
    closed = (
        "select book, account, period, closing from marts.trial_balance "
        "where entity_id = 'CLO-05' and period <= '2018-03' order by all"
    )
    assert worked.rows(closed) == worked.rows(closed, build="first") != []
    booked = worked.rows(
        "select source_id, entry_on::varchar, accounting_on::varchar from marts.resident_ledger "
        "where source_id in ('CLO-05-ADDED', 'CLO-05-REV') order by source_id"
    )
    assert booked == [("CLO-05-ADDED", "2018-02-10", "2018-04-01"), ("CLO-05-REV", "2018-02-11", "2018-04-01")]
    moved = worked.rows("select status, reason from marts.quarantine where raw like '%CLO-05-APR%'")
    assert moved == [("open", "changed_fact")]
    again = worked.rows(
        "select period, is_closed, closed_by from marts.close_status where entity_id = 'CLO-05' and period = '2018-02'"
    )
    assert again == [("2018-02", True, "A. Controller")], "a second close of a closed month changes nothing"


def test_clo_08_a_rent_lowered_back_is_trued_up_month_by_month(worked: Books) -> None:
    corrections = worked.rows(
        "select service_from::varchar, amount, accounting_on::varchar from marts.resident_ledger "
        "where lease_id = 'CLO-08' and ledger_party = 'resident' and source_id like 'CLO-08-T%' order by 1"
    )
    assert corrections == [
        ("2020-04-01", Decimal("-200.00"), "2020-06-01"),
        ("2020-05-01", Decimal("-200.00"), "2020-06-01"),
        ("2020-06-01", Decimal("-200.00"), "2020-06-01"),
        ("2020-07-01", Decimal("-200.00"), "2020-07-01"),
    ]
    for on, resident, agency in (("2020-05-31", 1000, 0), ("2020-06-30", 900, 600), ("2020-07-31", 1200, 800)):
        assert worked.balance("CLO-08", "Receivable, residents", on) == resident, on
        assert worked.balance("CLO-08", "Receivable, subsidy", on) == agency, on
    assert worked.balance("CLO-08", "Subsidy clearing", "2020-07-31") == 0, "contract rent is unchanged"


def test_glt_07_a_report_of_a_month_does_not_depend_on_the_day_it_is_run(worked: Books) -> None:
    """Built as of 5 November and as of 30 November, the year ends look the same."""
    years = (
        "select period, account_name, closing from marts.trial_balance where book = 'accrual' and "
        "entity_id in ('YEAR', 'LEAP') "
        "and account_name in ('Income', 'Retained earnings') and period <= '2026-01' order by all"
    )
    assert worked.rows(years) == worked.rows(years, build="first")
    year = {(period, name): amount for period, name, amount in worked.rows(years.replace("'YEAR', 'LEAP'", "'YEAR'"))}
    assert year["2025-12", "Income"] == Decimal(-12000)
    assert year["2026-01", "Income"] == Decimal(-1000) and year["2026-01", "Retained earnings"] == Decimal(-12000)


def test_glt_10_tenths_add_up_eight_hundred_times(worked: Books) -> None:
    assert worked.balance("GLT-10", "Receivable, residents", "2026-06-30") == Decimal("480.00")
    journals = worked.rows(
        "select count(*), count(*) filter (debits <> credits), sum(debits) from (select sum(debit) "
        "as debits, sum(credit) as credits "
        "from marts.gl_entries where entity_id = 'GLT-10' and book = 'accrual' group by journal_id)"
    )
    assert journals == [(2400, 0, Decimal("480.00"))]


def test_as_reported_is_what_was_published_at_the_close_and_the_rows_between_explain_today(worked: Books) -> None:
    """Every closed month of every entity: reported plus what came late is what all facts say by business date."""
    then = worked.rows(
        "select entity_id, period, account, closing from marts.trial_balance where book = 'accrual' order by all",
        build="first",
    )
    reported = worked.rows(
        "select entity_id, closed_period, account, as_reported from marts.reported_balances where as_reported <> 0"
    )
    assert len(reported) > 15 and set(reported) <= set(then)
    now = worked.rows(
        """
        select b.entity_id, b.property_id, b.closed_period, b.account, b.as_now, coalesce(sum(g.debit - g.credit), 0)
        from marts.reported_balances b
        left join marts.gl_entries g
            on g.book = 'accrual' and g.entity_id = b.entity_id and g.account = b.account
            and g.property_id is not distinct from b.property_id
            and g.entry_on <= last_day(cast(b.closed_period || '-01' as date))
        where b.entity_id not in ('SELLER', 'OLD-OWNER') and b.account_name not like 'Receivable%'
            and b.account_name <> 'Prepaid'
        group by all having b.as_now <> coalesce(sum(g.debit - g.credit), 0)
        """
    )
    assert now == []


def test_as_now_a_closed_month_is_owed_and_waits_for_what_its_accounts_say_by_business_date(worked: Books) -> None:
    """Account by account: what came late moves money between later charges, which is none of the month.

    It showed a receivable below zero, or money waiting that was none, as soon as later payments paid other charges.
    """
    differing = worked.rows(
        """
        with told as (
            select entity_id, property_id, closed_period,
                sum(case when account_name like 'Receivable%' then as_now else 0 end) as owed,
                -sum(case when account_name = 'Prepaid' then as_now else 0 end) as waiting
            from marts.reported_balances group by all
        ),
        aged as (
            select entity_id, property_id, strftime(as_of, '%Y-%m') as closed_period, sum(open_total) as owed,
                sum(unapplied_credit) as waiting
            from marts.aging_month_end where basis = 'business' and as_of = last_day(as_of) group by all
        )
        select told.*, aged.owed, aged.waiting
        from told left join aged using (entity_id, property_id, closed_period)
        where (told.owed, told.waiting) <> (coalesce(aged.owed, 0), coalesce(aged.waiting, 0))
            and entity_id not in ('SELLER', 'OLD-OWNER', 'FORMER', 'FORMER-2', 'HEIR', 'HEIR-2')
        """
    )
    assert differing == []
    assert worked.rows(BALANCES, "LATE-AGAIN", "2026-10") == [
        ("Agreements receivable", Decimal("0.00"), Decimal("240.00"), Decimal("240.00")),
        ("Cash", Decimal("500.00"), Decimal("500.00"), Decimal("1000.00")),
        ("Income", Decimal("-500.00"), Decimal("0.00"), Decimal("-500.00")),
        ("Prepaid", Decimal("0.00"), Decimal("-500.00"), Decimal("-500.00")),
        ("Receivable, residents", Decimal("0.00"), Decimal("0.00"), Decimal("0.00")),
        ("Unreported income agreements", Decimal("0.00"), Decimal("-240.00"), Decimal("-240.00")),
    ]


def test_a_month_that_was_closed_only_with_a_later_one_is_explained_too(worked: Books) -> None:
    assert worked.rows(BALANCES, "LATE-AGAIN", "2026-09") == [
        ("Cash", Decimal("0.00"), Decimal("500.00"), Decimal("500.00")),
        ("Income", Decimal("-500.00"), Decimal("0.00"), Decimal("-500.00")),
        ("Receivable, residents", Decimal("500.00"), Decimal("-500.00"), Decimal("0.00")),
    ]


def test_an_agreement_signed_in_a_closed_month_and_heard_of_later_is_listed(worked: Books) -> None:
    """It is none of an account, and was booked in the open month without standing in the list."""
    listed = worked.rows(
        "select kind, entry_on::varchar, closed_period, accounting_on::varchar, amount from marts.late_arrivals "
        "where source_id = 'AG5'"
    )
    assert listed == [("agreement_signed", "2026-10-20", "2026-10", "2026-11-01", Decimal("240.00"))]


def test_the_hash_of_a_day_covers_all_days_before_it(worked: Books) -> None:
    """Closed months keep their chain when more becomes known; from the first changed day on every hash is another."""
    chain = "select as_of::varchar, day_hash, chain_hash from marts.tie_out_days where entity_id = ? order by as_of"
    for entity, last_closed in (("BOUNCED", "2025-12-31"), ("WORKED", "2026-10-31")):
        before = {day: (own, chained) for day, own, chained in worked.rows(chain, entity, build="first")}
        after = {day: (own, chained) for day, own, chained in worked.rows(chain, entity)}
        assert len({chained for _, chained in before.values()}) == len(before), "no two days have one chain hash"
        differ = sorted(day for day in before if before[day][1] != after[day][1])
        assert differ[0] > last_closed
        assert differ == [day for day in sorted(before) if day >= differ[0]], "what follows a change is changed"
        own_differ = [day for day in before if before[day][0] != after[day][0]]
        assert min(own_differ) == differ[0], "the chain leads to the first day that changed"


def test_an_earlier_owner_heard_of_late_moves_no_closed_month_and_no_day_of_the_owner_after(worked: Books) -> None:
    """The house is the heir's since August; in December a row says whose it was before. What is booked stays."""
    lines = (
        "select distinct source_id, entity_id, entry_on::varchar, accounting_on::varchar from marts.gl_entries "
        "where property_id = 'INHERITED' and book = 'accrual' and account_name = 'Receivable, residents' order by all"
    )
    before = [
        ("INHERITED-APR", "HEIR", "2026-04-01", "2026-04-01"),
        ("INHERITED-LATE", "HEIR", "2026-06-10", "2026-06-10"),
        ("INHERITED-MAY", "HEIR", "2026-05-01", "2026-05-01"),
        ("INHERITED-P1", "HEIR", "2026-04-05", "2026-04-05"),
        ("INHERITED-SEP", "HEIR", "2026-09-01", "2026-09-01"),
    ]
    assert worked.rows(lines, build="first") == before
    # What is heard of with the earlier owner is owed to the heir, after the months that either had closed of the house,
    # and was earned by the former owner, whose own books are open since October.
    assert worked.rows(lines) == sorted([
        *before,
        ("INHERITED-NOV", "HEIR", "2026-11-10", "2026-11-10"),
        ("INHERITED-OLD", "HEIR", "2026-05-20", "2026-09-01"),
    ])  # fmt: skip
    earned = [worked.balance("FORMER", "Parking income", on) for on in ("2026-09-30", "2026-10-01")]
    assert earned == [Decimal(0), Decimal(70)]
    assert worked.balance("HEIR", "Parking income", "2026-11-30") == Decimal(60)
    assert worked.balance("HEIR", "Intercompany", "2026-11-30") == Decimal(-70)
    assert worked.balance("HEIR", "Receivable, residents", "2026-11-30") == Decimal(1930)


def test_an_earlier_owner_heard_of_late_gets_the_days_that_were_open(worked: Books) -> None:
    """April was closed by the heir: the books of the house are the former owner's from May to July, then the heir's."""
    debt = [
        (on, *(worked.balance(entity, "Receivable, residents", on) for entity in ("HEIR-2", "FORMER-2")))
        for on in ("2026-04-30", "2026-05-01", "2026-07-31", "2026-08-01", "2026-11-30")
    ]
    assert debt == [
        ("2026-04-30", 300, 0), ("2026-05-01", 0, 800), ("2026-07-31", 0, 930), ("2026-08-01", 930, 0),
        ("2026-11-30", 1930, 0),
    ]  # fmt: skip


def test_aging_by_the_books_shows_a_house_with_the_owner_in_whose_books_it_stood(worked: Books) -> None:
    """Receivable less prepaid of each owner at each month end, whenever it was heard that a house changed hands."""
    broken = worked.rows(
        """
        with aged as (
            select as_of, entity_id, sum(balance) as amount from marts.aging_month_end
            where basis = 'books' and property_id in ('SOLD', 'OLD-OWNER', 'INHERITED', 'INHERITED-2') group by all
        ),
        booked as (
            select a.as_of, g.entity_id, sum(g.debit - g.credit) as amount
            from (select distinct as_of from aged) a
            join marts.gl_entries g on g.accounting_on <= a.as_of
            where g.book = 'accrual' and g.account_name in ('Receivable, residents', 'Prepaid')
                and g.property_id in ('SOLD', 'OLD-OWNER', 'INHERITED', 'INHERITED-2')
            group by all
        )
        select as_of::varchar, entity_id, aged.amount, booked.amount
        from aged full join booked using (as_of, entity_id)
        where coalesce(aged.amount, 0) <> coalesce(booked.amount, 0)
        order by all
        """
    )
    assert broken == []
