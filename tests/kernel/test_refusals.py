"""What the kernel refuses, and that its words say where to look."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from dbt_project.kernels.allocation import EVENTS_SCHEMA, OUTPUT_SCHEMA, InputError, RuleError, allocate
from dbt_project.kernels.allocation.rules import parse_rule
from dbt_project.kernels.allocation.words import MAX_STEPS
from tests.kernel.books import HOLD, R1, Books, cents


def plain() -> Books:
    return Books(R1, account=7).charge("C", "2026-01-05", "100.00").pay("P", "2026-01-06", "60.00")


def with_row(books: Books, name: str, **columns: Any) -> Books:
    books.events[books.names[name] - 1].update(columns)
    return books


UNDOINGS: list[tuple[str, Books, str]] = [
    (
        "a return of nothing",
        plain().add("R", "payment_return", "2026-01-08", 100),
        "event 3 (payment_return): it undoes event -1, which is not in its account",
    ),
    (
        "a return of a charge",
        plain().add("R", "payment_return", "2026-01-08", 100, names="C"),
        "event 3 (payment_return): it undoes event 1, a charge, not a payment",
    ),
    (
        "a return of more than was paid",
        plain().returned("R", "P", "2026-01-08", "60.01"),
        "event 2 (payment): 6001 of it is returned or undone, more than its 6000",
    ),
    (
        "a return before the payment",
        plain().returned("R", "P", "2026-01-05", known="2026-01-08"),
        "event 3 (payment_return): it counts before event 2, which it undoes",
    ),
    (
        "a return known before the payment",
        plain().returned("R", "P", "2026-01-08", known="2026-01-05"),
        "event 3 (payment_return): it was known before event 2, which it names",
    ),
    (
        "a reversal of a payment",
        plain().add("X", "charge_reversal", "2026-01-08", cents("60.00"), names="P"),
        "event 3 (charge_reversal): it reverses event 2, a payment, not a charge, a credit or a correction",
    ),
    (
        "a reversal of a part",
        plain().add("X", "charge_reversal", "2026-01-08", -cents("40.00"), names="C"),
        "event 3 (charge_reversal): its amount -4000 is not the exact negative of event 1 (10000)",
    ),
    (
        "a second reversal",
        plain().reverse("X", "C", "2026-01-08").reverse("Y", "C", "2026-01-09"),
        "event 4 (charge_reversal): event 1 is reversed twice",
    ),
    (
        "a reversal of a reversal",
        plain().reverse("X", "C", "2026-01-08").add("Y", "charge_reversal", "2026-01-09", 10000, names="X"),
        "event 4 (charge_reversal): it reverses event 3, a charge_reversal",
    ),
    (
        "an undone write-off that is a deposit",
        plain().add("D", "deposit_applied", "2026-01-07", -100).add("W", "write_off", "2026-01-08", 100, names="D"),
        "event 4 (write_off): it undoes event 3, a deposit_applied, not a write_off",
    ),
]


@pytest.mark.parametrize(("books", "words"), [case[1:] for case in UNDOINGS], ids=[case[0] for case in UNDOINGS])
def test_an_undoing_that_cannot_be_is_refused_by_account_and_event(books, words):
    with pytest.raises(InputError) as refused:
        allocate(*books.tables())
    assert str(refused.value).startswith("account 7, ")
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"kind": "donation"}, "kind 'donation' is not one of opening_balance, charge"),
        ({"amount_minor": 5}, "the amount 5 is positive, but this kind lowers what is owed"),
        ({"designation": "pets"}, "designation 'pets' is not one of rent, fees, written_off, code"),
        ({"designation": "code"}, "it is designated to a charge code but designation_code_key is missing"),
        ({"policy_rule_key": 99}, "policy_rule_key 99 is not in the rules table"),
        ({"law_rule_key": 99}, "law_rule_key 99 is not in the rules table"),
        ({"amount_minor": -(10**18) - 1}, "the amount -1000000000000000001 is out of range"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_by_account_and_event(columns, words):
    with pytest.raises(InputError) as refused:
        allocate(*with_row(plain(), "P", **columns).tables())
    assert str(refused.value).startswith("account 7, event 2")
    assert words in str(refused.value)


def test_money_of_one_account_that_no_integer_holds_is_refused():
    books = Books(R1, account=7)
    for number in range(3):
        books.add(f"C{number}", "charge", "2026-01-01", 10**18)
    with pytest.raises(InputError, match=r"account 7, event 1 .* add up to more than the books can hold"):
        allocate(*books.tables())


def test_an_event_key_that_stands_twice_is_refused():
    with pytest.raises(InputError, match="account 7, event 1: the event key stands twice"):
        allocate(*with_row(plain(), "P", event_key=1).tables())


def test_a_law_that_says_hold_is_refused():
    books = plain()
    key = books.rule(HOLD)
    with pytest.raises(InputError, match=rf"event 2 .*its law, rule {key}, says hold; only a policy can"):
        allocate(*with_row(books, "P", law_rule_key=key).tables())


@pytest.mark.parametrize("column", [field.name for field in EVENTS_SCHEMA if not field.nullable])
def test_a_missing_value_is_refused_by_name(column):
    events, rules = plain().tables()
    at = EVENTS_SCHEMA.names.index(column)
    empty = pa.array([None] * events.num_rows, EVENTS_SCHEMA.field(column).type)
    with pytest.raises(InputError, match=f"{column} is missing"):
        allocate(events.set_column(at, pa.field(column, empty.type), empty), rules)


def test_a_missing_column_and_a_float_are_refused_by_name():
    events, rules = plain().tables()
    with pytest.raises(InputError, match="lacks the columns due_on"):
        allocate(events.drop_columns(["due_on"]), rules)
    at = EVENTS_SCHEMA.names.index("amount_minor")
    floats = events.set_column(at, "amount_minor", events["amount_minor"].cast(pa.float64()))
    with pytest.raises(InputError, match="amount_minor is double; money and keys are never floats"):
        allocate(floats, rules)


def test_wider_types_that_hold_the_same_values_are_taken():
    events, rules = plain().tables()
    at = EVENTS_SCHEMA.names.index("kind")
    wide = events.set_column(at, "kind", events["kind"].dictionary_encode()).append_column("extra", events["kind"])
    at = EVENTS_SCHEMA.names.index("known_at")
    wide = wide.set_column(at, "known_at", events["known_at"].cast(pa.timestamp("ns")))
    assert allocate(wide, rules).equals(allocate(events, rules))


def test_no_events_give_an_empty_journal_with_its_schema():
    events, rules = plain().tables()
    journal = allocate(events.slice(0, 0), rules)
    assert (journal.num_rows, journal.schema) == (0, OUTPUT_SCHEMA)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("[", "rule 4: steps is not JSON"),
        ("[]", "rule 4: steps must be a list with at least one step"),
        ('{"match": "any"}', "rule 4: steps must be a list with at least one step"),
        ('["any"]', "rule 4: step 1: a step must be an object"),
        ("[{}]", 'rule 4: step 1: no match; write "any" for every charge'),
        ('[{"match": "all"}]', 'rule 4: step 1: match must be "any" or an object'),
        ('[{"match": {}}]', 'rule 4: step 1: match must be "any" or an object'),
        ('[{"match": "any"}, {"match": {"categroy": "rent"}}]', "rule 4: step 2: unknown match 'categroy'"),
        ('[{"match": "any", "oder": "oldest_due"}]', "rule 4: step 1: unknown key 'oder'"),
        ('[{"match": "any", "order": "oldest"}]', "rule 4: step 1: unknown order 'oldest'"),
        ('[{"match": "any", "designated_only": "yes"}]', "rule 4: step 1: designated_only must be true or false"),
        ('[{"match": {"counts_as_rent": 1}}]', "rule 4: step 1: counts_as_rent must be true or false"),
        ('[{"match": {"period": "next"}}]', "rule 4: step 1: period must be prior or current"),
        ('[{"match": {"responsible_person": "me"}}]', "rule 4: step 1: responsible_person can only be payer"),
        ('[{"match": {"category": []}}]', "rule 4: step 1: category must be a name or a list of names"),
        ('[{"hold": true}, {"match": "any"}]', "rule 4: step 1: a hold must be the last step"),
        ('[{"hold": false}]', 'rule 4: step 1: a hold is written {"hold": true} and nothing else'),
        ("[" + ", ".join(['{"match": "any"}'] * (MAX_STEPS + 1)) + "]", f"at most {MAX_STEPS} are possible"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused_by_rule_and_step(steps, words):
    with pytest.raises(RuleError) as refused:
        parse_rule(4, steps)
    assert words in str(refused.value)


def test_a_rule_of_the_most_steps_works(engine):
    never = ['{"match": {"category": "never"}}'] * (MAX_STEPS - 1)
    last = '{"match": "any", "order": "newest_due"}'
    books = (
        Books(f"[{', '.join([*never, last])}]").charge("A", "2026-01-01", "10.00").charge("B", "2026-01-02", "10.00")
    )
    applied = books.pay("P", "2026-01-03", "15.00").run(engine)
    assert applied.applied() == {("P", "B"): "10.00", ("P", "A"): "5.00"}
    assert applied.rows[0]["policy_step"] == MAX_STEPS


def test_a_rule_key_that_stands_twice_is_refused():
    events, rules = plain().tables()
    with pytest.raises(RuleError, match="rule 1 stands in the rules table twice"):
        allocate(events, pa.concat_tables([rules, rules]))
