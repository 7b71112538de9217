"""The proofs can fail: each fault, planted in a copy of the twin, is found by the tests that guard against it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType

import pyarrow as pa
import pytest

from dbt_project.kernels.allocation import allocate, reference
from tests.kernel.ledgers import random_tables
from tests.kernel.test_random_ledgers import check_every_day, check_reversals

MOST = 400  # tables of four accounts to look through for one that shows the fault
SOURCE = Path(reference.__file__).read_text(encoding="utf-8")

# What is broken: the words of the twin, and what stands there instead.
FAULTS = {
    "a correction is dated with the late event's own date": (
        '"applied_on": row.played.business_on,',
        '"applied_on": cause.business_on if correction else row.played.business_on,',
    ),
    "rows are told apart without their occurrence": (
        "row.name = (identity, self.met[identity])",
        "row.name = (identity, 1)",
    ),
    "the cause is always the event played": (
        "cause = row.played if row.played.known_at == known_at else step[0]",
        "cause = row.played",
    ),
    "corrections come oldest first": ("in reversed(live.items()):", "in list(live.items()):"),
    "knowledge is not in steps": (
        "known = [event for event in ordered if event.known_at <= known_at]",
        "known = ordered",
    ),
    "waiting money is tried newest first": (
        'return [source for source in found if source.kind != "write_off"]',
        'return [source for source in reversed(found) if source.kind != "write_off"]',
    ),
    "waiting money is never tried again": (
        "for source in self.waiting_money():\n            self.spend",
        "for source in ():\n            self.spend",
    ),
    "a write-off pays later too": (
        'return [source for source in found if source.kind != "write_off"]',
        "return found",
    ),
    "a write-off pays what is not due yet": ("if target.due > source.business_on or", "if"),
    "forgiven debt is reopened": ("return [row for row in found if not row.source.is_forgiven]", "return found"),
    "what is recovered waits as well": ("self.waiting[row.source.event_key] -= part  # it", "pass  # it"),
    "a reversed charge stays open": ("        self.open[target.event_key] = 0\n", ""),
    "a return takes the oldest application first": (
        'for row in reversed(list(self.rows)):\n            if left and row.kind == "application" and row.source',
        'for row in list(self.rows):\n            if left and row.kind == "application" and row.source',
    ),
    "a return leaves the waiting part for last": ("part = min(left, self.waiting[source.event_key])", "part = 0"),
    "undesignated money pays what only designated money may": (
        "if self.is_tendered(source) and any(",
        "if False and any(",
    ),
    "every source passes by what only designated money may pay": (
        "if self.is_tendered(source) and any(",
        "if any(",
    ),
    "the law does not come first": ("rank = (law_at, policy_at,", "rank = (0, policy_at,"),
    "designated money jumps the law": ("if bound and self.stands_before", "if False and self.stands_before"),
    "a hold holds nothing": ("elif policy.hold and policy_step is None:", "elif False:"),
    "roommates pay for each other": ("return target.responsible_person_key in (None, source.person)", "return True"),
    "a credit forgets what it is for": ("for target in self.what_it_is_for(source):", "for target in ():"),
    "a refund takes no waiting money": (
        "            self.apply(event, source, event, min(",
        "            self.apply(event, source, event, 0 * min(",
    ),
    "the rule of the source is used, not that of the day": (
        "policy = self.rules[event.policy_rule_key]",
        "policy = self.rules[source.policy_rule_key]",
    ),
    "ties go by id alone": (
        "target.due, target.posted_on, target.tie_rank, target.event_key)\n            found",
        "target.event_key)\n            found",
    ),
}


def broken(fault: str) -> Callable[[pa.Table, pa.Table], pa.Table]:
    was, now = FAULTS[fault]
    assert SOURCE.count(was) >= 1, f"the twin no longer says {was!r}: plant this fault anew"
    module = ModuleType("broken_reference")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    exec(compile(SOURCE.replace(was, now), "broken_reference", "exec"), module.__dict__)
    return module.allocate_reference


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_comparing_the_twins(fault):
    allocate_wrongly = broken(fault)
    for seed in range(MOST):
        events, rules = random_tables(Random(seed), accounts=4)
        try:
            wrong = allocate_wrongly(events, rules).to_pylist()
        except (KeyError, AssertionError, RecursionError):
            return  # a fault that breaks the play outright is found as well
        if wrong != allocate(events, rules).to_pylist():
            return
    pytest.fail(f"{MOST} tables do not show it")


@pytest.mark.parametrize(
    "fault",
    [
        "a correction is dated with the late event's own date",
        "rows are told apart without their occurrence",
        "what is recovered waits as well",
        "a reversed charge stays open",
    ],
)
def test_a_planted_fault_breaks_an_invariant_even_without_a_twin(fault):
    allocate_wrongly = broken(fault)
    for seed in range(MOST):
        events, rules = random_tables(Random(seed), accounts=4)
        try:
            rows = allocate_wrongly(events, rules).to_pylist()
            check_reversals(rows)
            check_every_day(events, rules, rows)
        except (AssertionError, KeyError):
            return
    pytest.fail(f"{MOST} tables do not show it")


def test_without_a_fault_nothing_is_found():
    for seed in range(20):
        events, rules = random_tables(Random(seed), accounts=4)
        rows = allocate(events, rules).to_pylist()
        check_reversals(rows)
        check_every_day(events, rules, rows)
