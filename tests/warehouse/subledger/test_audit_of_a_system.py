"""The audit of a system of record: what it says it applied against what the rule in force applied, worked by hand.

Every lease stands at a property whose law pays rent first. As of 15 June everything of May is due, so what the system
put elsewhere shows as rent arrears that the rule does not leave. Effects are the system's open less the rule's.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.conftest import BuildOf, Built
from tests.warehouse.subledger.portfolio import Lease, Portfolio
from tests.warehouse.subledger.test_public_cases import CASES

AS_OF = "2026-06-15"
RENT_FIRST = '[{"match": {"counts_as_rent": true}}, {"match": "any"}]'
TOTALS = (
    "kept_amount", "system_applied", "rule_applied", "system_unapplied", "rule_unapplied", "system_rent", "rule_rent",
    "system_fees", "rule_fees", "rent_arrears_effect", "fees_effect", "overdue_effect",
)  # fmt: skip


def stated(lease: Lease, payment: str, charge: str, on: str, amount: str) -> None:
    """A row of the system's own journal."""
    lease.portfolio.add(
        "source_applications", payment_id=lease.id(payment), charge_id=lease.id(charge), applied_on=on, amount=amount
    )


def portfolio() -> Portfolio:
    book = Portfolio(properties={"rainier1": "ZZ-WA", "shared1": "US-IA", "quiet1": "ZZ-WA"})
    book.law("ZZ-WA.rent_first", "ZZ-WA", RENT_FIRST)

    # The water bill is older than the rent. The system pays what is oldest: 80 of May stays open, the water does not.
    lease = book.lease("WATER", at="rainier1")
    lease.charge("W", "utility", "2026-04-20", "80.00").charge("MAY", "rent", "2026-05-01", "1000.00")
    lease.pay("P", "2026-05-02", "1000.00")
    stated(lease, "P", "W", "2026-05-02", "80.00")
    stated(lease, "P", "MAY", "2026-05-02", "920.00")

    # A late fee of April is taken out of the rent of May.
    lease = book.lease("FEE", at="rainier1")
    lease.charge("LATE", "late_fee", "2026-04-06", "50.00").charge("MAY", "rent", "2026-05-01", "1000.00")
    lease.pay("P", "2026-05-02", "1000.00")
    stated(lease, "P", "LATE", "2026-05-02", "50.00")
    stated(lease, "P", "MAY", "2026-05-02", "950.00")

    # The system put its own mistake right: what it undid nets away.
    lease = book.lease("RIGHTED", at="rainier1")
    lease.charge("LATE", "late_fee", "2026-04-06", "50.00").charge("MAY", "rent", "2026-05-01", "1000.00")
    lease.pay("P", "2026-05-02", "1000.00")
    stated(lease, "P", "LATE", "2026-05-02", "50.00")
    stated(lease, "P", "MAY", "2026-05-02", "950.00")
    stated(lease, "P", "LATE", "2026-05-20", "-50.00")
    stated(lease, "P", "MAY", "2026-05-20", "50.00")

    # The system never applied the payment.
    book.lease("NEVER", at="rainier1").charge("MAY", "rent", "2026-05-01", "700.00").pay("P", "2026-05-02", "700.00")

    # The payment came back, and the system left it applied.
    lease = book.lease("BACK", at="rainier1")
    lease.charge("MAY", "rent", "2026-05-01", "600.00").pay("P", "2026-05-02", "600.00")
    lease.back("R", "P", "2026-05-07", "600.00")
    stated(lease, "P", "MAY", "2026-05-02", "600.00")

    # The charge was waived: what the system leaves on it is a difference and moves nothing that is owed.
    lease = book.lease("WAIVED", at="rainier1")
    lease.charge("LATE", "late_fee", "2026-04-20", "40.00").pay("P", "2026-05-02", "40.00")
    lease.reverse("W", "LATE", "late_fee", "2026-05-10", "-40.00")
    stated(lease, "P", "LATE", "2026-05-02", "40.00")

    # Money after move-out brings written-off debt back. To the system it was settled: nothing is owed on either side.
    lease = book.lease("RECOVERED", at="rainier1", move_out_on="2026-04-30")
    lease.charge("APR", "rent", "2026-04-01", "300.00")
    lease.add(
        "write_offs", write_off_id="RECOVERED.W", amount="300.00", written_off_on="2026-05-04", approved_by="Kim",
        reason="moved without address",
    )  # fmt: skip
    lease.pay("P", "2026-05-20", "300.00")

    # What the system names and the books do not hold; and rows after the build's day.
    lease = book.lease("NOWHERE", at="rainier1")
    lease.charge("MAY", "rent", "2026-05-01", "100.00").pay("P", "2026-05-02", "100.00")
    stated(lease, "P", "GONE", "2026-05-02", "100.00")
    stated(lease, "X", "MAY", "2026-05-03", "30.00")
    stated(lease, "P", "MAY", "2026-06-16", "100.00")

    # Before the first payment that the journal of the property tells of there is nothing to compare with.
    lease = book.lease("BEFORE", at="rainier1")
    lease.charge("MAR", "rent", "2026-03-01", "100.00").pay("P", "2026-03-02", "100.00")

    # A property without a journal is not audited.
    lease = book.lease("QUIET", at="quiet1")
    lease.charge("MAY", "rent", "2026-05-01", "100.00").pay("P", "2026-05-02", "100.00")

    # Three payers on one lease: the published case, whose system did as the rule does.
    case, _ = CASES["CRD-05"]
    leases = {name: book.lease(name, at="shared1") for name in ("RA-1", "RA-2")}
    for charge, code, on, amount, where in case["charges"]:
        leases[where["lease"]].charge(charge, code, on, amount)
    for payment, on, amount, _ in case["payments"]:
        leases["RA-1"].pay(payment, on, amount)
    for payment, charge, on, amount in case["applied"]:
        stated(leases["RA-1"], payment, charge, on, amount)
    return book


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(portfolio().files(), as_of=AS_OF)


def payment(built: Built, lease: str, name: str = "P") -> dict[str, Any]:
    (row,) = built.dicts("select * from application_audit_payments where payment_id = ?", [f"{lease}.{name}"])
    return row


@pytest.mark.parametrize(
    ("lease", "rent_arrears", "fees", "overdue", "system_unapplied", "rule_unapplied"),
    [
        ("WATER", "80.00", "0.00", "0.00", "0.00", "0.00"),
        ("FEE", "50.00", "-50.00", "0.00", "0.00", "0.00"),
        ("RIGHTED", "0.00", "0.00", "0.00", "0.00", "0.00"),
        ("NEVER", "700.00", "0.00", "700.00", "700.00", "0.00"),
        ("BACK", "-600.00", "0.00", "-600.00", "-600.00", "0.00"),
        ("WAIVED", "0.00", "0.00", "0.00", "0.00", "40.00"),
        ("RECOVERED", "0.00", "0.00", "0.00", "300.00", "0.00"),
        ("NOWHERE", "100.00", "0.00", "100.00", "0.00", "0.00"),
    ],
)
def test_what_the_systems_order_moved_is_known_for_each_payment(
    built: Built, lease: str, rent_arrears: str, fees: str, overdue: str, system_unapplied: str, rule_unapplied: str
) -> None:
    found = payment(built, lease)
    names = ("rent_arrears_effect", "fees_effect", "overdue_effect", "system_unapplied", "rule_unapplied")
    assert [f"{found[name]:.2f}" for name in names] == [rent_arrears, fees, overdue, system_unapplied, rule_unapplied]


def test_each_charge_says_what_either_side_applied_and_under_which_rule_and_law(built: Built) -> None:
    found = built.rows(
        "select charge_id, system_applied, rule_applied, difference, finding, law_rule_id, law_rule_version"
        " from application_audit where lease_id = 'WATER' order by charge_id"
    )
    law = ("ZZ-WA.rent_first", 1)
    assert found == [
        ("WATER.MAY", Decimal("920.00"), Decimal("1000.00"), Decimal("-80.00"), "other_amount", *law),
        ("WATER.W", Decimal("80.00"), Decimal("0.00"), Decimal("80.00"), "system_only", *law),
    ]
    policies = built.rows("select distinct rule_id, rule_version from application_audit where lease_id = 'WATER'")
    assert len(policies) == 1 and None not in policies[0]


def test_a_difference_has_a_name(built: Built) -> None:
    found = built.rows(
        "select payment_id, charge_id, finding from application_audit"
        " where finding <> 'same' and lease_id not in ('WATER', 'FEE') order by all"
    )
    assert found == [
        ("BACK.P", "BACK.MAY", "system_only"),
        ("NEVER.P", "NEVER.MAY", "rule_only"),
        ("NOWHERE.P", "NOWHERE.GONE", "unknown_charge"),
        ("NOWHERE.P", "NOWHERE.MAY", "rule_only"),
        ("NOWHERE.X", "NOWHERE.MAY", "payment_not_on_account"),
        ("RECOVERED.P", "RECOVERED.APR", "recovered_write_off"),
        ("WAIVED.P", "WAIVED.LATE", "charge_reversed"),
    ]


def test_money_that_stands_on_no_account_is_audited_where_the_charge_is(built: Built) -> None:
    found = payment(built, "NOWHERE", "X")
    assert (found["property_id"], found["is_on_account"], found["kept_amount"]) == ("rainier1", False, Decimal(0))
    assert found["system_unapplied"] == Decimal("-30.00")
    assert found["rent_arrears_effect"] == Decimal("-30.00")


def test_what_no_journal_tells_of_is_left_out(built: Built) -> None:
    assert built.rows("select 1 from application_audit_payments where lease_id in ('BEFORE', 'QUIET')") == []


def test_crd_05_a_system_that_did_as_the_rule_does_differs_in_nothing(built: Built) -> None:
    assert built.rows(
        "select payments, payments_that_differ, system_applied, rent_arrears_effect, overdue_effect"
        " from application_audit_properties where property_id = 'shared1'"
    ) == [(3, 0, Decimal("7250.00"), Decimal(0), Decimal(0))]
    applied = built.rows(
        "select payment_id, charge_id, rule_applied from application_audit where lease_id = 'RA-1' and finding = 'same'"
    )
    case, _ = CASES["CRD-05"]
    assert sorted(applied) == sorted((f"RA-1.{p}", f"RA-1.{c}", Decimal(a)) for p, c, _, a in case["applied"])


def test_a_property_is_the_sum_of_its_payments_and_a_payment_of_its_charges(built: Built) -> None:
    wanted = ", ".join(f"sum({name})" for name in TOTALS)
    by_payment = f"select property_id, {wanted} from application_audit_payments group by 1 order by 1"
    stands = f"select property_id, {', '.join(TOTALS)} from application_audit_properties order by 1"
    assert built.rows(stands) == built.rows(by_payment)
    parts = ("system_applied", "rule_applied", "rent_arrears_effect", "fees_effect", "overdue_effect")
    wanted = ", ".join(f"sum({name})" for name in parts)
    by_charge = f"select property_id, {wanted} from application_audit group by 1 order by 1"
    assert built.rows(f"select property_id, {', '.join(parts)} from application_audit_properties order by 1") == (
        built.rows(by_charge)
    )
    assert built.rows(
        "select rent_arrears_effect, fees_effect, overdue_effect, payments_never_applied"
        " from application_audit_properties where property_id = 'rainier1'"
    ) == [(Decimal("300.00"), Decimal("-50.00"), Decimal("170.00"), 2)]


def test_what_the_rule_leaves_waiting_is_what_waits(built: Built) -> None:
    waiting = "select source_id, amount from unapplied_credits where source_table = 'payments' order by 1"
    audited = "select payment_id, rule_unapplied from application_audit_payments where rule_unapplied <> 0 order by 1"
    assert built.rows(audited) == built.rows(waiting)
