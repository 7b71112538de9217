"""One lease followed through every table: what the ledger, the aging, a forum and the pages say of the same facts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.conftest import BuildOf, Built
from tests.warehouse.subledger.conftest import Account
from tests.warehouse.subledger.portfolio import Portfolio

LEASE = "t0001001"
AS_OF = "2026-04-05"


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    portfolio = Portfolio()
    portfolio.add("persons", person_id="ada", name="Ada Example")
    lease = portfolio.lease(LEASE, start="2025-12-01")
    lease.add("lease_parties", person_id="ada", role="leaseholder")
    lease.charge("JAN", "rent", "2026-01-01", "1500.00").charge("NSF", "nsf_fee", "2026-01-07", "25.00")
    lease.charge("FEB", "rent", "2026-02-01", "1500.00").charge("LATE", "late_fee", "2026-02-06", "50.00")
    lease.charge("MAR", "rent", "2026-03-01", "1550.00").charge("WATER", "utility", "2026-03-10", "80.00")
    lease.charge("APR", "rent", "2026-04-01", "1550.00").charge("CONC", "concession", "2026-04-01", "-200.00")
    lease.pay("ACH1", "2026-01-03", "1500.00", method="ach").back("R01", "ACH1", "2026-01-07", "1500.00")
    lease.pay("1041", "2026-02-05", "1500.00", channel="lockbox", method="check")
    lease.pay("ACH2", "2026-03-02", "1000.00", method="ach")
    return build_of(portfolio.files(), as_of=AS_OF)


@pytest.fixture(scope="module")
def account(built: Built) -> Account:
    return Account(built, LEASE)


def test_the_ledger_comes_to_its_balance(built: Built, account: Account) -> None:
    assert account.balance(AS_OF) == "3555.00"
    last = built.one("select max_by(running_balance, entry_seq) from resident_ledger where lease_id = ?", [LEASE])
    assert last == Decimal("3555.00")


def test_aging_ages_from_the_due_date_and_keeps_rent_apart(account: Account) -> None:
    aging = account.aging(AS_OF)
    assert (aging["B0"], aging["B31"], aging["B61"], aging["B91"]) == ("1430.00", "1600.00", "525.00", "0.00")
    assert (aging["rent"], aging["other"], aging["net"]) == ("3400.00", "155.00", "3555.00")


def test_a_forum_hears_rent_alone_month_by_month(account: Account) -> None:
    assert account.owing() == {"2026-01": "0.00", "2026-02": "500.00", "2026-03": "1550.00", "2026-04": "1350.00"}


def test_the_bridge_walks_from_the_ledger_to_the_claim(account: Account) -> None:
    assert account.bridge() == {
        "Ledger balance": "3555.00",
        "Less charges that may not be claimed: late fee": "-50.00",
        "Less charges that may not be claimed: nsf fee": "-25.00",
        "Less charges that may not be claimed: utility": "-80.00",
        "Rent claimed": "3400.00",
    }


def test_each_payment_cleared_the_month_it_should(built: Built) -> None:
    rows = built.rows(
        "select source_id, strftime(period_from, '%Y-%m'), cleared_amount from arrears_payments"
        " where lease_id = ? order by 1",
        [LEASE],
    )
    assert rows == [(f"{LEASE}.1041", "2026-01", Decimal("1500.00")), (f"{LEASE}.ACH2", "2026-02", Decimal("1000.00"))]


def test_a_line_says_what_a_resident_reads_and_where_it_came_from(built: Built) -> None:
    rows = built.rows(
        "select description, reverses_id, recorded_assumed, file, row_number from resident_ledger"
        " where lease_id = ? and source_id in (?, ?, ?) order by entry_seq",
        [LEASE, f"{LEASE}.ACH1", f"{LEASE}.R01", f"{LEASE}.LATE"],
    )
    assert rows == [
        ("Payment (ach)", None, True, "payments.csv", 2),
        ("Payment returned", f"{LEASE}.ACH1", True, "payment_reversals.csv", 2),
        ("Late fee", None, True, "charges.csv", 5),
    ]


def test_the_lease_carries_the_names_that_documents_show(built: Built) -> None:
    rows = built.rows(
        "select resident_names, property_name, entity_name, unit_number, currency from leases where lease_id = ?",
        [LEASE],
    )
    assert rows == [("Ada Example", "Maple1", "Maple LLC", "1", "USD")]
