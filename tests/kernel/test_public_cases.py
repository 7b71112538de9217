"""Cases from public sources (tests/kernel/cases.csv): what went wrong elsewhere, and the figures that are right.

Rules: R1 rent first, then the rest, oldest due first; R2 oldest due first; R3 everything but rent first; R4 largest
open amount first. As-of means the end of that day.
"""

from __future__ import annotations

import csv
import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from tests.kernel.books import HOLD, R1, R2, R3, R4, WASHINGTON, Books, cents, money

with (Path(__file__).parent / "cases.csv").open(newline="", encoding="utf-8") as lines:
    CASES = {
        row["case_id"]: (json.loads(row["input_json"]), json.loads(row["expected_json"]))
        for row in csv.DictReader(lines)
    }


def books_of(case: dict, policy: str = R1, law: str | None = None) -> Books:
    """The charges, credits, payments and returns of a case, on one account."""
    books = Books(policy=policy, law=law)
    for name, category, on, amount, *more in case.get("charges", []):
        extra = more[0] if more else {}
        known = {"known": extra["posted"]} if "posted" in extra and extra["posted"] > on else {}
        posted = {"posted": extra["posted"]} if "posted" in extra and not known else {}
        books.charge(name, on, amount, category, **posted, **known)
    for name, on, amount in case.get("credits", []):
        books.credit(name, on, amount, "adjustment")
    for name, on, amount, *more in case.get("payments", []):
        extra = more[0] if more else {}
        books.pay(name, on, amount, **({"known": extra["keyed"]} if "keyed" in extra else {}))
    for number, (of, on, *_) in enumerate(case.get("returns", []), start=1):
        books.returned(f"returned {number}", of, on)
    return books


def test_all_01_a_policy_decides_which_of_four_charges_six_hundred_paid(engine):
    case, expected = CASES["ALL-01"]
    for rule, policy in (("R1", R1), ("R3", R3)):
        applied = books_of(case, policy).run(engine)
        assert applied.balance(case["as_of"]) == expected["balance"]
        open_now = applied.open(case["as_of"])
        rent = open_now.get("RENT", "0.00")
        assert rent == expected[f"{rule}.rent_open"]
        assert money(cents(applied.total_open()) - cents(rent)) == expected[f"{rule}.other_open"]
        collected = Decimal(cents("800.00") - cents(rent)) / 1000
        assert f"{collected:.2f}" == expected[f"{rule}.fee_10pct_of_rent_collected"]


def test_all_02_a_payment_clears_the_earliest_rent_and_not_the_fee(engine):
    case, expected = CASES["ALL-02"]
    applied = books_of(case).run(engine)
    assert applied.balance(case["as_of"]) == expected["balance"]
    assert applied.open(case["as_of"]) == {"JUN": expected["rent_only_arrears"], "NSF": expected["nsf_open"]}
    aging = applied.aging(case["as_of"])
    assert (aging["B0"], aging["B31"]) == (expected["aging.B0"], expected["aging.B31"])
    oldest = books_of(case, R2).run(engine)
    assert oldest.open(case["as_of"])["JUN"] == expected["R2.rent_arrears_by_month"]["2026-06"]
    may, fee, june = case["charges"]
    sooner = {**case, "charges": [may, [fee[0], fee[1], "2026-04-30", fee[3]], june]}
    assert books_of(sooner, R2).run(engine).open(case["as_of"]) == {"MAY": "20.00", "JUN": "1000.00"}


def test_all_03_the_payers_direction_to_a_month_beats_oldest_first(engine):
    case, expected = CASES["ALL-03"]
    directed = books_of({"charges": case["charges"]})
    directed.pay("P1", "2016-02-27", "1000.00", covers_from="2016-02-01", covers_to="2016-02-29")
    directed.pay("P2", "2016-03-28", "1000.00", covers_from="2016-03-01", covers_to="2016-03-31")
    applied = directed.run(engine)
    assert applied.open(case["as_of"]) == {"JAN": expected["directed.by_month"]["2016-01"]}
    assert applied.aging(case["as_of"])["B61"] == expected["directed.aging.B61"]
    plain = books_of(case).run(engine)
    assert plain.open(case["as_of"]) == {"MAR": expected["R1.by_month"]["2016-03"]}
    assert plain.aging(case["as_of"])["B0"] == expected["R1.aging.B0"]


def test_all_04_first_payments_go_to_the_arrears_at_the_start(engine):
    case, expected = CASES["ALL-04"]
    books = Books().add(
        "OLD", "opening_balance", "2018-12-03", cents(case["opening_arrears"]), category="rent", counts_as_rent=True
    )
    for month in range(1, 8):
        books.charge(f"M{month}", f"2019-0{month}-01", "1000.00")
    applied = books.pay("P", "2019-07-11", case["payments_total"]).run(engine)
    by_target = {target: amount for (_, target), amount in applied.applied().items()}
    assert by_target.pop("OLD") == expected["applied_to_old_arrears"]
    for_period = sum(Decimal(amount) for amount in by_target.values())
    assert f"{for_period:.2f}" == expected["rent_paid_for_period"]
    assert str((for_period / 4).quantize(Decimal("0.01"), ROUND_HALF_UP)) == expected["quarter_of_that"]


def test_all_06_insurance_first_makes_rent_short_unless_the_law_forbids_it(engine):
    case, expected = CASES["ALL-06"]
    fees_first = books_of(case, R3).run(engine).open(case["as_of"])
    assert fees_first == {"RENT": expected["R3.rent_open"]}
    rent_first = books_of(case, R1).run(engine).open(case["as_of"])
    assert rent_first == {"INS": expected["R1.insurance_open"]}
    under_law = books_of(case, R3, law=WASHINGTON).run(engine).open(case["as_of"])
    assert under_law.get("RENT", "0.00") == expected["WA.rent_open"]


def test_all_07_fees_first_makes_each_later_month_late(engine):
    case, expected = CASES["ALL-07"]
    fair = books_of(case, R1).run(engine).open(case["as_of"])
    assert fair == {"LF1": expected["R1.fee_open"]}
    harsh = books_of(case, R3).run(engine).open(case["as_of"])
    assert harsh == {"MAR": expected["R3.rent_open"]}


def test_all_09_largest_first_can_pass_the_rent_by(engine):
    case, expected = CASES["ALL-09"]
    fair = books_of(case, R1).run(engine)
    assert fair.balance(case["as_of"]) == expected["balance"]
    assert fair.open(case["as_of"]) == {"DMG": expected["R1.damage_open"]}
    largest = books_of(case, R4).run(engine).open(case["as_of"])
    assert largest == {"JAN": expected["R4.rent_open"], "DMG": expected["R4.damage_open"]}


def test_all_11_parties_never_mix(engine):
    _, expected = CASES["ALL-11"]
    books = Books().charge("TEN", "2026-06-01", "300.00").pay("P1", "2026-06-03", "300.00")
    books.account = 2
    applied = books.charge("SUB", "2026-06-01", "700.00").run(engine)
    assert applied.total_open("2026-06-05", account=1) == expected["resident_open"]
    assert applied.total_open("2026-06-05", account=2) == expected["subsidy_open"]
    assert {row["account_key"] for row in applied.rows} == {1}


def test_ret_01_a_bounced_payment_opens_the_fee_again(engine):
    case, expected = CASES["RET-01"]
    applied = books_of(case).run(engine)
    first, bounced, second, last = case["as_of"]
    assert applied.total_open(first) == expected[first]["open"]
    assert applied.credit(first) == expected[first]["credit"]
    assert applied.open(bounced) == {"FEE": expected[bounced]["FEE_open"], "NSF": expected[bounced]["NSF_open"]}
    assert applied.credit(bounced) == expected[bounced]["credit"]
    assert (applied.total_open(second), applied.credit(second)) == ("0.00", expected[second]["credit"])
    assert applied.open(last) == {"FEB": expected[last]["FEB_open"]}
    assert applied.credit(last) == expected[last]["credit"]


def test_ret_03_what_the_books_said_on_the_24th_stays_reproducible(engine):
    case, expected = CASES["RET-03"]
    applied = books_of(case).run(engine)
    for as_of, known in case["as_of_known_at"]:
        assert applied.balance(as_of, known) == expected[f"as_of {as_of[5:]} known {known[5:]}"]


def test_ret_05_a_cheque_counts_when_received_and_is_undone_when_it_comes_back(engine):
    case, expected = CASES["RET-05"]
    books = books_of(case)
    applied = books.run(engine)
    assert applied.total_open("2002-09-30") == expected["2002-09-30.open"]
    assert applied.total_open("2002-10-01") == expected["2002-10-01.open"]
    variant = books.returned("back", "CHQ", "2002-10-06").run(engine)
    assert variant.total_open("2002-10-01", "2002-10-01") == expected["variant.2002-10-01.open known then"]
    assert variant.total_open("2002-10-06") == expected["variant.2002-10-06.open"]


def test_ret_06_a_used_prepayment_that_bounces_leaves_no_liability(engine):
    case, expected = CASES["RET-06"]
    applied = books_of(case).run(engine)
    for as_of in case["as_of"]:
        assert applied.total_open(as_of) == expected[as_of]["receivable"]
        assert applied.credit(as_of) == expected[as_of]["prepaid_liability"]


def test_ret_09_two_credits_net_a_cancelled_item_to_nothing(engine):
    case, expected = CASES["RET-09"]
    applied = books_of(case).run(engine)
    assert applied.open("2013-09-17") == {"YR": expected["kept_for_30_days_before_ADJ"]}
    assert applied.balance("2013-09-20") == expected["net_after_ADJ"]
    assert applied.open("2013-09-20") == {}


def test_ret_10_an_edited_amount_is_a_reversal_and_a_new_row(engine):
    case, expected = CASES["RET-10"]
    books = books_of(case).returned("undo", "P1", "2018-01-18").pay("P1b", "2018-01-18", case["edits"][0][1])
    assert books.run(engine).credit(case["as_of"]) == expected["net"]


@pytest.mark.parametrize("case_id", ["AGE-01", "AGE-02", "AGE-04"])
def test_age_buckets_sum_to_the_balance_and_the_last_one_is_open_ended(engine, case_id):
    case, expected = CASES[case_id]
    applied = books_of(case).run(engine)
    aging = applied.aging(case["as_of"])
    for bucket in aging:
        assert aging[bucket] == expected.get(bucket, "0.00")
    assert applied.total_open(case["as_of"]) == expected["total"]


def test_age_06_a_payment_before_its_charge_applies_on_the_later_day(engine):
    case, expected = CASES["AGE-06"]
    applied = books_of(case).run(engine)
    assert [row["applied_on"].isoformat() for row in applied.rows] == ["2024-07-10"]
    before, after = case["as_of"]
    assert applied.total_open(before) == expected[before]["gl_receivable"]
    assert applied.credit(before) == expected[before]["gl_prepaid"]
    assert applied.balance(before) == expected[before]["net"]
    assert applied.balance(after) == expected[after]["net"]


def test_age_07_a_payment_after_the_as_of_date_does_not_count_yet(engine):
    case, expected = CASES["AGE-07"]
    applied = books_of(case).run(engine)
    for as_of in case["as_of"]:
        assert applied.total_open(as_of) == expected[as_of]


def test_age_08_a_post_dated_cheque_counts_from_its_date(engine):
    case, expected = CASES["AGE-08"]
    applied = books_of(case).run(engine)
    for as_of in case["as_of"]:
        assert applied.total_open(as_of) == expected[as_of]


def test_age_10_overdue_means_due_before_the_day(engine):
    case, expected = CASES["AGE-10"]
    books = books_of(case)
    open_now = books.run(engine).open(case["as_of"])
    due = {name: on for name, _, on, *_ in case["charges"]}
    assert [name for name in open_now if due[name] < case["as_of"]] == expected["overdue"]
    assert [name for name in open_now if due[name] == case["as_of"]] == expected["due_today"]


def test_clo_01_a_december_payment_that_bounces_in_january_leaves_december_as_it_was(engine):
    case, expected = CASES["CLO-01"]
    applied = books_of(case).run(engine)
    assert applied.total_open("2025-12-31") == expected["2025-12-31"]["receivable"]
    assert applied.aging("2026-01-31")["B61"] == expected["2026-01-31"]["B61"]


def test_clo_03_a_charge_reversed_a_year_later_was_open_at_year_end(engine):
    case, expected = CASES["CLO-03"]
    of, on, _ = case["reversals"][0]
    applied = books_of(case).reverse("undo", of, on).run(engine)
    assert applied.total_open("2025-12-31") == expected["MAR_open_at_2025-12-31"]
    assert applied.total_open("2026-05-31") == expected["MAR_open_at_2026-05-31"]


def test_crd_02_an_advance_stands_in_the_credit_column(engine):
    case, expected = CASES["CRD-02"]
    applied = books_of(case).run(engine)
    assert applied.credit(case["as_of"]) == expected["credit"]
    assert set(applied.aging(case["as_of"]).values()) == {expected["buckets"]}
    assert applied.balance(case["as_of"]) == expected["net"]


def test_crd_03_a_credit_may_be_held_or_run_through_the_rule(engine):
    case, expected = CASES["CRD-03"]
    name, on, amount = case["credits"][0]
    for mode, policy in (("held", HOLD), ("R1", R1)):
        books = books_of({"charges": case["charges"]}, policy)
        applied = books.credit(name, on, amount, "adjustment", rent_period_from=None).run(engine)
        assert applied.aging(case["as_of"])["B0"] == expected[mode]["B0"]
        assert applied.credit(case["as_of"]) == expected[mode]["credit"]
        assert applied.balance(case["as_of"]) == expected[mode]["net"]


def test_crd_05_money_of_one_lease_never_pays_another(engine):
    case, expected = CASES["CRD-05"]
    books = Books()
    for name, _, on, amount, where in case["charges"]:
        books.account = 1 if where["lease"] == "RA-1" else 2
        books.charge(name, on, amount)
    books.account = 1
    for name, on, amount, _ in case["payments"]:
        books.pay(name, on, amount)
    applied = books.run(engine)
    for as_of in case["as_of"]:
        assert applied.total_open(as_of, account=1) == expected[as_of]["RA-1"]
        assert applied.total_open(as_of, account=2) == expected[as_of]["RA-2"]
        assert applied.credit(as_of) == expected[as_of]["credit"]
    assert applied.waiting("2017-01-31") == {"P1": "2500.00", "P2": "1000.00", "P3": "750.00"}


def test_crd_07_delinquent_and_prepaid_are_never_netted_across_leases(engine):
    case, expected = CASES["CRD-07"]
    books = Books().charge("A.JUN", "2026-06-01", "900.00").pay("P1", "2026-05-28", "300.00")
    books.account = 2
    applied = books.charge("B.JUN", "2026-06-01", "1200.00").pay("P2", "2026-05-30", "2400.00").run(engine)
    for account, lease in ((1, "lease_A"), (2, "lease_B")):
        assert applied.total_open(case["as_of"], account=account) == expected[lease]["open"]
        assert applied.credit(case["as_of"], account=account) == expected[lease]["credit"]
    after = expected["2026-06-01"]
    assert applied.total_open("2026-06-01", account=1) == after["A_open"]
    assert applied.total_open("2026-06-01", account=2) == after["B_open"]
    assert applied.credit("2026-06-01", account=2) == after["B_credit"]


def test_glt_05_a_payment_keyed_twice_counts_once(engine):
    case, expected = CASES["GLT-05"]
    applied = books_of({**case, "returns": case["reversals"]}).run(engine)
    assert applied.total_open(case["as_of"]) == expected["open"]


def test_agr_01_debt_moves_to_an_agreement_and_comes_back_by_instalments(engine):
    _, expected = CASES["AGR-01"]
    books = Books()
    for name, month in (("JAN", 1), ("FEB", 2), ("MAR", 3), ("APR", 4), ("MAY", 5), ("JUN", 6)):
        books.charge(name, f"2026-0{month}-01", "300.00")
    for month in (4, 5, 6):
        books.pay(f"P{month}", f"2026-0{month}-01", "300.00")
    rent = {"category": "rent", "counts_as_rent": True}
    books.add("OUT", "transfer", "2026-04-10", -cents("900.00"))
    books.add("I1", "transfer", "2026-05-01", cents("300.00"), **rent).pay("PI", "2026-05-05", "300.00")
    books.add("I2", "transfer", "2026-06-01", cents("300.00"), **rent)
    books.add("END", "transfer", "2026-06-15", cents("300.00"), **rent)
    applied = books.run(engine)
    assert applied.balance("2026-04-10") == expected["2026-04-10"]["ledger"]
    assert {pair: amount for pair, amount in applied.applied("2026-04-10").items() if pair[0] == "OUT"} == {
        ("OUT", "FEB"): "300.00",
        ("OUT", "MAR"): "300.00",
        ("OUT", "APR"): "300.00",
    }
    assert applied.balance("2026-05-01") == expected["2026-05-01"]["ledger"]
    assert applied.balance("2026-05-31") == expected["2026-05-31"]["ledger"]
    assert applied.balance("2026-06-15") == expected["2026-06-15 after cancel"]["ledger"]
