"""What the books knew when: backdated money, late files, closes, suspense, and settings made later.

October is closed on 5 November. The first load brings what was known then, the second what became known since. Each
lease is one question; what the first build published about closed months must stand in the second, row for row.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest

from tests.conftest import BuildOf, Built
from tests.kernel.books import R3
from tests.warehouse.subledger.conftest import Account
from tests.warehouse.subledger.portfolio import Portfolio

FIRST = "2026-11-05T16:00:00+00:00"
SECOND = "2026-12-01T02:00:00+00:00"
LOADED_SECOND = datetime(2026, 12, 1, 2)
CLOSED_AT = "2026-11-05T12:00:00+00:00"


def noon(on: str) -> str:
    return f"{on}T12:00:00+00:00"


def loads() -> list[tuple[str, dict[str, list[dict[str, object]]]]]:
    portfolio = Portfolio(properties={"maple1": "US-IA", "test-pending": "ZZ-PL"})
    lease = {
        name: portfolio.lease(name)
        for name in ("BACK", "FILE", "STATED", "NOVEMBER", "NAMED", "CODE", "POLICY", "FOUND", "EARLY", "FIRST-RULE")
    }
    pending = portfolio.lease("PENDING", at="test-pending")
    portfolio.law("ZZ-PL.fees_first", "ZZ-PL", R3, status="pending")
    pending.charge("RENT", "rent", "2026-10-01", "100.00").charge("LATE", "late_fee", "2026-10-01", "100.00")
    pending.pay("P", "2026-10-02", "100.00")

    lease["BACK"].charge("OCT", "rent", "2026-10-01", "1000.00", recorded=noon("2026-10-01"))
    lease["BACK"].pay("P1", "2026-10-05", "400.00", recorded=noon("2026-10-05"))
    lease["STATED"].charge("OCT", "rent", "2026-10-01", "1000.00", recorded=noon("2026-10-01"))
    lease["NAMED"].charge("OCT", "rent", "2026-10-01", "500.00", recorded=noon("2026-10-01"))
    lease["NAMED"].pay("P", "2026-10-28", "500.00", recorded=noon("2026-10-29"))
    lease["NAMED"].back("R", "P", "2026-10-10", "500.00", recorded=noon("2026-10-10"))
    lease["CODE"].charge("PET1", "pet", "2026-10-12", "50.00", recorded=noon("2026-10-12"))
    lease["POLICY"].charge("RENT", "rent", "2026-10-01", "100.00").charge("FEE", "fee", "2026-10-01", "100.00")
    lease["POLICY"].pay("P1", "2026-10-02", "60.00")
    lease["FIRST-RULE"].charge("RENT", "rent", "2026-10-01", "100.00").charge("FEE", "fee", "2026-10-01", "100.00")
    lease["FIRST-RULE"].pay("P1", "2026-10-02", "60.00")
    portfolio.policy("always known", R3, scope="lease", scope_id="FIRST-RULE")
    lease["FOUND"].charge("OCT", "rent", "2026-10-01", "450.00")
    for name, on in (("S1", "2026-10-10"), ("S2", "2026-10-11")):
        portfolio.add(
            "payments", payment_id=name, entity_id="maple", amount="500.00", received_on=on, recorded_at=noon(on)
        )
    for name, on in (("A1", "2026-10-20"), ("A2", "2026-11-02")):  # of a lease that arrives with the second load
        portfolio.add(
            "payments", payment_id=name, lease_id="ARRIVES", entity_id="maple", amount="300.00", received_on=on,
            recorded_at=noon(on),
        )  # fmt: skip
    portfolio.add(
        "payment_reversals", reversal_id="S1.R", payment_id="S1", kind="return", amount="100.00",
        reversed_on="2026-10-15", recorded_at=noon("2026-10-15"),
    )  # fmt: skip
    portfolio.close("2026-10", CLOSED_AT)
    portfolio.close("2026-11", CLOSED_AT)  # not over: listed, and changes nothing
    first = portfolio.files()
    mark = portfolio.mark()

    lease["BACK"].pay("P0", "2026-10-03", "700.00", recorded=noon("2026-11-06"))
    lease["BACK"].charge("NOV", "rent", "2026-11-01", "1000.00", recorded=noon("2026-11-01"))
    lease["FILE"].charge("OCT", "rent", "2026-10-15", "1000.00")
    lease["STATED"].pay("P", "2026-10-20", "250.00", recorded=noon("2026-10-20"))
    lease["NOVEMBER"].charge("NOV", "rent", "2026-11-10", "1000.00")
    portfolio.code("pet", "pet", False, valid_to="2026-10-01", recorded_at=noon("2026-11-20"))
    portfolio.code("pet", "pet", True, valid_from="2026-10-01", recorded_at=noon("2026-11-20"))
    lease["CODE"].charge("PET2", "pet", "2026-11-25", "50.00", recorded=noon("2026-11-25"))
    portfolio.policy(
        "fees first", R3, scope="lease", scope_id="POLICY", valid_from="2026-01-01", recorded_at=noon("2026-11-20")
    )
    lease["POLICY"].pay("P2", "2026-11-25", "60.00", recorded=noon("2026-11-25"))
    lease["EARLY"].charge("OCT", "rent", "2026-10-01", "10.00", recorded=noon("2026-11-05"))
    portfolio.add(
        "payment_matches", payment_id="S1", lease_id="FOUND", matched_on="2026-11-12", matched_by="Kim",
        recorded_at=noon("2026-11-12"),
    )  # fmt: skip
    portfolio.add(
        "payment_reversals", reversal_id="S1.R2", payment_id="S1", kind="return", amount="50.00",
        reversed_on="2026-11-20", recorded_at=noon("2026-11-20"),
    )  # fmt: skip
    portfolio.lease("ARRIVES").charge("NOV", "rent", "2026-11-01", "1000.00", recorded=noon("2026-11-01"))
    return [(FIRST, first), (SECOND, portfolio.since(mark))]


@pytest.fixture(scope="module")
def history() -> list[tuple[str, dict[str, list[dict[str, object]]]]]:
    return loads()


@pytest.fixture(scope="module")
def at_close(build_of: BuildOf, history) -> Built:
    return build_of(loads=history[:1], as_of="2026-11-05")


@pytest.fixture(scope="module")
def later(build_of: BuildOf, history) -> Built:
    return build_of(loads=history, as_of="2026-11-30")


def entry(built: Built, source_id: str) -> dict[str, object]:
    rows = built.dicts("select * from resident_ledger where source_id = ?", [source_id])
    assert len(rows) == 1, rows
    return rows[0]


def times(built: Built, source_id: str) -> tuple[object, object, object]:
    row = entry(built, source_id)
    return row["entry_on"], row["accounting_on"], row["recorded_at"]


def test_a_payment_keyed_after_the_close_books_in_the_first_open_month(later: Built) -> None:
    assert times(later, "BACK.P0") == (date(2026, 10, 3), date(2026, 11, 1), datetime(2026, 11, 6, 12))


def test_backdated_money_is_put_right_by_correction_rows_of_the_same_day(later: Built) -> None:
    rows = later.rows(
        "select source_id, charge_id, amount, applied_on, accounting_on, recorded_at, reason from payment_applications"
        " where lease_id = 'BACK' order by recorded_at, applied_on, source_id, amount"
    )
    early, late = datetime(2026, 10, 5, 12), datetime(2026, 11, 6, 12)
    third, fifth, november = date(2026, 10, 3), date(2026, 10, 5), date(2026, 11, 1)
    assert rows == [
        ("BACK.P1", "BACK.OCT", Decimal("400.00"), fifth, fifth, early, None),
        ("BACK.P0", "BACK.OCT", Decimal("700.00"), third, november, late, None),
        ("BACK.P1", "BACK.OCT", Decimal("-400.00"), fifth, november, late, "correction"),
        ("BACK.P1", "BACK.OCT", Decimal("300.00"), fifth, november, late, None),
        ("BACK.P1", "BACK.NOV", Decimal("100.00"), november, november, late, None),
    ]


def test_both_bases_of_aging_stand_beside_each_other(at_close: Built, later: Built) -> None:
    closed = Account(later, "BACK").aging("2026-10-31", "books")
    assert (closed["total"], closed["credit"], closed["net"]) == ("600.00", "0.00", "600.00")
    assert closed == Account(at_close, "BACK").aging("2026-10-31", "books")
    as_known_now = Account(later, "BACK").aging("2026-10-31", "business")
    assert (as_known_now["total"], as_known_now["credit"], as_known_now["net"]) == ("0.00", "100.00", "-100.00")
    for basis in ("books", "business"):
        assert Account(later, "BACK").aging("2026-11-30", basis)["net"] == "900.00"


def test_what_was_known_at_the_close_can_be_read_from_the_later_build(at_close: Built, later: Built) -> None:
    for lease in ("BACK", "STATED", "NAMED", "POLICY", "FOUND"):
        then = "2026-11-05T12:00:00"
        assert Account(later, lease).open("2026-10-31", then) == Account(at_close, lease).open("2026-10-31")


@pytest.mark.parametrize("table", ["payment_applications", "resident_ledger"])
def test_later_knowledge_leaves_every_earlier_row_as_it_was(at_close: Built, later: Built, table: str) -> None:
    moving = {"entry_seq", "running_balance", "is_future"}  # a view of the business order, and of the build's day
    columns = [row[0] for row in later.rows(f"describe {table}") if row[0] not in moving]
    listed = ", ".join(columns)
    before, after = (set(built.rows(f"select {listed} from {table}")) for built in (at_close, later))
    assert before and before <= after


def test_closed_months_age_by_the_books_as_they_did_at_the_close(at_close: Built, later: Built) -> None:
    sql = "select * exclude (is_as_of_day) from aging_month_end where basis = 'books' and as_of <= date '2026-10-31'"
    before, after = set(at_close.rows(sql)), set(later.rows(sql))
    assert before and before == after


def test_a_late_file_without_recorded_time_is_known_when_it_was_accepted(later: Built) -> None:
    assert times(later, "FILE.OCT") == (date(2026, 10, 15), date(2026, 11, 1), LOADED_SECOND)


def test_a_late_file_recorded_before_the_close_does_not_slip_under_it(later: Built) -> None:
    assert times(later, "STATED.P") == (date(2026, 10, 20), date(2026, 11, 1), LOADED_SECOND)


def test_a_row_that_no_close_can_reach_keeps_its_own_time(later: Built) -> None:
    # Midnight of 10 November in Chicago.
    assert times(later, "NOVEMBER.NOV") == (date(2026, 11, 10), date(2026, 11, 10), datetime(2026, 11, 10, 6))
    assert entry(later, "NOVEMBER.NOV")["recorded_assumed"] is True


def test_a_month_counts_as_closed_for_what_is_known_after_the_close_and_not_at_it(later: Built) -> None:
    # Recorded at the very moment of the close, but accepted after it: it may not slip under.
    assert times(later, "EARLY.OCT") == (date(2026, 10, 1), date(2026, 11, 1), LOADED_SECOND)


def test_a_return_counts_and_is_known_no_earlier_than_its_payment(later: Built) -> None:
    assert times(later, "NAMED.R") == (date(2026, 10, 28), date(2026, 10, 28), datetime(2026, 10, 29, 12))
    assert Account(later, "NAMED").open("2026-10-28") == {"OCT": "500.00"}


def test_a_code_classified_anew_moves_nothing_known_before(later: Built) -> None:
    assert entry(later, "CODE.PET1")["counts_as_rent"] is False
    assert entry(later, "CODE.PET2")["counts_as_rent"] is True


def test_a_policy_made_later_moves_no_earlier_money(later: Built) -> None:
    rows = later.rows(
        "select source_id, charge_id, rule_id from payment_applications where lease_id = 'POLICY' order by 1, 2"
    )
    assert rows == [
        ("POLICY.P1", "POLICY.RENT", "built_in.rent_first"),
        ("POLICY.P2", "POLICY.FEE", "fees first"),
    ]


def test_the_first_version_of_a_rule_loaded_before_any_close_was_always_known(later: Built) -> None:
    rows = later.rows("select charge_id, rule_id from payment_applications where lease_id = 'FIRST-RULE'")
    assert rows == [("FIRST-RULE.FEE", "always known")]


def test_a_pending_law_is_never_chosen(later: Built) -> None:
    rows = later.rows("select charge_id, law_rule_id from payment_applications where lease_id = 'PENDING'")
    assert rows == [("PENDING.RENT", None)]
    assert later.rows("select is_eligible from rules.rule_application where rule_id = 'ZZ-PL.fees_first'") == [(False,)]


def test_a_close_of_a_month_that_is_not_over_is_listed_and_changes_nothing(later: Built) -> None:
    listed = later.one("select count(*) from quarantine where \"table\" = 'period_closes'")
    listed += later.one("select count(*) from rules.rule_closes where refused_because = 'not_over'")
    assert listed == 1
    assert later.rows("select period from core.int_closes__periods") == [("2026-10",)]


def test_suspense_moves_with_its_return_when_it_is_matched(later: Built) -> None:
    rows = later.rows(
        "select source_id, movement, amount, business_on, accounting_on, lease_id from core.int_events__suspense"
        " where source_id in ('S1', 'S1.R', 'S1.R2') order by 1, 2 desc"
    )
    tenth, fifteenth, november = date(2026, 10, 10), date(2026, 10, 15), date(2026, 11, 1)
    assert rows == [
        ("S1", "received", Decimal("500.00"), tenth, tenth, None),
        ("S1", "matched_out", Decimal("-500.00"), tenth, november, "FOUND"),
        ("S1.R", "returned", Decimal("-100.00"), fifteenth, fifteenth, None),
        ("S1.R", "matched_out", Decimal("100.00"), fifteenth, november, "FOUND"),
    ]
    matched = datetime(2026, 11, 12, 12)
    assert times(later, "S1") == (tenth, november, matched)
    assert times(later, "S1.R") == (fifteenth, november, matched)
    assert times(later, "S1.R2") == (date(2026, 11, 20), date(2026, 11, 20), datetime(2026, 11, 20, 12))
    assert Account(later, "FOUND").open("2026-11-30") == {"OCT": "100.00"}


def test_unmatched_money_stays_in_suspense(later: Built) -> None:
    assert later.rows("select sum(amount) from core.int_events__suspense where source_id = 'S2'") == [
        (Decimal("500.00"),)
    ]
    assert later.rows("select count(*) from resident_ledger where source_id = 'S2'") == [(0,)]


def test_money_whose_lease_arrives_later_was_always_its_own_unless_a_close_lies_between(later: Built) -> None:
    assert times(later, "A2") == (date(2026, 11, 2), date(2026, 11, 2), datetime(2026, 11, 2, 12))
    assert later.rows("select count(*) from core.int_events__suspense where source_id = 'A2'") == [(0,)]
    assert times(later, "A1") == (date(2026, 10, 20), date(2026, 11, 1), LOADED_SECOND)
    assert later.rows(
        "select movement, accounting_on from core.int_events__suspense where source_id = 'A1' order by accounting_on"
    ) == [("received", date(2026, 10, 20)), ("matched_out", date(2026, 11, 1))]
