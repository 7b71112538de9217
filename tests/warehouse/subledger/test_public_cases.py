"""Cases from public sources, from landed files to published tables: many leases, one build.

The inputs and the right figures are in tests/kernel/cases.csv. R1 rent first; R2 oldest due first; R3 everything but
rent first; R4 largest open amount first. A case whose as-of day is no month end is moved in time as a whole, so that
its day is the build's own: ages and amounts do not change by that.
"""

from __future__ import annotations

import csv
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BuildOf, Built
from tests.kernel.books import HOLD, R2, R3, R4, WASHINGTON
from tests.warehouse.subledger.conftest import Account
from tests.warehouse.subledger.portfolio import Lease, Portfolio

AS_OF = "2026-06-30"
POLICIES = {"R2": R2, "R3": R3, "R4": R4, "HOLD": HOLD}
CASES_FILE = Path(__file__).parents[2] / "kernel" / "cases.csv"
with CASES_FILE.open(newline="", encoding="utf-8") as lines:
    CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        row["case_id"]: (json.loads(row["input_json"]), json.loads(row["expected_json"]))
        for row in csv.DictReader(lines)
    }


def evening(on: str) -> str:
    """The last moment of a day, later than all that was typed on it."""
    return f"{on}T23:59:59-06:00"


def to_as_of(on: str) -> int:
    return (date.fromisoformat(AS_OF) - date.fromisoformat(on)).days


def lease_of(
    portfolio: Portfolio, case_id: str, rule: str = "R1", at: str = "maple1", shift: int = 0, named: str | None = None
) -> Lease:
    """The charges, credits, payments and returns of a case as a lease `<case>` or `<case>.<rule>`."""
    case, _ = CASES[case_id]
    name = named or (case_id if rule == "R1" else f"{case_id}/{rule}")
    lease = portfolio.lease(name, at)
    lease.shift = shift
    if rule in POLICIES:
        portfolio.policy(f"policy {name}", POLICIES[rule], scope="lease", scope_id=name)
    for charge, code, on, amount, *more in case.get("charges", []):
        posted = more[0].get("posted") if more else None
        if posted and posted < on:
            lease.charge(charge, code, posted, amount, due_on=lease.day(on))
        else:
            lease.charge(charge, code, on, amount, recorded=evening(posted) if posted else None)
    for credit, on, amount in case.get("credits", []):
        lease.charge(credit, "adjustment", on, f"-{amount}")
    for payment, on, amount, *more in case.get("payments", []):
        keyed = more[0].get("keyed") if more else None
        lease.pay(payment, on, amount, recorded=evening(keyed) if keyed and keyed > on else None)
    for number, (of, on, *_) in enumerate(case.get("returns", case.get("reversals", [])), start=1):
        paid = {payment: amount for payment, _, amount, *_ in case.get("payments", [])}
        if of in paid:
            lease.back(f"back{number}", of, on, paid[of])
    return lease


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    portfolio = Portfolio(properties={"maple1": "US-IA", "test-wa": "ZZ-WA"})
    portfolio.law("ZZ-WA.apply", "ZZ-WA", WASHINGTON)
    for case_id in ("RET-01", "RET-03", "RET-05", "RET-06", "RET-09", "AGE-06", "AGE-07", "AGE-08", "CLO-01", "CLO-03"):
        lease_of(portfolio, case_id)
    for case_id in ("AGE-01", "AGE-02", "AGE-04", "AGE-10", "CRD-02", "CRD-03", "GLT-05", "ALL-02"):
        lease_of(portfolio, case_id, shift=to_as_of(CASES[case_id][0]["as_of"]))
    for case_id, rule in (("ALL-01", "R3"), ("ALL-06", "R3"), ("ALL-07", "R3"), ("ALL-09", "R4")):
        lease_of(portfolio, case_id)
        lease_of(portfolio, case_id, rule)
    lease_of(portfolio, "ALL-06", "R3", at="test-wa", named="ALL-06/WA")
    lease_of(portfolio, "CRD-03", "HOLD", shift=to_as_of(CASES["CRD-03"][0]["as_of"]))
    lease_of(portfolio, "RET-05", named="RET-05/back").back(
        "back", "CHQ", "2002-10-06", "1700.00", recorded=evening("2002-10-06")
    )

    lease_of(portfolio, "ALL-03")
    directed = portfolio.lease("ALL-03/directed")
    for charge, code, on, amount in CASES["ALL-03"][0]["charges"]:
        directed.charge(charge, code, on, amount)
    directed.pay("P1", "2016-02-27", "1000.00", covers_from="2016-02-01", covers_to="2016-02-29", designated_by="payer")
    directed.pay("P2", "2016-03-28", "1000.00", covers_from="2016-03-01", covers_to="2016-03-31", designated_by="payer")

    old = portfolio.lease("ALL-04")
    old.add(
        "opening_balances",
        opening_id="ALL-04.OLD",
        as_of="2018-12-03",
        charge_code="rent",
        amount=CASES["ALL-04"][0]["opening_arrears"],
    )
    for month in range(1, 8):
        old.charge(f"M{month}", "rent", f"2019-0{month}-01", "1000.00")
    old.pay("P", "2019-07-11", CASES["ALL-04"][0]["payments_total"])

    parties = portfolio.lease("ALL-11", program="section8_pbra")
    parties.charge("TEN", "rent", "2026-06-01", "300.00").charge(
        "SUB", "rent", "2026-06-01", "700.00", ledger_party="subsidy"
    )
    parties.pay("P1", "2026-06-03", "300.00", ledger_party="resident")

    undone = Lease(portfolio, "CLO-03")
    of, on, _ = CASES["CLO-03"][0]["reversals"][0]
    _, code, _, amount = next(row for row in CASES["CLO-03"][0]["charges"] if row[0] == of)
    undone.reverse("undo", of, code, on, f"-{amount}", recorded=evening(on))

    shared = {name: portfolio.lease(name) for name in ("RA-1", "RA-2", "CRD-07/A", "CRD-07/B")}
    for charge, code, on, amount, where in CASES["CRD-05"][0]["charges"]:
        shared[where["lease"]].charge(charge, code, on, amount)
    for payment, on, amount, _ in CASES["CRD-05"][0]["payments"]:
        shared["RA-1"].pay(payment, on, amount)
    shared["CRD-07/A"].charge("JUN", "rent", "2026-06-01", "900.00").pay("P1", "2026-05-28", "300.00")
    shared["CRD-07/B"].charge("JUN", "rent", "2026-06-01", "1200.00").pay("P2", "2026-05-30", "2400.00")

    agreed = portfolio.lease("AGR-01")
    portfolio.add(
        "repayment_agreements", agreement_id="AGR-01.A", lease_id="AGR-01", kind="back_rent", total="900.00",
        monthly_amount="300.00", first_month="2026-05-01", signed_on="2026-04-10",
    )  # fmt: skip
    for month, name in enumerate(("JAN", "FEB", "MAR", "APR", "MAY", "JUN"), start=1):
        agreed.charge(name, "rent", f"2026-0{month}-01", "300.00")
    for month in (4, 5, 6):
        agreed.pay(f"P{month}", f"2026-0{month}-01", "300.00")
    agreed.pay("PI", "2026-05-05", "300.00")
    for name, kind, on, amount in (
        ("OUT", "agreement_out", "2026-04-10", "900.00"),
        ("I1", "agreement_instalment", "2026-05-01", "300.00"),
        ("I2", "agreement_instalment", "2026-06-01", "300.00"),
        ("END", "agreement_end", "2026-06-15", "300.00"),
    ):
        side = "from" if kind == "agreement_out" else "to"
        portfolio.add(
            "transfers", transfer_id=f"AGR-01.{name}", kind=kind, agreement_id="AGR-01.A", amount=amount,
            transferred_on=on, **{f"{side}_lease_id": "AGR-01", f"{side}_party": "resident"},
        )  # fmt: skip
    return build_of(portfolio.files(), as_of=AS_OF)


def at(built: Built, case_id: str) -> tuple[Account, dict[str, Any], dict[str, Any]]:
    case, expected = CASES[case_id.split("/")[0]]
    return Account(built, case_id), case, expected


@pytest.mark.parametrize("rule", ["R1", "R3"])
def test_all_01_a_policy_decides_which_of_four_charges_six_hundred_paid(built: Built, rule: str) -> None:
    account, case, expected = at(built, "ALL-01" if rule == "R1" else "ALL-01/R3")
    assert account.balance(case["as_of"]) == expected["balance"]
    rent = account.open(case["as_of"]).get("RENT", "0.00")
    assert rent == expected[f"{rule}.rent_open"]
    other = Decimal(account.total_open(case["as_of"])) - Decimal(rent)
    assert f"{other:.2f}" == expected[f"{rule}.other_open"]
    collected = (Decimal("800.00") - Decimal(rent)) / 10
    assert f"{collected:.2f}" == expected[f"{rule}.fee_10pct_of_rent_collected"]


def test_all_02_a_payment_clears_the_earliest_rent_and_not_the_fee(built: Built) -> None:
    account, _, expected = at(built, "ALL-02")
    aging = account.aging(AS_OF)
    assert (aging["B0"], aging["B31"], aging["net"]) == (
        expected["aging.B0"],
        expected["aging.B31"],
        expected["balance"],
    )
    assert account.open(AS_OF) == {"NSF": expected["nsf_open"], "JUN": expected["rent_only_arrears"]}
    assert list(account.owing().values()) == list(expected["rent_arrears_by_month"].values())
    assert account.bridge()["Rent claimed"] == expected["rent_only_arrears"]


def test_all_03_the_payers_direction_to_a_month_beats_oldest_first(built: Built) -> None:
    directed, case, expected = at(built, "ALL-03/directed")
    assert directed.open(case["as_of"]) == {"JAN": expected["directed.by_month"]["2016-01"]}
    assert directed.aging(case["as_of"])["B61"] == expected["directed.aging.B61"]
    plain, _, _ = at(built, "ALL-03")
    assert plain.open(case["as_of"]) == {"MAR": expected["R1.by_month"]["2016-03"]}
    assert plain.aging(case["as_of"])["B0"] == expected["R1.aging.B0"]


def test_all_04_first_payments_go_to_the_arrears_at_the_start(built: Built) -> None:
    account, _, expected = at(built, "ALL-04")
    by_target = {target: Decimal(amount) for (_, target), amount in account.applied().items()}
    assert f"{by_target.pop('OLD'):.2f}" == expected["applied_to_old_arrears"]
    assert f"{sum(by_target.values()):.2f}" == expected["rent_paid_for_period"]


def test_all_06_insurance_first_makes_rent_short_unless_the_law_forbids_it(built: Built) -> None:
    _, case, expected = at(built, "ALL-06")
    assert Account(built, "ALL-06/R3").open(case["as_of"]) == {"RENT": expected["R3.rent_open"]}
    assert Account(built, "ALL-06").open(case["as_of"]) == {"INS": expected["R1.insurance_open"]}
    under_law = Account(built, "ALL-06/WA")
    assert under_law.open(case["as_of"]).get("RENT", "0.00") == expected["WA.rent_open"]
    rows = built.rows("select distinct rule_id, law_rule_id from payment_applications where lease_id = 'ALL-06/WA'")
    assert rows == [("policy ALL-06/WA", "ZZ-WA.apply")]


def test_all_07_fees_first_makes_each_later_month_late(built: Built) -> None:
    fair, case, expected = at(built, "ALL-07")
    assert fair.open(case["as_of"]) == {"LF1": expected["R1.fee_open"]}
    assert Account(built, "ALL-07/R3").open(case["as_of"]) == {"MAR": expected["R3.rent_open"]}


def test_all_09_largest_first_can_pass_the_rent_by(built: Built) -> None:
    fair, case, expected = at(built, "ALL-09")
    assert fair.open(case["as_of"]) == {"DMG": expected["R1.damage_open"]}
    largest = Account(built, "ALL-09/R4").open(case["as_of"])
    assert largest == {"JAN": expected["R4.rent_open"], "DMG": expected["R4.damage_open"]}


def test_all_11_parties_never_mix(built: Built) -> None:
    resident, case, expected = at(built, "ALL-11")
    assert resident.total_open(case["as_of"]) == expected["resident_open"]
    assert Account(built, "ALL-11", "subsidy").total_open(case["as_of"]) == expected["subsidy_open"]
    assert resident.owing() == {"2026-06": "0.00"}  # nothing of the agency's share is claimed from the resident


def test_ret_01_a_bounced_payment_opens_the_fee_again(built: Built) -> None:
    account, case, expected = at(built, "RET-01")
    first, bounced, second, last = case["as_of"]
    assert (account.total_open(first), account.credit(first)) == (expected[first]["open"], expected[first]["credit"])
    assert account.open(bounced) == {"FEE": expected[bounced]["FEE_open"], "NSF": expected[bounced]["NSF_open"]}
    assert account.credit(bounced) == expected[bounced]["credit"]
    assert (account.total_open(second), account.credit(second)) == ("0.00", expected[second]["credit"])
    assert account.open(last) == {"FEB": expected[last]["FEB_open"]}


def test_ret_03_what_the_books_said_on_the_24th_stays_reproducible(built: Built) -> None:
    account, case, expected = at(built, "RET-03")
    for as_of, known in case["as_of_known_at"]:
        known_then = f"{known}T23:59:59" if known == as_of else f"{known}T23:59:59.999"
        # Typed in the evening in Chicago is the next morning in UTC.
        moment = (date.fromisoformat(known).toordinal() + 1, "06:00:00")
        known_then = f"{date.fromordinal(moment[0]).isoformat()}T{moment[1]}"
        assert account.balance(as_of, known_then) == expected[f"as_of {as_of[5:]} known {known[5:]}"]


def test_ret_05_a_cheque_counts_when_received_and_is_undone_when_it_comes_back(built: Built) -> None:
    account, _, expected = at(built, "RET-05")
    assert account.total_open("2002-09-30") == expected["2002-09-30.open"]
    assert account.total_open("2002-10-01") == expected["2002-10-01.open"]
    variant = Account(built, "RET-05/back")
    assert variant.total_open("2002-10-01", "2002-10-02T00:00:00") == expected["variant.2002-10-01.open known then"]
    assert variant.total_open("2002-10-06") == expected["variant.2002-10-06.open"]


def test_ret_06_a_used_prepayment_that_bounces_leaves_no_liability(built: Built) -> None:
    account, case, expected = at(built, "RET-06")
    for as_of in case["as_of"]:
        assert account.total_open(as_of) == expected[as_of]["receivable"]
        assert account.credit(as_of) == expected[as_of]["prepaid_liability"]


def test_ret_09_two_credits_net_a_cancelled_item_to_nothing(built: Built) -> None:
    account, _, expected = at(built, "RET-09")
    assert account.open("2013-09-17") == {"YR": expected["kept_for_30_days_before_ADJ"]}
    assert account.balance("2013-09-20") == expected["net_after_ADJ"]


@pytest.mark.parametrize("case_id", ["AGE-01", "AGE-02", "AGE-04"])
def test_age_buckets_sum_to_the_balance_and_the_last_one_is_open_ended(built: Built, case_id: str) -> None:
    account, _, expected = at(built, case_id)
    aging = account.aging(AS_OF)
    assert {name: aging[name] for name in ("ND", "B0", "B31", "B61", "B91")} == {
        name: expected.get(name, "0.00") for name in ("ND", "B0", "B31", "B61", "B91")
    }
    assert aging["total"] == aging["net"] == expected["total"]


def test_age_06_a_payment_before_its_charge_applies_on_the_later_day(built: Built) -> None:
    account, case, expected = at(built, "AGE-06")
    before, after = case["as_of"]
    assert (account.total_open(before), account.credit(before)) == (
        expected[before]["gl_receivable"],
        expected[before]["gl_prepaid"],
    )
    assert account.balance(after) == expected[after]["net"]
    month_end = account.aging("2024-06-30")
    assert (month_end["total"], month_end["credit"], month_end["net"]) == ("0.00", "500.00", "-500.00")


@pytest.mark.parametrize("case_id", ["AGE-07", "AGE-08"])
def test_age_07_and_08_money_counts_from_its_own_day(built: Built, case_id: str) -> None:
    account, case, expected = at(built, case_id)
    for as_of in case["as_of"]:
        assert account.total_open(as_of) == expected[as_of]


def test_age_10_overdue_means_due_before_the_day(built: Built) -> None:
    rows = built.rows("select charge_id, due_on from open_charges where lease_id = 'AGE-10' order by 1")
    _, _, expected = at(built, "AGE-10")
    as_of = date.fromisoformat(AS_OF)
    assert [name.removeprefix("AGE-10.") for name, due in rows if due < as_of] == expected["overdue"]
    assert [name.removeprefix("AGE-10.") for name, due in rows if due == as_of] == expected["due_today"]


def test_clo_01_a_december_payment_that_bounces_in_january_leaves_december_as_it_was(built: Built) -> None:
    account, _, expected = at(built, "CLO-01")
    assert account.aging("2025-12-31")["total"] == expected["2025-12-31"]["receivable"]
    assert account.aging("2026-01-31")["B61"] == expected["2026-01-31"]["B61"]


def test_clo_03_a_charge_reversed_a_year_later_was_open_at_year_end(built: Built) -> None:
    account, _, expected = at(built, "CLO-03")
    assert account.open("2025-12-31").get("MAR", "0.00") == expected["MAR_open_at_2025-12-31"]
    assert account.open("2026-05-31").get("MAR", "0.00") == expected["MAR_open_at_2026-05-31"]


def test_crd_02_an_advance_stands_in_the_credit_column(built: Built) -> None:
    account, _, expected = at(built, "CRD-02")
    aging = account.aging(AS_OF)
    assert (aging["credit"], aging["total"], aging["net"]) == (expected["credit"], expected["buckets"], expected["net"])
    assert account.waiting() == {"P1": expected["credit"]}


@pytest.mark.parametrize("mode", ["held", "R1"])
def test_crd_03_a_credit_may_be_held_or_run_through_the_rule(built: Built, mode: str) -> None:
    _, _, expected = at(built, "CRD-03")
    aging = Account(built, "CRD-03" if mode == "R1" else "CRD-03/HOLD").aging(AS_OF)
    assert (aging["B0"], aging["credit"], aging["net"]) == tuple(
        expected[mode][name] for name in ("B0", "credit", "net")
    )


def test_crd_05_money_of_one_lease_never_pays_another(built: Built) -> None:
    _, case, expected = at(built, "CRD-05")
    one, other = Account(built, "RA-1"), Account(built, "RA-2")
    for as_of in case["as_of"]:
        assert one.aging(as_of)["total"] == expected[as_of]["RA-1"]
        assert other.aging(as_of)["total"] == expected[as_of]["RA-2"]
        assert one.aging(as_of)["credit"] == expected[as_of]["credit"]


def test_crd_07_delinquent_and_prepaid_are_never_netted_across_leases(built: Built) -> None:
    _, case, expected = at(built, "CRD-07")
    for name, lease in (("A", "lease_A"), ("B", "lease_B")):
        aging = Account(built, f"CRD-07/{name}").aging(case["as_of"])
        assert (aging["total"], aging["credit"]) == (expected[lease]["open"], expected[lease]["credit"])
    after = expected["2026-06-01"]
    assert Account(built, "CRD-07/A").total_open("2026-06-01") == after["A_open"]
    assert Account(built, "CRD-07/B").credit("2026-06-01") == after["B_credit"]


def test_glt_05_a_payment_keyed_twice_counts_once(built: Built) -> None:
    account, _, expected = at(built, "GLT-05")
    assert account.total_open(AS_OF) == expected["open"]


def test_agr_01_debt_moves_to_an_agreement_and_comes_back_by_instalments(built: Built) -> None:
    account, _, expected = at(built, "AGR-01")
    assert account.balance("2026-04-10") == expected["2026-04-10"]["ledger"]
    assert account.applied("2026-04-10") == {
        ("P4", "JAN"): "300.00",
        ("OUT", "FEB"): "300.00",
        ("OUT", "MAR"): "300.00",
        ("OUT", "APR"): "300.00",
    }
    for day in ("2026-05-01", "2026-05-31"):
        assert account.balance(day) == expected[day]["ledger"]
    assert account.balance("2026-06-15") == expected["2026-06-15 after cancel"]["ledger"]
    # An agreement lowers no claim: the six months' rent less what was paid stands against the forum's count.
    assert account.bridge()["Rent claimed"] == "600.00"
