"""Random ledgers, small and crowded: few days, few amounts, few people, so that everything meets everything.

`random_tables(rnd, accounts)` takes any `random.Random`: Hypothesis hands in one that it can shrink, the tests of
planted faults a seeded one.
"""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

import pyarrow as pa

from dbt_project.kernels.allocation import EVENTS_SCHEMA, RULES_SCHEMA

START = date(2026, 1, 25)
DAYS = 24  # from late January into February, so that three rent periods meet
CATEGORIES = ("rent", "rent", "rent", "late_fee", "fee", "utility", "damage")
CREDIT_CATEGORIES = ("concession", "subsidy", "adjustment", "utility", "rent")
PERSONS = (None, None, "a", "b")
ENTRIES = (
    ["charge"] * 8
    + ["payment"] * 7
    + ["undo"] * 6
    + ["credit"] * 3
    + ["write_off"] * 4
    + ["correction", "correction", "refund_of_credit", "refund_of_credit"]
    + ["deposit_applied", "transfer", "opening_balance"]
)
MATCHES: tuple[Any, ...] = (
    "any",
    {"counts_as_rent": True},
    {"counts_as_rent": True},
    {"counts_as_rent": False},
    {"category": ["late_fee"]},
    {"category": ["fee", "utility"]},
    {"charge_code": "RENT"},
    {"account": ["4100", "4200"]},
    {"counts_as_rent": True, "period": "prior"},
    {"period": "current"},
    {"responsible_person": "payer"},
)
ORDERS = ("oldest_due", "oldest_due", "newest_due", "largest_open", "priority")


def random_rule(rnd: Random, is_law: bool) -> str:
    steps: list[dict[str, Any]] = []
    for _ in range(rnd.randint(1, 4)):
        step: dict[str, Any] = {"match": rnd.choice(MATCHES), "order": rnd.choice(ORDERS)}
        if rnd.randint(0, 4) == 0:
            step["designated_only"] = True
        steps.append(step)
    if not is_law and rnd.randint(0, 4) == 0:
        steps.append({"hold": True})
    return json.dumps(steps)


def random_tables(rnd: Random, accounts: int = 1, longest: int = 14) -> tuple[pa.Table, pa.Table]:
    """Events of some accounts and the rules they name, rows in no order."""
    laws = [random_rule(rnd, is_law=True) for _ in range(rnd.randint(1, 2))]
    policies = [random_rule(rnd, is_law=False) for _ in range(rnd.randint(1, 3))]
    rules = pa.table(
        {
            "rule_key": pa.array(range(1, len(laws) + len(policies) + 1), pa.int32()),
            "steps": pa.array(laws + policies),
            "yields_to_designation": pa.array([rnd.randint(0, 2) == 0 for _ in laws + policies]),
        },
        schema=RULES_SCHEMA,
    )
    events: list[dict[str, Any]] = []
    for account in range(1, accounts + 1):
        events += random_account(rnd, account, len(laws), len(policies), rnd.randint(1, longest))
    rnd.shuffle(events)
    return pa.Table.from_pylist(events, schema=EVENTS_SCHEMA), rules


def random_account(rnd: Random, account: int, laws: int, policies: int, size: int) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    left: dict[int, int] = {}  # what of a source is not undone yet
    reversed_ones: set[int] = set()
    individual = rnd.randint(0, 3) == 0
    moved_out = START + timedelta(days=rnd.choice((3, 3, 12, DAYS, DAYS + 9)))
    changes_on = START + timedelta(days=rnd.randint(0, 2 * DAYS))
    policy = [laws + rnd.randint(1, policies), laws + rnd.randint(1, policies)]
    law = [rnd.choice([None, *range(1, laws + 1)]) for _ in range(2)]
    punctual = rnd.randint(0, 3) == 0
    lag = rnd.choice((1, 3, 9))
    for number in range(size):
        business = START + timedelta(days=rnd.randint(0, DAYS))
        known = business + timedelta(days=0 if punctual or rnd.randint(0, 1) else rnd.randint(-2, lag))
        kind = rnd.choice(ENTRIES)
        amount = rnd.choice((10, 10, 20, 30, 30, 50, 70))
        row: dict[str, Any] = dict.fromkeys(EVENTS_SCHEMA.names)
        names: dict[str, Any] | None = None
        undoes = False
        if kind == "undo":
            may = [e for e in events if left.get(e["event_key"]) or is_reversible(e, reversed_ones)]
            kind = "charge"
            if may:
                undoes = True
                names = rnd.choice(may)
                kind, amount = undoing(rnd, names, left, reversed_ones)
        elif kind in ("credit", "write_off", "correction", "transfer", "payment") and events and rnd.randint(0, 2) == 0:
            names = rnd.choice(events)
        only_pays = kind in ("credit", "payment", "write_off", "deposit_applied")
        may_pay = kind in ("correction", "transfer", "opening_balance")
        if not undoes and (only_pays or (may_pay and rnd.randint(0, 1))):
            amount = -amount
        if names is not None:
            known = max(known, names["known_at"].date())
            if undoes:
                business = max(business, names["business_on"])
        category = rnd.choice(CREDIT_CATEGORIES if amount < 0 else CATEGORIES)
        is_rent = category == "rent"
        due = business + timedelta(days=rnd.choice((0, 0, 0, 3, 6, -4)))
        key = account * 1000 + number
        later = business >= changes_on
        row.update(
            account_key=account,
            event_key=key,
            kind=kind,
            amount_minor=amount,
            business_on=business,
            known_at=datetime.combine(known, time()),
            tie_rank=(number * 7919) % 1009,
            names_event_key=None if names is None else names["event_key"],
            due_on=rnd.choice((None, due)),
            posted_on=business,
            category=category,
            code_key=f"default:{category.upper()}",
            gl_account="4100" if is_rent else rnd.choice(("4200", "4300")),
            counts_as_rent=is_rent or (category == "utility" and rnd.randint(0, 1) == 0),
            application_priority=rnd.choice((None, 1, 2)),
            rent_period_from=rnd.choice((None, due.replace(day=1), due.replace(day=1))),
            current_period_from=business.replace(day=1),
            service_from=rnd.choice((None, None, business - timedelta(days=3))),
            responsible_person_key=rnd.choice(PERSONS),
            payer_person_key=rnd.choice(PERSONS) if kind == "payment" else None,
            is_individual_billing=individual,
            is_forgiven=kind == "write_off" and rnd.randint(0, 3) == 0,
            is_after_move_out=kind == "payment" and business >= moved_out,
            policy_rule_key=policy[later],
            law_rule_key=law[later],
        )
        if kind == "payment" and rnd.randint(0, 2) == 0:
            row["designation"] = rnd.choice((None, "rent", "fees", "written_off", "written_off", "code"))
            row["designation_code_key"] = "default:UTILITY" if row["designation"] == "code" else None
            if rnd.randint(0, 1):
                row["covers_from"] = START + timedelta(days=rnd.randint(0, DAYS))
            if rnd.randint(0, 1):
                row["covers_to"] = START + timedelta(days=rnd.randint(0, DAYS))
        if kind in ("payment", "write_off", "deposit_applied") and not undoes:
            left[key] = -amount
        events.append(row)
    return events


def is_reversible(event: dict[str, Any], reversed_ones: set[int]) -> bool:
    fits = event["kind"] in ("opening_balance", "charge", "credit", "correction")
    return fits and event["event_key"] not in reversed_ones


def undoing(rnd: Random, names: dict[str, Any], left: dict[int, int], reversed_ones: set[int]) -> tuple[str, int]:
    """The kind and the (positive or exact) amount of an entry that undoes `names`."""
    key = names["event_key"]
    if key not in left:
        reversed_ones.add(key)
        return "charge_reversal", -names["amount_minor"]
    amount = left[key] if rnd.randint(0, 1) else min(left[key], 10)
    left[key] -= amount
    return "payment_return" if names["kind"] == "payment" else names["kind"], amount
