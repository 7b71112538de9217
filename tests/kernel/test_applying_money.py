"""The rules for applying money, one sentence each, and the traps that they were written for."""

from __future__ import annotations

import pytest

from tests.kernel.books import ANY, COLORADO, HOLD, OREGON, R1, R3, R4, RENT, WASHINGTON, Books, cents

LATE_FEE_DESIGNATED = '{"match": {"category": ["late_fee"]}, "designated_only": true}'


# -- law and policy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [COLORADO, OREGON], ids=["Colorado", "Oregon"])
def test_rent_paid_on_the_28th_waits_past_an_open_late_fee_and_pays_the_1st_whole(engine, law):
    books = Books(R1, law).charge("LATE", "2026-03-08", "50.00", "late_fee").pay("P", "2026-03-28", "1500.00")
    applied = books.charge("APR", "2026-04-01", "1500.00").run(engine)
    assert applied.open("2026-03-28") == {"LATE": "50.00"}
    assert applied.waiting("2026-03-28") == {"P": "1500.00"}
    assert applied.open("2026-04-01") == {"LATE": "50.00"}
    assert applied.credit("2026-04-01") == "0.00"


def test_without_such_a_law_the_28th_of_the_month_is_a_trap(engine):
    books = Books(R1).charge("LATE", "2026-03-08", "50.00", "late_fee").pay("P", "2026-03-28", "1500.00")
    applied = books.charge("APR", "2026-04-01", "1500.00").run(engine)
    assert applied.open("2026-04-01") == {"APR": "50.00"}


def test_in_colorado_a_fee_is_paid_by_money_designated_to_it(engine):
    books = Books(R1, COLORADO).charge("LATE", "2026-03-08", "50.00", "late_fee")
    applied = books.pay("P", "2026-03-28", "80.00", designation="fees").run(engine)
    assert applied.applied() == {("P", "LATE"): "50.00"}
    assert applied.waiting() == {"P": "30.00"}


@pytest.mark.parametrize("category", ["concession", "subsidy"])
def test_in_colorado_concessions_and_subsidy_credits_pass_the_fee_by(engine, category):
    books = Books(R1, COLORADO).charge("LATE", "2026-03-08", "50.00", "late_fee")
    applied = books.credit("C", "2026-03-10", "40.00", category).run(engine)
    assert applied.waiting() == {"C": "40.00"}


def test_in_colorado_other_sources_do_not_pass_the_fee_by(engine):
    books = Books(R1, COLORADO).charge("LATE", "2026-03-08", "50.00", "late_fee")
    books.add("DEP", "deposit_applied", "2026-03-09", -cents("20.00"))
    books.add("ADJ", "credit", "2026-03-10", -cents("5.00"), category="adjustment", code_key="default:ADJ")
    applied = books.write_off("W", "2026-03-11", "25.00").run(engine)
    assert applied.applied() == {("DEP", "LATE"): "20.00", ("ADJ", "LATE"): "5.00", ("W", "LATE"): "25.00"}


def test_a_correction_of_a_subsidy_credit_passes_the_fee_by_too(engine):
    books = Books(R1, COLORADO).charge("LATE", "2026-03-08", "50.00", "late_fee")
    books.credit("S", "2026-03-09", "10.00", "subsidy")
    books.add("TRUE", "correction", "2026-03-10", -cents("40.00"), category="rent", names="S")
    assert books.run(engine).waiting() == {"S": "10.00", "TRUE": "40.00"}


def test_the_law_beats_a_fees_first_policy_and_the_policy_orders_inside_it(engine):
    books = Books('[{"match": {"category": "parking"}}, {"match": "any", "order": "newest_due"}]', WASHINGTON)
    books.charge("FEE", "2026-01-05", "50.00", "late_fee").charge("JAN", "2026-01-01", "100.00")
    books.charge("FEB", "2026-02-01", "100.00")
    books.charge("PARK", "2026-02-01", "30.00", "parking", counts_as_rent=True)
    applied = books.pay("P", "2026-02-03", "235.00").run(engine)
    order = [(row["target_event_key"], row["amount_minor"]) for row in applied.rows]
    assert order == [
        (books.names["PARK"], 3000),
        (books.names["FEB"], 10000),
        (books.names["JAN"], 10000),
        (books.names["FEE"], 500),
    ]
    assert [(row["law_step"], row["policy_step"]) for row in applied.rows] == [(1, 1), (1, 2), (1, 2), (2, 2)]


def test_what_no_step_of_the_law_names_comes_in_an_implied_last_step(engine):
    books = (
        Books(R3, f"[{RENT}]").charge("FEE", "2026-01-01", "50.00", "late_fee").charge("JAN", "2026-01-02", "100.00")
    )
    applied = books.pay("P", "2026-02-03", "120.00").run(engine)
    assert applied.open() == {"FEE": "30.00"}
    assert [row["law_step"] for row in applied.rows] == [1, 2]


def test_what_no_step_of_the_policy_takes_comes_last_in_its_step_of_the_law(engine):
    books = Books(f"[{RENT}]").charge("FEE", "2026-01-01", "50.00", "late_fee").charge("JAN", "2026-01-02", "100.00")
    applied = books.pay("P", "2026-02-03", "120.00").run(engine)
    assert applied.open() == {"FEE": "30.00"}
    assert [(row["law_step"], row["policy_step"]) for row in applied.rows] == [(None, 1), (None, 2)]


def test_a_policy_that_says_hold_keeps_the_rest_waiting(engine):
    books = Books(f'[{RENT}, {{"hold": true}}]').charge("FEE", "2026-01-01", "50.00", "late_fee")
    applied = books.charge("JAN", "2026-01-02", "100.00").pay("P", "2026-02-03", "120.00").run(engine)
    assert (applied.open(), applied.waiting()) == ({"FEE": "50.00"}, {"P": "20.00"})


def test_a_credit_that_names_a_charge_pays_it_whatever_the_policy_holds(engine):
    books = Books(HOLD).charge("FEE", "2026-01-01", "50.00", "late_fee")
    applied = books.credit("C", "2026-01-05", "60.00", "adjustment", names="FEE").run(engine)
    assert (applied.open(), applied.waiting()) == ({}, {"C": "10.00"})
    assert [(row["law_step"], row["policy_step"]) for row in applied.rows] == [(None, None)]


def test_priority_and_ranked_accounts_can_be_said_as_data(engine):
    by_priority = Books('[{"match": "any", "order": "priority"}]')
    by_priority.charge("A", "2026-01-01", "10.00", application_priority=None)
    by_priority.charge("B", "2026-01-02", "10.00", application_priority=2)
    by_priority.charge("C", "2026-01-03", "10.00", application_priority=1)
    assert list(by_priority.pay("P", "2026-01-05", "25.00").run(engine).applied()) == [
        ("P", "C"),
        ("P", "B"),
        ("P", "A"),
    ]
    ranked = Books(f'[{{"match": {{"account": ["4200", "4300"]}}}}, {{"match": {{"charge_code": "LAUNDRY"}}}}, {ANY}]')
    ranked.charge("A", "2026-01-01", "10.00", gl_account="4100", code_key="default:RENT")
    ranked.charge("B", "2026-01-02", "10.00", gl_account="4100", code_key="default:LAUNDRY")
    ranked.charge("C", "2026-01-03", "10.00", gl_account="4300", code_key="default:PET")
    assert list(ranked.pay("P", "2026-01-05", "25.00").run(engine).applied()) == [("P", "C"), ("P", "B"), ("P", "A")]


def test_largest_balance_first_with_a_priority_list_in_front(engine):
    books = Books(f'[{RENT}, {{"match": "any", "order": "largest_open"}}]')
    books.charge("SMALL", "2026-01-01", "10.00", "fee").charge("BIG", "2026-01-02", "90.00", "damage")
    books.charge("JAN", "2026-01-03", "5.00")
    assert list(books.pay("P", "2026-01-05", "100.00").run(engine).applied()) == [
        ("P", "JAN"),
        ("P", "BIG"),
        ("P", "SMALL"),
    ]


def test_ties_are_broken_by_due_date_then_posting_date_then_id(engine):
    books = Books(R4)
    books.charge("A", "2026-01-05", "10.00", posted="2026-01-02", tie_rank=9)
    books.charge("B", "2026-01-05", "10.00", posted="2026-01-01", tie_rank=8)
    books.charge("C", "2026-01-05", "10.00", posted="2026-01-02", tie_rank=7)
    books.charge("D", "2026-01-04", "10.00", posted="2026-01-03", tie_rank=10)
    targets = [target for _, target in books.pay("P", "2026-01-06", "35.00").run(engine).applied()]
    assert targets == ["D", "B", "C", "A"]


def test_oregon_takes_prior_rent_then_current_rent_then_utilities_then_the_rest(engine):
    books = (
        Books(R1, OREGON)
        .charge("LATE", "2026-01-08", "20.00", "late_fee")
        .charge("DMG", "2026-01-09", "30.00", "damage")
    )
    books.charge("UTIL", "2026-01-20", "15.00", "utility").charge("JAN", "2026-01-01", "100.00")
    books.charge("FEB", "2026-02-01", "100.00")
    applied = books.pay("P", "2026-02-03", "300.00").run(engine)
    assert [(row["target_event_key"], row["law_step"]) for row in applied.rows] == [
        (books.names["JAN"], 1),
        (books.names["FEB"], 2),
        (books.names["UTIL"], 3),
        (books.names["DMG"], 5),
    ]
    assert (applied.open(), applied.waiting()) == ({"LATE": "20.00"}, {"P": "55.00"})


def test_a_change_of_rule_moves_only_what_is_played_after_it(engine):
    books = Books(R3).charge("FEE", "2026-01-01", "50.00", "fee").charge("JAN", "2026-01-01", "100.00")
    books.pay("P1", "2026-01-02", "50.00").pay("P2", "2026-02-02", "60.00", policy=R1)
    applied = books.charge("FEE2", "2026-01-03", "10.00", "fee").run(engine)
    assert applied.applied() == {("P1", "FEE"): "50.00", ("P2", "JAN"): "60.00"}


# -- designated money ----------------------------------------------------------------------------------------------


def test_designated_money_pays_only_what_it_names_and_the_rest_of_it_waits(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").charge("PET", "2026-01-01", "30.00", "pet")
    applied = books.pay("P", "2026-01-02", "50.00", designation="code", designation_code_key="default:PET").run(engine)
    assert (applied.open(), applied.waiting()) == ({"JAN": "100.00"}, {"P": "20.00"})


def test_designated_fee_money_waits_behind_rent_where_the_law_does_not_yield_and_goes_when_rent_is_paid(engine):
    books = Books(R1, WASHINGTON).charge("JAN", "2026-01-01", "100.00").charge("FEE", "2026-01-02", "30.00", "fee")
    books.pay("F", "2026-01-03", "30.00", designation="fees").pay("R", "2026-01-04", "100.00", designation="rent")
    applied = books.run(engine)
    assert applied.waiting("2026-01-03") == {"F": "30.00"}
    assert applied.open("2026-01-04") == {}


def test_designated_fee_money_goes_at_once_where_the_law_yields(engine):
    books = Books(R1, WASHINGTON, yields=True).charge("JAN", "2026-01-01", "100.00")
    books.charge("FEE", "2026-01-02", "30.00", "fee").pay("F", "2026-01-03", "30.00", designation="fees")
    assert books.run(engine).open() == {"JAN": "100.00"}


def test_an_open_fee_that_only_designated_money_may_pay_does_not_hold_up_designated_rent(engine):
    books = Books(R1, f"[{LATE_FEE_DESIGNATED}, {ANY}]").charge("FEE", "2026-01-02", "30.00", "late_fee")
    books.charge("FEB", "2026-02-01", "100.00").pay("R", "2026-02-02", "100.00", designation="rent")
    assert books.run(engine).open() == {"FEE": "30.00"}


def test_service_months_alone_mean_rent_of_those_months(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").charge("FEB", "2026-02-01", "100.00")
    books.charge("UTIL", "2026-02-01", "10.00", "utility")
    applied = books.pay("AID", "2026-02-10", "150.00", covers_from="2026-02-01", covers_to="2026-02-28").run(engine)
    assert (applied.open(), applied.waiting()) == ({"JAN": "100.00", "UTIL": "10.00"}, {"AID": "50.00"})


# -- people --------------------------------------------------------------------------------------------------------


def test_money_of_one_roommate_waits_as_that_persons_credit(engine):
    books = Books(R1)
    books.charge("A", "2026-01-01", "700.00", responsible_person_key="a")
    books.charge("B", "2026-01-01", "700.00", responsible_person_key="b").charge(
        "WATER", "2026-01-05", "20.00", "utility"
    )
    applied = books.pay("P", "2026-01-06", "800.00", payer_person_key="a", is_individual_billing=True).run(engine)
    assert (applied.open(), applied.waiting()) == ({"B": "700.00"}, {"P": "80.00"})


def test_a_policy_can_put_the_payers_own_charges_first(engine):
    books = Books(f'[{{"match": {{"responsible_person": "payer"}}}}, {ANY}]')
    books.charge("B", "2026-01-01", "70.00", responsible_person_key="b")
    books.charge("A", "2026-01-02", "70.00", responsible_person_key="a")
    applied = books.pay("P", "2026-01-06", "80.00", payer_person_key="a").run(engine)
    assert applied.applied() == {("P", "A"): "70.00", ("P", "B"): "10.00"}


# -- credits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("category", ["concession", "subsidy"])
def test_a_concession_or_subsidy_credit_goes_to_the_rent_of_its_own_period(engine, category):
    books = Books(R1).charge("JAN", "2026-01-01", "900.00").charge("FEB", "2026-02-01", "900.00")
    applied = books.credit("C", "2026-02-01", "100.00", category).run(engine)
    assert applied.open() == {"JAN": "900.00", "FEB": "800.00"}


def test_a_concession_beyond_its_own_rent_goes_on_by_the_rule(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "90.00").charge("FEB", "2026-02-01", "90.00")
    applied = books.credit("C", "2026-02-01", "100.00").run(engine)
    assert applied.open() == {"JAN": "80.00"}


def test_a_credit_of_another_code_goes_to_its_own_code_in_its_own_period(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "90.00").charge("W1", "2026-01-05", "20.00", "utility")
    books.charge("W2", "2026-02-05", "20.00", "utility")
    applied = books.credit("C", "2026-02-06", "15.00", "utility").run(engine)
    assert applied.open() == {"JAN": "90.00", "W1": "20.00", "W2": "5.00"}


def test_a_reversed_credit_gives_back_what_it_paid_and_waiting_money_is_tried(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").credit("C", "2026-01-02", "40.00")
    books.pay("P", "2026-01-03", "80.00").add("X", "charge_reversal", "2026-01-10", cents("40.00"), names="C")
    applied = books.run(engine)
    assert applied.waiting("2026-01-03") == {"P": "20.00"}
    assert (applied.open("2026-01-10"), applied.waiting("2026-01-10")) == ({"JAN": "20.00"}, {})
    assert [line for line in applied.lines() if line[-1]] == [
        ("C", "JAN", "-40.00", "2026-01-10", "2026-01-10", "charge_reversal")
    ]


def test_a_credit_posted_before_its_charge_waits_and_then_pays_it(engine):
    books = Books(R1).charge("LATER", "2026-02-01", "50.00", "fee", known="2026-01-01")
    books.credit("C", "2026-01-05", "30.00", "adjustment", names="LATER")
    applied = books.run(engine)
    assert applied.waiting("2026-01-31") == {"C": "30.00"}
    assert applied.open("2026-02-01") == {"LATER": "20.00"}


# -- reversals and returns -----------------------------------------------------------------------------------------


def test_a_reversed_charge_frees_its_money_newest_first_and_it_runs_through_the_rule_oldest_first(engine):
    books = (
        Books(R1)
        .charge("JAN", "2026-01-01", "100.00")
        .pay("P1", "2026-01-02", "60.00")
        .pay("P2", "2026-01-03", "40.00")
    )
    books.charge("FEB", "2026-02-01", "70.00").reverse("X", "JAN", "2026-02-05")
    applied = books.run(engine)
    assert [line[:3] for line in applied.lines()[2:]] == [
        ("P2", "JAN", "-40.00"),
        ("P1", "JAN", "-60.00"),
        ("P1", "FEB", "60.00"),
        ("P2", "FEB", "10.00"),
    ]
    assert applied.rows[2]["reverses_seq"] == applied.rows[1]["journal_seq"]
    assert applied.waiting() == {"P2": "30.00"}


def test_a_partial_return_takes_the_waiting_part_first_and_then_the_newest_application(engine):
    books = (
        Books(R1).charge("A", "2026-01-01", "50.00").charge("B", "2026-01-02", "50.00").pay("P", "2026-01-03", "120.00")
    )
    books.returned("R1", "P", "2026-01-10", "15.00").returned("R2", "P", "2026-01-11", "30.00")
    applied = books.run(engine)
    assert applied.waiting("2026-01-10") == {"P": "5.00"}
    assert (applied.open("2026-01-11"), applied.waiting("2026-01-11")) == ({"B": "25.00"}, {})
    last = applied.rows[-1]
    assert (last["amount_minor"], last["reason"]) == (-2500, "return")
    assert last["reverses_seq"] == applied.rows[1]["journal_seq"]


def test_charges_reopened_by_a_return_are_tried_by_other_waiting_money(engine):
    books = Books(f'[{RENT}, {{"hold": true}}]').charge("JAN", "2026-01-01", "100.00").pay("P1", "2026-01-02", "100.00")
    applied = books.pay("P2", "2026-01-03", "30.00").returned("R", "P1", "2026-01-05").run(engine)
    assert applied.open("2026-01-05") == {"JAN": "70.00"}


def test_a_return_that_is_represented_is_a_new_payment(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").pay("P", "2026-01-02", "100.00")
    books.returned("R", "P", "2026-01-06").pay("P again", "2026-01-09", "100.00", names="P")
    applied = books.run(engine)
    assert applied.open("2026-01-06") == {"JAN": "100.00"}
    assert applied.applied() == {("P again", "JAN"): "100.00"}


def test_a_refund_of_credit_takes_waiting_money_oldest_first_whatever_its_designation_never_a_write_offs(engine):
    books = Books(R1).write_off("W", "2026-01-01", "10.00").pay("P1", "2026-01-02", "30.00", designation="fees")
    books.pay("P2", "2026-01-03", "30.00").refund("REF", "2026-01-05", "70.00")
    applied = books.run(engine)
    assert applied.applied() == {("P1", "REF"): "30.00", ("P2", "REF"): "30.00"}
    assert (applied.open(), applied.waiting()) == ({"REF": "10.00"}, {"W": "10.00"})
    applied = books.returned("B", "P1", "2026-01-09").run(engine)
    assert applied.open() == {"REF": "40.00"}


def test_a_deposit_applied_and_undone_leaves_the_charge_open(engine):
    books = Books(R1).charge("DMG", "2026-01-01", "100.00", "damage")
    books.add("DEP", "deposit_applied", "2026-01-02", -cents("80.00"))
    books.add("UNDO", "deposit_applied", "2026-01-05", cents("80.00"), names="DEP")
    applied = books.run(engine)
    assert applied.open("2026-01-02") == {"DMG": "20.00"}
    assert applied.open("2026-01-05") == {"DMG": "100.00"}


def test_a_transfer_out_pays_like_money_and_its_other_side_is_owed_there(engine):
    books = Books(R1).charge("SUB", "2026-01-01", "100.00").add("OUT", "transfer", "2026-01-05", -cents("100.00"))
    books.account = 2
    applied = books.add("IN", "transfer", "2026-01-05", cents("100.00")).pay("P", "2026-01-06", "60.00").run(engine)
    assert applied.balance(account=1) == "0.00"
    assert applied.open(account=2) == {"IN": "40.00"}


def test_a_negative_opening_balance_waits_and_pays_the_next_charge(engine):
    books = Books(R1).add("OPEN", "opening_balance", "2026-01-01", -cents("25.00"))
    applied = books.charge("JAN", "2026-01-02", "100.00").run(engine)
    assert applied.applied() == {("OPEN", "JAN"): "25.00"}


# -- write-offs ----------------------------------------------------------------------------------------------------


def test_a_write_off_pays_what_is_due_on_or_before_its_date_and_the_rest_of_it_never_pays(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").charge("FEB", "2026-02-01", "100.00", posted="2026-01-20")
    books.write_off("W", "2026-01-25", "130.00").charge("FEE", "2026-01-26", "5.00", "fee")
    applied = books.run(engine)
    assert applied.open() == {"FEB": "100.00", "FEE": "5.00"}
    assert applied.waiting() == {"W": "30.00"}


def test_a_write_off_that_names_a_charge_pays_that_one_only(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").charge("FEE", "2026-01-02", "20.00", "fee")
    applied = books.write_off("W", "2026-01-25", "30.00", names="FEE").run(engine)
    assert (applied.open(), applied.waiting()) == ({"JAN": "100.00"}, {"W": "10.00"})


def test_a_write_off_freed_by_a_reversal_only_waits(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-01-25", "100.00")
    books.charge("OLD", "2026-01-02", "40.00", posted="2026-01-26").reverse("X", "JAN", "2026-02-01")
    applied = books.run(engine)
    assert (applied.open(), applied.waiting()) == ({"OLD": "40.00"}, {"W": "100.00"})


def test_money_after_move_out_recovers_what_was_written_off(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00")
    applied = books.pay("P", "2026-04-01", "60.00", is_after_move_out=True).run(engine)
    assert [
        (row["row_kind"], *line[:3], line[-1]) for row, line in zip(applied.rows, applied.lines(), strict=True)
    ] == [
        ("application", "W", "JAN", "100.00", None),
        ("recovery", "P", "W", "60.00", None),
        ("application", "W", "JAN", "-60.00", "recovery"),
        ("application", "P", "JAN", "60.00", None),
    ]
    assert (applied.open(), applied.waiting()) == ({}, {})
    assert applied.balance() == "0.00"


def test_money_before_move_out_waits_instead_unless_it_is_designated_to_the_written_off_debt(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00")
    assert books.pay("P", "2026-04-01", "60.00").run(engine).waiting() == {"P": "60.00"}
    applied = books.pay("Q", "2026-04-02", "150.00", designation="written_off").run(engine)
    assert applied.applied() == {("Q", "JAN"): "100.00"}
    assert applied.waiting() == {"P": "60.00", "Q": "50.00"}


def test_open_charges_come_before_a_recovery(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00")
    books.charge("CLEAN", "2026-03-02", "45.00", "damage").pay("P", "2026-04-01", "60.00", is_after_move_out=True)
    assert books.run(engine).applied() == {("W", "JAN"): "85.00", ("P", "CLEAN"): "45.00", ("P", "JAN"): "15.00"}


def test_forgiven_debt_is_never_reopened(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00", is_forgiven=True)
    applied = books.pay("P", "2026-04-01", "60.00", is_after_move_out=True).run(engine)
    assert applied.waiting() == {"P": "60.00"}
    assert {row["row_kind"] for row in applied.rows} == {"application"}


def test_a_write_off_undone_after_a_recovery_undoes_the_recovery_too(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00")
    books.pay("P", "2026-04-01", "60.00", is_after_move_out=True)
    applied = books.add("UNDO", "write_off", "2026-05-01", cents("100.00"), names="W").run(engine)
    assert applied.open() == {"JAN": "40.00"}
    assert applied.balance() == "40.00"
    assert [row["amount_minor"] for row in applied.rows if row["row_kind"] == "recovery"] == [6000, -6000]


def test_a_returned_recovery_leaves_the_charge_open_and_owed(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00")
    books.pay("P", "2026-04-01", "60.00", is_after_move_out=True).returned("R", "P", "2026-04-05")
    applied = books.run(engine)
    assert applied.open() == {"JAN": "60.00"}
    assert applied.balance() == "60.00"
