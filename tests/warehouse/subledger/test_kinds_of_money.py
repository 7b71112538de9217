"""What each kind of entry does to an account, from files to published tables: one lease per sentence of the rules.

The forum's view of the same leases is checked beside it, because what pays a ledger does not always lower a claim.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from orchestration.contract import contract
from tests.conftest import BuildOf, Built
from tests.kernel.books import R3
from tests.warehouse.subledger.conftest import Account
from tests.warehouse.subledger.portfolio import Portfolio

AS_OF = "2026-06-15"
COLORADO = (
    '[{"match": {"counts_as_rent": true}}, {"match": {"category": ["late_fee"]}, "designated_only": true},'
    ' {"match": "any"}]'
)


def portfolio() -> Portfolio:
    book = Portfolio(properties={"maple1": "US-IA", "oak1": "ZZ-CO-Denver", "elm1": "ZZ-CO"})
    book.law("ZZ-CO.state", "ZZ-CO", COLORADO)
    book.law("ZZ-CO.city", "ZZ-CO-Denver", R3)
    book.law("ZZ-CO.old", "ZZ-CO", R3, valid_from="1990-01-01")
    book.add(
        "charge_treatments", jurisdiction="ZZ-CO", purpose="payment_application", category="pet", treatment="rent",
        reason="a test", citation="a test", valid_from="2020-01-01",
    )  # fmt: skip
    book.add(
        "charge_treatments", jurisdiction="ZZ-CO-Denver", purpose="payment_application", category="pet",
        treatment="not_rent", reason="a test", citation="a test", valid_from="2020-01-01",
    )  # fmt: skip

    lease = book.lease("CONCESSION")  # a concession lowers the rent of its own period, whatever is older
    lease.charge("APR", "rent", "2026-04-01", "1000.00").charge("MAY", "rent", "2026-05-01", "1000.00")
    lease.charge("C", "concession", "2026-05-01", "-150.00")

    lease = book.lease("NAMES")  # a credit first pays the charge it names
    lease.charge("A", "fee", "2026-04-01", "50.00").charge("B", "fee", "2026-05-01", "50.00")
    lease.charge("C", "adjustment", "2026-05-02", "-20.00", corrects_charge_id="NAMES.B", reason="wrong amount")

    lease = book.lease("PART")  # a smaller amount than the charge it reverses is a credit that names it
    lease.charge("A", "fee", "2026-04-01", "50.00").charge("B", "fee", "2026-05-01", "50.00")
    lease.reverse("C", "B", "fee", "2026-05-02", "-20.00")

    lease = book.lease("WAIVER")  # what had paid a reversed charge pays the next one
    lease.charge("LATE", "late_fee", "2026-04-06", "50.00").pay("P", "2026-04-10", "50.00")
    lease.charge("MAY", "rent", "2026-05-01", "1000.00").reverse("W", "LATE", "late_fee", "2026-05-03", "-50.00")

    lease = book.lease("REFUND")  # a refund takes waiting money; what it does not find is owed
    lease.pay("P", "2026-04-01", "300.00")
    lease.add("refunds_of_credit", refund_id="REFUND.R", amount="350.00", paid_on="2026-04-10")

    lease = book.lease("WRITE-OFF", move_out_on="2026-04-30")  # and money after move-out brings debt back
    lease.charge("APR", "rent", "2026-04-01", "1000.00")
    lease.add(
        "write_offs", write_off_id="WRITE-OFF.W", amount="1000.00", written_off_on="2026-05-15", approved_by="Kim",
        reason="moved without address",
    )  # fmt: skip
    lease.pay("P", "2026-06-01", "400.00")

    lease = book.lease("FORGIVEN", move_out_on="2026-04-30")  # forgiven debt is never reopened
    lease.charge("APR", "rent", "2026-04-01", "1000.00")
    lease.add(
        "write_offs", write_off_id="FORGIVEN.W", amount="1000.00", written_off_on="2026-05-15", approved_by="Kim",
        reason="discharged", is_forgiven="true",
    )  # fmt: skip
    lease.pay("P", "2026-06-01", "400.00")

    lease = book.lease("OVER")  # a write-off of more than there is stands as waiting money and pays nothing later
    lease.charge("APR", "rent", "2026-04-01", "100.00")
    lease.add(
        "write_offs",
        write_off_id="OVER.W",
        amount="130.00",
        written_off_on="2026-05-15",
        approved_by="Kim",
        reason="bad",
    )
    lease.charge("JUN", "rent", "2026-06-01", "100.00")

    lease = book.lease("UNDONE")  # a write-off taken back
    lease.charge("APR", "rent", "2026-04-01", "100.00")
    lease.add(
        "write_offs",
        write_off_id="UNDONE.W",
        amount="100.00",
        written_off_on="2026-05-15",
        approved_by="Kim",
        reason="bad",
    )
    lease.add(
        "write_offs", write_off_id="UNDONE.X", amount="100.00", written_off_on="2026-05-20", approved_by="Kim",
        reason="mistake", reverses_write_off_id="UNDONE.W",
    )  # fmt: skip

    lease = book.lease("DEPOSIT")  # a deposit applied pays; a rent deposit is left out of a claim
    lease.charge("APR", "rent", "2026-04-01", "1000.00")
    lease.add("deposit_movements", movement_id="DEPOSIT.1", kind="received", amount="900.00", occurred_on="2026-01-01")
    lease.add("deposit_movements", movement_id="DEPOSIT.2", kind="applied", amount="300.00", occurred_on="2026-05-01")
    lease.add(
        "deposit_movements", movement_id="DEPOSIT.3", kind="applied", amount="200.00", occurred_on="2026-05-02",
        is_rent_deposit="true",
    )  # fmt: skip

    one, other = book.lease("MOVE-A"), book.lease("MOVE-B")  # money crosses between accounts only by a transfer
    one.charge("APR", "rent", "2026-04-01", "700.00")
    other.pay("P", "2026-05-02", "50.00")
    book.add(
        "transfers", transfer_id="MOVE", kind="account", from_lease_id="MOVE-A", from_party="resident",
        to_lease_id="MOVE-B", to_party="resident", charge_id="MOVE-A.APR", amount="700.00", transferred_on="2026-05-01",
    )  # fmt: skip

    lease = book.lease("OPENING")  # an opening credit is waiting money
    for name, code, amount, due in (("RENT", "rent", "500.00", "2026-03-01"), ("CREDIT", "fee", "-80.00", "")):
        lease.add(
            "opening_balances", opening_id=f"OPENING.{name}" if name == "RENT" else None, as_of="2026-03-31",
            charge_code=code, amount=amount, due_on=due,
        )  # fmt: skip

    lease = book.lease("DESIGNATED")  # designated money pays only what it names; a forum does not count it for rent
    lease.charge("APR", "rent", "2026-04-01", "1000.00").charge("LATE", "late_fee", "2026-04-06", "50.00")
    lease.pay("P", "2026-04-10", "80.00", designation="fees", designated_by="payer")

    lease = book.lease("SUBSIDIZED", program="section8_pbra")  # contract rent with the subsidy credited against it
    lease.charge("MAY", "rent", "2026-05-01", "1000.00").charge("SUB", "subsidy", "2026-05-01", "-700.00")
    lease.charge("HAP", "rent", "2026-05-01", "700.00", ledger_party="subsidy")
    lease.pay("HUD", "2026-05-04", "700.00", payer_kind="agency").pay("P", "2026-05-05", "250.00")

    lease = book.lease("ASSISTED", program="market")  # an agency without a subsidy account pays for the resident
    lease.charge("MAY", "rent", "2026-05-01", "1000.00").pay("CITY", "2026-05-04", "600.00", payer_kind="agency")

    lease = book.lease("AWARDED", program="section8_pbra")  # rental assistance is the resident's money
    lease.charge("MAY", "rent", "2026-05-01", "1000.00").pay("AID", "2026-05-04", "600.00", payer_kind="agency")
    book.add(
        "rental_assistance_awards", award_id="W", lease_id="AWARDED", program="city", amount="600.00",
        months_covered_from="2026-05-01", months_covered_to="2026-06-01", conditions="{}", status="paid",
        payment_id="AWARDED.AID",
    )  # fmt: skip

    lease = book.lease("NOT-DUE", rent_due_day="10")  # posted, not due: in no claim, in a column of its own
    lease.charge("MAY", "rent", "2026-05-10", "1000.00").charge(
        "JUL", "rent", "2026-06-01", "1000.00", due_on="2026-07-10"
    )
    lease.charge("NEXT", "rent", "2026-06-20", "5.00")

    lease = book.lease("EXCESS")  # credit beyond its own period pays the earliest period owing
    lease.charge("APR", "rent", "2026-04-01", "100.00").charge("MAY", "rent", "2026-05-01", "100.00")
    lease.charge("C", "concession", "2026-05-01", "-130.00").pay("P", "2026-05-20", "20.00")

    for name, at in (("STATE", "elm1"), ("CITY", "oak1")):  # the most local law wins; the latest start among its own
        lease = book.lease(name, at=at)
        lease.charge("RENT", "rent", "2026-05-01", "100.00").charge("LATE", "late_fee", "2026-05-06", "50.00")
        lease.charge("PET", "pet", "2026-05-07", "25.00").pay("P", "2026-05-10", "160.00")

    book.add(
        "charge_treatments",
        jurisdiction="ZZ-CO",
        purpose="tribunal_application",
        category="pet",
        treatment="spoils_notice",
        reason="a test",
        citation="a test",
        valid_from="2020-01-01",
    )
    lease = book.lease("FORUM-LAW", at="elm1")  # rent when money is applied, no rent to the tribunal of the same place
    lease.charge("PET", "pet", "2026-05-07", "25.00").charge("RENT", "rent", "2026-05-01", "100.00")
    lease.pay("P", "2026-05-10", "60.00")

    lease = book.lease("UNKNOWN-CODE")  # money designated to a code that nobody defined pays nothing else
    lease.charge("RENT", "rent", "2026-05-01", "100.00")
    lease.pay("P", "2026-05-02", "40.00", designation="garage", designated_by="payer")

    lease = book.lease("PERSONS", billing="individual")  # a person's money pays that person's own charges
    for person in ("ann", "bob"):
        book.add("persons", person_id=person, name=person.title())
        lease.charge(f"RENT-{person}", "rent", "2026-05-01", "500.00", responsible_person_id=person)
    lease.charge("WATER", "utility", "2026-05-01", "40.00")
    lease.pay("P", "2026-05-02", "600.00", payer_person_id="bob")

    book.policy("by property", R3, scope="property", scope_id="maple1", valid_from="2030-01-01")  # not in force yet
    book.policy("by program", R3, scope="program", scope_id="state_moderate")
    book.policy("by lease", COLORADO, scope="lease", scope_id="PROGRAM")
    lease = book.lease("PROGRAM", program="state_moderate")  # the program's policy outranks the lease's
    lease.charge("RENT", "rent", "2026-05-01", "100.00").charge("FEE", "fee", "2026-05-01", "30.00")
    lease.pay("P", "2026-05-02", "40.00")
    return book


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(portfolio().files(), as_of=AS_OF)


@pytest.mark.parametrize(
    ("lease", "still_open", "waiting", "claim"),
    [
        ("CONCESSION", {"APR": "1000.00", "MAY": "850.00"}, {}, "1850.00"),
        ("NAMES", {"A": "50.00", "B": "30.00"}, {}, "0.00"),
        ("PART", {"A": "50.00", "B": "30.00"}, {}, "0.00"),
        ("WAIVER", {"MAY": "950.00"}, {}, "950.00"),
        ("REFUND", {"R": "50.00"}, {}, "0.00"),
        ("WRITE-OFF", {}, {}, "600.00"),
        ("FORGIVEN", {}, {"P": "400.00"}, "600.00"),
        ("OVER", {"JUN": "100.00"}, {"W": "30.00"}, "200.00"),
        ("UNDONE", {"APR": "100.00"}, {}, "100.00"),
        ("DEPOSIT", {"APR": "500.00"}, {}, "700.00"),
        ("MOVE-A", {}, {}, "700.00"),
        ("MOVE-B", {"MOVE": "650.00"}, {}, "0.00"),
        ("OPENING", {"RENT": "420.00"}, {}, "420.00"),
        ("DESIGNATED", {"APR": "1000.00"}, {"P": "30.00"}, "1000.00"),
        ("SUBSIDIZED", {"MAY": "50.00"}, {}, "50.00"),
        ("ASSISTED", {"MAY": "400.00"}, {}, "400.00"),
        ("AWARDED", {"MAY": "400.00"}, {}, "400.00"),
        ("NOT-DUE", {"MAY": "1000.00", "JUL": "1000.00"}, {}, "1000.00"),
        ("EXCESS", {"APR": "50.00"}, {}, "50.00"),
        ("STATE", {"LATE": "50.00"}, {"P": "35.00"}, "0.00"),
        ("CITY", {"RENT": "15.00"}, {}, "0.00"),
        ("FORUM-LAW", {"RENT": "40.00", "PET": "25.00"}, {}, "40.00"),
        ("UNKNOWN-CODE", {"RENT": "100.00"}, {"P": "40.00"}, "100.00"),
        ("PERSONS", {"RENT-ann": "500.00"}, {"P": "60.00"}, "400.00"),
        ("PROGRAM", {"RENT": "90.00"}, {}, "60.00"),
    ],
)
def test_what_is_open_what_waits_and_what_a_forum_would_award(
    built: Built, lease: str, still_open: dict[str, str], waiting: dict[str, str], claim: str
) -> None:
    account = Account(built, lease)
    assert account.open(AS_OF) == still_open
    rows = built.rows(
        "select charge_id, open_amount from open_charges where lease_id = ? and ledger_party = 'resident'", [lease]
    )
    assert {name.removeprefix(f"{lease}."): f"{amount:.2f}" for name, amount in rows} == still_open
    assert account.waiting() == waiting
    assert account.bridge()["Rent claimed"] == claim
    assert account.aging(AS_OF)["net"] == account.balance(AS_OF)


def test_a_recovery_stands_in_the_ledger_as_an_entry_of_its_own(built: Built) -> None:
    rows = built.rows(
        "select kind, amount, running_balance from resident_ledger where lease_id = 'WRITE-OFF' order by entry_seq"
    )
    assert rows == [
        ("charge", Decimal("1000.00"), Decimal("1000.00")),
        ("write_off", Decimal("-1000.00"), Decimal("0.00")),
        ("payment", Decimal("-400.00"), Decimal("-400.00")),
        ("write_off_recovery", Decimal("400.00"), Decimal("0.00")),
    ]
    reasons = built.rows(
        "select source_kind, amount, reason from payment_applications where lease_id = 'WRITE-OFF' order by amount"
    )
    assert reasons == [
        ("write_off", Decimal("-400.00"), "recovery"),
        ("payment", Decimal("400.00"), None),
        ("write_off", Decimal("1000.00"), None),
    ]


def test_a_write_off_that_found_nothing_is_listed(built: Built) -> None:
    rows = built.rows("select lease_id, source_id, amount from unapplied_credits where is_over_written_off")
    assert rows == [("OVER", "OVER.W", Decimal("30.00"))]


def test_an_opening_balance_without_an_id_is_named_by_its_key(built: Built) -> None:
    rows = built.rows("select source_id, amount from resident_ledger where lease_id = 'OPENING' order by amount")
    assert rows == [("opening:OPENING:resident:2026-03-31:fee", Decimal("-80.00")), ("OPENING.RENT", Decimal("500.00"))]


def test_agency_money_finds_its_account(built: Built) -> None:
    rows = built.rows(
        "select source_id, ledger_party from resident_ledger where source_id in"
        " ('SUBSIDIZED.HUD', 'ASSISTED.CITY', 'AWARDED.AID') order by 1"
    )
    assert rows == [("ASSISTED.CITY", "resident"), ("AWARDED.AID", "resident"), ("SUBSIDIZED.HUD", "subsidy")]
    assert Account(built, "SUBSIDIZED", "subsidy").total_open(AS_OF) == "0.00"


def test_every_program_that_a_lease_may_name_says_whether_an_agency_owes_a_share(built: Built) -> None:
    said = {program for (program,) in built.rows("select program from rules.rule_programs")}
    assert said == set(contract()["leases"].column("program").values)


def test_rent_not_due_yet_has_its_own_column_and_period(built: Built) -> None:
    aging = Account(built, "NOT-DUE").aging(AS_OF)
    assert (aging["ND"], aging["B31"], aging["net"]) == ("1000.00", "1000.00", "2000.00")
    assert Account(built, "NOT-DUE").bridge()["Less rent not yet due"] == "-1000.00"
    rows = built.rows("select period_from, period_to, rent_owing from arrears_by_month where lease_id = 'NOT-DUE'")
    assert rows == [(date(2026, 5, 10), date(2026, 6, 9), Decimal("1000.00"))]


def test_what_is_dated_after_the_builds_day_is_listed_and_in_no_figure(built: Built) -> None:
    rows = built.rows("select source_id, entry_on from future_dated")
    assert rows == [("NOT-DUE.NEXT", date(2026, 6, 20))]
    assert Account(built, "NOT-DUE").balance("2026-06-20") == "2005.00"


def test_money_not_counted_stands_in_the_bridge(built: Built) -> None:
    lines = Account(built, "DESIGNATED").bridge()
    assert lines["Plus money that the payer designated to something other than rent"] == "80.00"
    assert Account(built, "DEPOSIT").bridge()["Plus the rent deposit, left out"] == "200.00"
    assert Account(built, "FORGIVEN").bridge()["Plus write-offs, which do not lower a claim"] == "1000.00"


def test_excess_credit_pays_the_earliest_period(built: Built) -> None:
    rows = built.rows(
        "select period_from, rent_billed, rent_credits, rent_charged, rent_paid, rent_owing from arrears_by_month"
        " where lease_id = 'EXCESS' order by 1"
    )
    assert rows == [
        (date(2026, 4, 1), *map(Decimal, ("100.00", "0.00", "100.00", "50.00", "50.00"))),
        (date(2026, 5, 1), *map(Decimal, ("100.00", "130.00", "0.00", "0.00", "0.00"))),
    ]


def test_the_most_local_law_and_treatment_decide(built: Built) -> None:
    laws = built.rows(
        "select distinct lease_id, law_rule_id from payment_applications where lease_id in ('STATE', 'CITY') order by 1"
    )
    assert laws == [("CITY", "ZZ-CO.city"), ("STATE", "ZZ-CO.state")]
    rent = built.rows(
        "select lease_id, counts_as_rent from resident_ledger where source_id in ('CITY.PET', 'STATE.PET') order by 1"
    )
    assert rent == [("CITY", False), ("STATE", True)]


def test_every_application_names_its_rule_and_step(built: Built) -> None:
    rows = built.rows(
        "select charge_id, rule_id, law_rule_id, step from payment_applications"
        " where lease_id in ('PROGRAM', 'CONCESSION', 'STATE') and source_kind in ('payment', 'credit') order by 1"
    )
    assert rows == [
        ("CONCESSION.MAY", "built_in.rent_first", None, "own"),
        ("PROGRAM.FEE", "by program", None, "1"),
        ("PROGRAM.RENT", "by program", None, "2"),
        ("STATE.PET", "built_in.rent_first", "ZZ-CO.state", "1.1"),
        ("STATE.RENT", "built_in.rent_first", "ZZ-CO.state", "1.1"),
    ]


def test_the_sum_of_the_long_form_is_the_wide_form_by_the_entitys_own_edges(built: Built) -> None:
    rows = built.rows(
        "select bucket, open_amount from aging_buckets where lease_id = 'NOT-DUE' and as_of = date '2026-06-15'"
        " and basis = 'business' order by bucket_no"
    )
    assert rows == [("not yet due", Decimal("1000.00")), ("31-60", Decimal("1000.00"))]
