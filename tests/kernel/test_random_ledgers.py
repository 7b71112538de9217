"""What must hold for every ledger, tried on random ones.

`TIEOUT_PROOF=quick` (the default) plays about 300 ledgers, `full` more than 20,000.
"""

from __future__ import annotations

import os
from collections import defaultdict
from datetime import date, datetime
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dbt_project.kernels.allocation import allocate, allocate_reference
from dbt_project.kernels.allocation.reference import Event, Play, business_order
from dbt_project.kernels.allocation.rules import parse_rules
from tests.kernel.ledgers import random_tables

FULL = os.environ.get("TIEOUT_PROOF", "quick") == "full"
ACCOUNTS = 8 if FULL else 3


def proof(quick: int, full: int) -> settings:
    """Tables to try; each holds ACCOUNTS ledgers."""
    return settings(
        max_examples=full if FULL else quick,
        deadline=None,
        derandomize=not FULL,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )


ledgers = st.randoms(use_true_random=False).map(lambda rnd: random_tables(rnd, ACCOUNTS))


@proof(40, 2_600)
@given(ledgers)
def test_the_kernel_and_its_twin_write_the_same_journal_row_for_row(tables):
    events, rules = tables
    assert allocate(events, rules).to_pylist() == allocate_reference(events, rules).to_pylist()


@proof(15, 400)
@given(ledgers, st.randoms(use_true_random=False))
def test_the_order_in_which_rows_arrive_changes_nothing(tables, rnd: Random):
    events, rules = tables
    order = list(range(events.num_rows))
    rnd.shuffle(order)
    assert allocate(events.take(pa.array(order)), rules).equals(allocate(events, rules))


@proof(15, 400)
@given(ledgers)
def test_what_becomes_known_later_changes_no_earlier_row(tables):
    events, rules = tables
    journal = allocate(events, rules)
    for moment in sorted(set(events["known_at"].to_pylist())):
        known = allocate(events.filter(pc.less_equal(events["known_at"], moment)), rules)
        assert known.equals(journal.filter(pc.less_equal(journal["known_at"], moment)))


@proof(20, 600)
@given(ledgers)
def test_the_journal_adds_up_on_every_day_as_known_at_every_moment(tables):
    events, rules = tables
    check_every_day(events, rules, allocate(events, rules).to_pylist())


@proof(20, 600)
@given(ledgers)
def test_every_reversal_undoes_a_row_that_stands_before_it(tables):
    events, rules = tables
    check_reversals(allocate(events, rules).to_pylist())


def test_the_random_ledgers_have_everything_in_them() -> None:
    """What the proofs speak of must be there to be proved: each of these, in many ledgers of a few hundred."""
    found: dict[str, set[int]] = defaultdict(set)
    for seed in range(60):
        events, _ = random_tables(Random(seed), ACCOUNTS)
        rows = events.to_pylist()
        by_key = {row["event_key"]: row for row in rows}
        for row in rows:
            named = by_key.get(row["names_event_key"])
            for thing, is_so in {
                "a return in part": row["kind"] == "payment_return" and row["amount_minor"] < -named["amount_minor"],
                "a credit reversed": row["kind"] == "charge_reversal" and named["amount_minor"] < 0,
                "a write-off undone": row["kind"] == "write_off" and row["amount_minor"] > 0,
                "designated money": row["designation"] is not None,
                "designated months": row["covers_from"] is not None,
                "individual billing": row["is_individual_billing"] and row["payer_person_key"] is not None,
                "recorded late": row["known_at"].date() > row["business_on"],
                "known before its day": row["known_at"].date() < row["business_on"],
                "under a law": row["law_rule_key"] is not None,
                "a refund of credit": row["kind"] == "refund_of_credit",
                "a transfer": row["kind"] == "transfer",
            }.items():
                if is_so:
                    found[thing].add(seed)
        for account in {row["account_key"] for row in rows}:
            mine = [row for row in rows if row["account_key"] == account]
            if len({row["policy_rule_key"] for row in mine}) > 1:
                found["a policy that changes"].add(seed)
            if len({row["law_rule_key"] for row in mine}) > 1:
                found["a law that changes"].add(seed)
        if len({row["account_key"] for row in rows}) > 1:
            found["several accounts"].add(seed)
    assert len(found) == 14
    assert {thing: len(seeds) for thing, seeds in found.items() if len(seeds) < 10} == {}


def check_every_day(events: pa.Table, rules: pa.Table, rows: list[dict[str, Any]]) -> None:
    """Sums of the journal up to any day and moment are the allocation of what was known, and within their bounds."""
    parsed = parse_rules(rules)
    all_events = [Event(**row) for row in events.to_pylist()]
    for account in sorted({event.account_key for event in all_events}):
        mine = sorted((e for e in all_events if e.account_key == account), key=business_order)
        lines = [row for row in rows if row["account_key"] == account]
        for moment in sorted({event.known_at for event in mine}):
            known = [event for event in mine if event.known_at <= moment]
            play = Play(parsed, known)
            for on in sorted({event.business_on for event in known}):
                for event in known:
                    if event.business_on == on:
                        play.play(event)
                seen = [row for row in lines if row["applied_on"] <= on and row["known_at"] <= moment]
                assert net(seen) == net_of_play(play)
                check_bounds([event for event in known if event.business_on <= on], seen, moment, on)


def net(rows: list[dict[str, Any]]) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in rows:
        found[row["row_kind"], row["source_event_key"], row["target_event_key"], row["applied_on"]] += row[
            "amount_minor"
        ]
    return {key: amount for key, amount in found.items() if amount}


def net_of_play(play: Play) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in play.rows:
        found[row.kind, row.source.event_key, row.target.event_key, row.played.business_on] += row.amount
    return {key: amount for key, amount in found.items() if amount}


def check_bounds(events: list[Event], rows: list[dict[str, Any]], moment: datetime, on: date) -> None:
    """Per source: amount = applied + waiting + returned (+ recovered); per charge: 0 <= open <= amount."""
    applied: dict[int, int] = defaultdict(int)
    paid: dict[int, int] = defaultdict(int)
    recovered: dict[int, int] = defaultdict(int)
    for row in rows:
        if row["row_kind"] == "application":
            applied[row["source_event_key"]] += row["amount_minor"]
            paid[row["target_event_key"]] += row["amount_minor"]
        else:
            recovered[row["target_event_key"]] += row["amount_minor"]
    undone: dict[int, int] = defaultdict(int)
    closed = set()
    for event in events:
        if event.undoes:
            undone[event.names_event_key] += abs(event.amount_minor)
            closed.add(event.names_event_key if event.kind == "charge_reversal" else None)
    keys = {event.event_key for event in events}
    assert applied.keys() | paid.keys() | recovered.keys() <= keys, "a row stands before its own entry"
    balance = sum(event.amount_minor for event in events) + sum(recovered.values())
    for event in events:
        key = event.event_key
        if event.undoes:
            continue
        if event.pays:
            waiting = -event.amount_minor - undone[key] - applied[key] - recovered[key]
            assert waiting >= 0 and applied[key] >= 0 and recovered[key] >= 0, (event, moment, on)
            if key in closed or undone[key] == -event.amount_minor:
                assert applied[key] == recovered[key] == waiting == 0, (event, moment, on)
            balance += waiting
        else:
            still_open = 0 if key in closed else event.amount_minor - paid[key]
            assert 0 <= still_open <= event.amount_minor, (event, moment, on)
            if key in closed:
                assert paid[key] == 0, (event, moment, on)
            balance -= still_open
    assert balance == 0, "balance = open charges less waiting money"


def check_reversals(rows: list[dict[str, Any]]) -> None:
    by_seq = {row["journal_seq"]: row for row in rows}
    assert list(by_seq) == list(range(1, len(rows) + 1))
    assert [row["known_at"] for row in rows] == sorted(row["known_at"] for row in rows)
    left = {row["journal_seq"]: row["amount_minor"] for row in rows}
    ids = set()
    for row in rows:
        if row["reverses_seq"] is not None:
            undone = by_seq[row["reverses_seq"]]
            assert undone["journal_seq"] < row["journal_seq"]
            for column in ("row_kind", "account_key", "source_event_key", "target_event_key"):
                assert undone[column] == row[column]
            if row["reason"] == "correction":
                assert row["amount_minor"] == -undone["amount_minor"]
                assert (row["applied_on"], row["known_at"] > undone["known_at"]) == (undone["applied_on"], True)
                left[undone["journal_seq"]] = 0
            else:
                assert row["amount_minor"] < 0 < undone["amount_minor"]
        else:
            assert row["amount_minor"] > 0 and row["reason"] is None
        name = name_of(row, by_seq)
        assert name not in ids, "two rows would have one id"
        ids.add(name)


def name_of(row: dict[str, Any], by_seq: dict[int, dict[str, Any]]) -> tuple[Any, ...]:
    """What the id of a row is made of: no number that a later row could shift."""
    undone = None if row["reverses_seq"] is None else name_of(by_seq[row["reverses_seq"]], by_seq)
    if row["reason"] == "correction":
        return undone, row["known_at"]
    key = ("row_kind", "source_event_key", "target_event_key", "amount_minor", "applied_on", "policy_rule_key")
    return (*(row[column] for column in key), row["law_rule_key"], undone, row["occurrence"], row["known_at"])
