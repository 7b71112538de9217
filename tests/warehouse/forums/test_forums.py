"""What each forum hears of one and the same ledger, to the cent and with its reasons, from landed files to tables."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import BuildOf, Built
from tests.warehouse.forums.town import AS_OF, Story, random_stories, town


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(town().files(), as_of=AS_OF)


def owing(built: Built, lease: str, forum: str) -> dict[str, str]:
    rows = built.rows(
        "select strftime(period_from, '%Y-%m'), rent_owing from arrears_by_month"
        " where lease_id = ? and forum = ? order by 1",
        [lease, forum],
    )
    return {month: str(amount) for month, amount in rows}


def bridge(built: Built, lease: str, forum: str) -> dict[str, str]:
    rows = built.rows(
        "select line, amount from arrears_bridge where lease_id = ? and forum = ? order by line_no", [lease, forum]
    )
    return {line: str(amount) for line, amount in rows}


def claim(built: Built, lease: str, forum: str) -> str:
    return bridge(built, lease, forum)["Rent claimed"]


def cleared(built: Built, lease: str, forum: str) -> dict[tuple[str, str], str]:
    rows = built.rows(
        "select source_id, strftime(period_from, '%Y-%m'), cleared_amount from arrears_payments"
        " where lease_id = ? and forum = ? order by 1, 2",
        [lease, forum],
    )
    return {(source.removeprefix(f"{lease}."), month): str(amount) for source, month, amount in rows}


def forums(built: Built, lease: str) -> set[str]:
    return {forum for (forum,) in built.rows("select distinct forum from arrears_bridge where lease_id = ?", [lease])}


def test_the_dummy_resident_reads_back_what_was_decided(built: Built) -> None:
    assert owing(built, "DUMMY", "earliest_rent") == {"2026-05": "300.00", "2026-06": "1000.00"}
    assert cleared(built, "DUMMY", "earliest_rent") == {("P", "2026-05"): "700.00"}
    assert bridge(built, "DUMMY", "earliest_rent") == {
        "Ledger balance": "1320.00",
        "Less charges that may not be claimed: nsf fee": "-20.00",
        "Rent claimed": "1300.00",
    }
    assert forums(built, "DUMMY") == {"earliest_rent"}


def test_the_payment_of_june_clears_may(built: Built) -> None:
    assert owing(built, "MAY", "CA-ON.N4") == {"2026-05": "0.00", "2026-06": "1400.00"}
    assert cleared(built, "MAY", "CA-ON.N4") == {("JUN", "2026-05"): "1400.00"}


def test_the_guidelines_longer_example_comes_to_its_figure(built: Built) -> None:
    assert owing(built, "GUIDE", "CA-ON.N4") == {"2026-05": "0.00", "2026-06": "700.00", "2026-07": "1400.00"}
    lines = bridge(built, "GUIDE", "CA-ON.N4")
    assert (lines["Ledger balance"], lines["Rent claimed"]) == ("2120.00", "2100.00")


def test_a_place_is_heard_by_its_own_forums_and_the_built_in_one(built: Built) -> None:
    assert forums(built, "GUIDE") == {"earliest_rent", "CA-ON.N4", "CA-ON.L1", "CA-ON.L1.tenancy_ends", "CA-ON.L9"}
    assert forums(built, "CURRENT/cm") == {"earliest_rent", "ZZ.current"}
    assert forums(built, "CURRENT/city") == {"earliest_rent", "ZZ.city"}  # the most local one alone
    assert forums(built, "PLAIN/bad") == {"earliest_rent", "ZZ.bad"}  # the other one's last day was the day before


def test_a_notice_does_not_move_with_nsf_fees_where_the_law_leaves_them_out(built: Built) -> None:
    leases = ("PLAIN", "ONE-NSF", "TWO-NSF")
    assert {claim(built, f"{lease}/on", "CA-ON.N4") for lease in leases} == {"1000.00"}
    assert claim(built, "NSF-UNDONE", "CA-ON.N4") == "1000.00"
    # The same ledgers where a planted law calls the fee rent: the figure moves, so it is the law that holds it.
    assert [claim(built, f"{lease}/bad", "ZZ.bad") for lease in leases] == ["1000.00", "1020.00", "1040.00"]


@pytest.mark.parametrize("forum", ["CA-ON.L1", "CA-ON.L9"])
def test_an_application_claims_nsf_fees_apart_from_rent(built: Built, forum: str) -> None:
    lines = bridge(built, "ONE-NSF/on", forum)
    assert lines["Rent claimed"] == "1000.00"
    assert lines["Less charges that may be claimed apart from rent: nsf fee"] == "-20.00"
    assert (lines["Claimed apart from rent: nsf fee"], lines["Claimed in all"]) == ("20.00", "1020.00")
    rows = built.rows(
        "select charge_id, charged_amount, paid_amount, claimable from arrears_claimable_charges"
        " where lease_id = 'ONE-NSF/on' and forum = ?",
        [forum],
    )
    assert rows == [("ONE-NSF/on.NSF0", Decimal("20.00"), Decimal("0.00"), Decimal("20.00"))]


def test_what_was_paid_to_a_fee_or_beyond_the_rent_is_not_claimed_again(built: Built) -> None:
    rows = built.rows(
        "select lease_id, paid_amount, claimable from arrears_claimable_charges"
        " where forum = 'CA-ON.L1' and lease_id like 'NSF-%' order by 1"
    )
    assert rows == [
        ("NSF-OVERPAID", Decimal("8.00"), Decimal("12.00")),
        ("NSF-PART-PAID", Decimal("5.00"), Decimal("15.00")),
    ]  # a fee that was reversed is not claimed at all
    left_out = built.rows(
        "select source_id, amount, reason from arrears_excluded_money"
        " where lease_id = 'NSF-PART-PAID' and forum = 'CA-ON.L1'"
    )
    assert left_out == [("NSF-PART-PAID.FEE", Decimal("-5.00"), "the payer designated it to something other than rent")]


def test_a_rent_deposit_is_left_out_until_the_tenancy_ends(built: Built) -> None:
    assert {claim(built, "DEPOSIT", forum) for forum in ("CA-ON.N4", "CA-ON.L1", "CA-ON.L9")} == {"2800.00"}
    lines = bridge(built, "DEPOSIT", "CA-ON.L1.tenancy_ends")
    assert lines["Less the rent deposit held, deducted with its interest"] == "-1435.00"
    assert lines["Rent claimed"] == "1365.00"


def test_all_03_a_direction_is_heeded_where_the_forum_heeds_it(built: Built) -> None:
    asked = ("ALL-03/ny", "US-NY.rent_demand")
    assert owing(built, *asked) == {"2016-01": "1000.00", "2016-02": "0.00", "2016-03": "0.00"}
    assert cleared(built, *asked) == {("P1", "2016-02"): "1000.00", ("P2", "2016-03"): "1000.00"}
    for place in ("ny", "ia"):
        months = owing(built, f"ALL-03/{place}", "earliest_rent")
        assert months == {"2016-01": "0.00", "2016-02": "0.00", "2016-03": "1000.00"}


def test_directions_to_several_months_take_turns_and_the_rest_pays_the_earliest_rent(built: Built) -> None:
    assert cleared(built, "TWO-MONTHS", "US-NY.rent_demand") == {
        ("P1", "2026-02"): "1000.00",
        ("P1", "2026-03"): "500.00",
        ("P2", "2026-01"): "1000.00",  # February had been paid by then
        ("P3", "2026-03"): "500.00",
    }
    assert claim(built, "TWO-MONTHS", "US-NY.rent_demand") == "1000.00"


@pytest.mark.parametrize("story", random_stories(), ids=lambda story: story.name)
def test_two_passes_owe_what_every_payment_in_turn_would_leave(built: Built, story: Story) -> None:
    months = owing(built, story.name, "US-NY.rent_demand")
    assert list(months.values()) == [f"{left * 100}.00" for left in story.owing_in_turn()]


def test_what_came_back_of_directed_money_pays_nothing(built: Built) -> None:
    assert owing(built, "DIRECTED-BACK", "US-NY.rent_demand") == {"2026-01": "1000.00", "2026-02": "400.00"}


def test_the_current_month_comes_first_where_the_forum_says_so(built: Built) -> None:
    assert owing(built, "CURRENT/cm", "ZZ.current") == {"2026-01": "800.00", "2026-02": "0.00", "2026-03": "1000.00"}
    assert owing(built, "CURRENT/city", "ZZ.city") == {"2026-01": "0.00", "2026-02": "800.00", "2026-03": "1000.00"}


def test_all_04_old_arrears_are_paid_before_the_period(built: Built) -> None:
    months = cleared(built, "ALL-04", "US-TX.pay_or_vacate")
    assert months.pop(("P", "2018-12")) == "3132.95"
    assert sum(map(Decimal, months.values())) == Decimal("4051.05")


def test_ret_05_a_cheque_counts_from_its_day_until_it_comes_back(built: Built) -> None:
    assert set(owing(built, "RET-05", "US-TX.pay_or_vacate").values()) == {"0.00"}
    assert set(cleared(built, "RET-05", "US-TX.pay_or_vacate")) == {
        ("CHQ", month) for month in ("2002-06", "2002-07", "2002-08", "2002-09")
    }
    assert claim(built, "RET-05/back", "US-TX.pay_or_vacate") == "1700.00"
    assert cleared(built, "RET-05/back", "US-TX.pay_or_vacate") == {}


def test_a_window_keeps_older_rent_out_of_the_claim_and_in_the_months(built: Built) -> None:
    assert claim(built, "IN-YEAR", "US-CA.three_day_notice") == "1060.00"
    lines = bridge(built, "OUT-OF-YEAR", "US-CA.three_day_notice")
    assert lines["Less rent that fell due before the forum looks back"] == "-60.00"
    assert lines["Rent claimed"] == "1000.00"
    rows = built.rows(
        "select rent_owing, is_in_window, claimable from arrears_by_month"
        " where lease_id = 'OUT-OF-YEAR' and forum = 'US-CA.three_day_notice' order by period_from"
    )
    assert rows == [(Decimal("60.00"), False, Decimal("0.00")), (Decimal("1000.00"), True, Decimal("1000.00"))]
    assert claim(built, "OUT-OF-YEAR", "earliest_rent") == "1060.00"


def test_only_the_residents_own_account_is_claimed(built: Built) -> None:
    assert bridge(built, "SPLIT", "US-TX.pay_or_vacate") == {"Ledger balance": "200.00", "Rent claimed": "200.00"}


@pytest.mark.parametrize(
    ("place", "forum", "claimed"),
    [
        ("wa", "US-WA.fourteen_day_notice", "790.00"),  # a utility that the lease names is rent
        ("co", "US-CO.demand_for_rent", "700.00"),
        ("or", "US-OR.nonpayment_notice", "700.00"),
        ("ny", "US-NY.rent_demand", "700.00"),
    ],
)
def test_what_counts_depends_on_the_place(built: Built, place: str, forum: str, claimed: str) -> None:
    assert claim(built, f"CHARGES/{place}", forum) == claimed


def test_every_charge_left_out_has_its_reason(built: Built) -> None:
    rows = built.rows(
        "select forum, charge_id, treatment, reason, citation from arrears_excluded_charges"
        " where lease_id in ('CHARGES/or', 'GUIDE') and forum in ('US-OR.nonpayment_notice', 'CA-ON.N4') order by 1, 2"
    )
    assert [(forum, charge, treatment) for forum, charge, treatment, *_ in rows] == [
        ("CA-ON.N4", "GUIDE.NSF", "spoils_notice"),
        ("US-OR.nonpayment_notice", "CHARGES/or.LATE", "demandable_if_text"),
        ("US-OR.nonpayment_notice", "CHARGES/or.POWER", None),
    ]
    assert rows[0][3].startswith("NSF charges cannot be claimed in an N4") and "Guideline 11" in rows[0][4]
    assert rows[2][3] == "the charge code does not count as rent" and "ORS 90.394" in rows[2][4]


MONTHS_ARE_THE_CLAIM = """
    select lease_id, forum from arrears_bridge
    left join (select forum, lease_id, sum(claimable) as claimable from arrears_by_month group by all) as months
        using (forum, lease_id)
    where line_kind = 'claim' and amount <> coalesce(claimable, 0)
"""
EXCLUSIONS_ARE_THE_LINES = """
    select forum, lease_id, coalesce(lines.amount, 0), coalesce(charges.amount, 0)
    from (
        select forum, lease_id, -sum(amount) as amount from arrears_bridge
        where line like 'Less charges that may %' or line = 'Less rent not yet due' group by all
    ) as lines
    full outer join (
        select forum, lease_id, sum(amount) as amount from arrears_excluded_charges group by all
    ) as charges
        using (forum, lease_id)
    where coalesce(lines.amount, 0) <> coalesce(charges.amount, 0)
"""
PAYMENTS_ARE_THE_MONTHS = """
    select forum, lease_id, period_from
    from arrears_by_month
    left join (
        select forum, lease_id, period_from, sum(cleared_amount) as cleared from arrears_payments group by all
    ) as payments
        using (forum, lease_id, period_from)
    where rent_paid <> coalesce(cleared, 0)
"""


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (MONTHS_ARE_THE_CLAIM, "update marts.arrears_by_month set claimable = claimable + 0.01 where claimable > 0"),
        (EXCLUSIONS_ARE_THE_LINES, "delete from marts.arrears_excluded_charges where charge_id = 'GUIDE.NSF'"),
        (PAYMENTS_ARE_THE_MONTHS, "update marts.arrears_payments set cleared_amount = cleared_amount - 0.01"),
    ],
    ids=["months are the claim", "exclusions are the lines", "payments are the months"],
)
def test_the_figures_of_every_forum_add_up(built: Built, tmp_path: Path, question: str, fault: str) -> None:
    assert built.rows(question) == []
    broken = tmp_path / "broken.duckdb"
    shutil.copy(built.build.path, broken)
    with duckdb.connect(str(broken)) as connection:
        connection.execute("set schema = 'marts'")
        assert connection.execute(fault).fetchone()[0] > 0
        assert connection.execute(question).fetchall() != []


def side_by_side(built: Built, lease: str) -> dict[str, tuple[str | None, ...]]:
    rows = built.rows(
        "select order_name, rent_owing, other_owing, not_yet_due, unapplied_credit"
        " from arrears_side_by_side where lease_id = ?",
        [lease],
    )
    return {name: tuple(None if value is None else str(value) for value in values) for name, *values in rows}


def test_one_lease_under_many_orders_side_by_side(built: Built) -> None:
    assert side_by_side(built, "ORDERS") == {
        "as_applied": ("1000.00", "1580.00", "700.00", "800.00"),
        "rent_first_oldest_due": ("200.00", "1580.00", "700.00", "0.00"),
        "oldest_of_any_type": ("250.00", "1530.00", "700.00", "0.00"),
        "newest_first": ("2000.00", "480.00", "0.00", "0.00"),
        "largest_open_first": ("1700.00", "80.00", "700.00", "0.00"),
        "fees_first": ("1780.00", "0.00", "700.00", "0.00"),
        "current_month_first": ("200.00", "1580.00", "700.00", "0.00"),
        "payer_direction_then_rent_first": ("1000.00", "1580.00", "700.00", "800.00"),
        "earliest_rent": ("200.00", None, None, None),
    }
    assert built.one("select bool_and(depends_on_order) from arrears_side_by_side where lease_id = 'ORDERS'") is True


def test_an_account_that_no_order_changes_says_so(built: Built) -> None:
    rows = built.rows("select rent_owing, depends_on_order from arrears_side_by_side where lease_id = 'NO-MATTER'")
    assert set(rows) == {(Decimal("600.00"), False)}


def test_trying_orders_books_nothing(built: Built) -> None:
    tried = built.one("select count(*) from subledger.int_allocation__journal where what_if_key is not null")
    assert tried > 0
    journal = built.one(
        "select count(*) from subledger.int_allocation__journal where row_kind = 'application' and what_if_key is null"
    )
    assert built.one("select count(*) from payment_applications") == journal


BREAKS = [
    (
        "int_arrears__bridge__adds_up_to_the_claim",
        "update subledger.int_arrears__bridge set amount = amount + 0.01 where line_kind = 'claimed_in_all'",
        "in all",
    ),
    (
        "int_arrears__money__never_counts_more_than_was_kept",
        "update subledger.int_arrears__money set counted_amount = kept_amount + 0.01",
        "more money counts",
    ),
    (
        "int_arrears__extras__never_claims_more_than_was_charged",
        "update subledger.int_arrears__extras set claimable = claimable + 1",
        "beyond what is left",
    ),
    (
        "int_what_ifs__results__every_order_comes_to_the_balance",
        "update subledger.int_what_ifs__results set other_owing = other_owing - 1 where order_name = 'fees_first'",
        "loses money",
    ),
    (
        "int_arrears__forums__grain",
        "insert into subledger.int_arrears__forums select * from subledger.int_arrears__forums limit 1",
        "share one key",
    ),
]


@pytest.mark.parametrize(("test", "fault", "says"), BREAKS, ids=[test for test, *_ in BREAKS])
def test_a_planted_fault_is_found(built: Built, tmp_path: Path, test: str, fault: str, says: str) -> None:
    nodes: dict[str, Any] = {node.name: node for node in built.run.nodes}
    broken = tmp_path / "broken.duckdb"
    shutil.copy(built.build.path, broken)
    with duckdb.connect() as connection:
        connection.execute(f"attach '{broken}' as warehouse")
        connection.execute("use warehouse")
        assert connection.execute(nodes[test].compiled).fetchall() == []
        assert connection.execute(fault).fetchone()[0] > 0
        assert any(says in str(row) for row in connection.execute(nodes[test].compiled).fetchall())
