"""Application rules: from the JSON a person wrote to something that can be asked where a charge stands.

The problem. A rule is an ordered list of steps in JSON, written by a lawyer's clerk or an operator. A misspelt key must
not become "matches everything", because money would then be taken in the wrong order without a word.

What makes it simple. Whether a step takes a charge depends on three things only: what the charge *is* (counts as rent,
category, charge code, GL account: fixed when it posts), how its rent period lies to the day of the event (prior,
current or later), and whether it is the payer's own. The first can be tabulated once per rule and class of charge.

What it refuses. Unknown keys, unknown orders, empty lists, a hold that is not the last step, a hold in a rule of law,
more than 62 steps: each with the rule's key and the number of the step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from dbt_project.kernels.allocation.words import MAX_STEPS, ORDERS, PERIODS

_MATCH_KEYS = {"counts_as_rent", "category", "charge_code", "account", "period", "responsible_person"}
_STEP_KEYS = {"match", "order", "designated_only"}

RULES_SCHEMA = pa.schema(
    [
        pa.field("rule_key", pa.int32(), nullable=False),
        pa.field("steps", pa.string(), nullable=False),
        pa.field("yields_to_designation", pa.bool_(), nullable=False),
    ]
)


class RuleError(ValueError):
    """A rule that cannot be read. The message names the rule and the step."""


@dataclass(frozen=True)
class Step:
    """One step. A part that is None asks nothing; every part that is given must hold."""

    counts_as_rent: bool | None = None
    category: frozenset[str] | None = None
    charge_code: frozenset[str] | None = None
    account: frozenset[str] | None = None
    period: str | None = None
    payers_own: bool = False
    order: str = "oldest_due"
    designated_only: bool = False

    def takes_class(self, counts_as_rent: bool, category: str | None, code: str | None, account: str | None) -> bool:
        """Whether what the charge is (not its period, not whose it is) fits this step."""
        if self.counts_as_rent is not None and self.counts_as_rent != counts_as_rent:
            return False
        if self.category is not None and category not in self.category:
            return False
        if self.charge_code is not None and not _has_code(self.charge_code, code):
            return False
        return self.account is None or account in self.account


@dataclass(frozen=True)
class Rule:
    """A rule as read. `hold`: what no step takes stays waiting. `yields`: a law that gives way to the payer's word."""

    key: int
    steps: tuple[Step, ...]
    hold: bool
    yields: bool


def _has_code(codes: frozenset[str], code_key: str | None) -> bool:
    """A rule names a code as people write it; the event carries `source_system:code`. Either spelling matches."""
    if code_key is None:
        return False
    return code_key in codes or code_key.partition(":")[2] in codes


def parse_rules(rules: pa.Table) -> dict[int, Rule]:
    """Read the rules table.

    Args:
        rules: columns rule_key int32, steps string (JSON list), yields_to_designation bool.

    Returns:
        The rules by key.

    Raises:
        RuleError: a column is missing or null, a key stands twice, or a rule's JSON cannot be read.
    """
    missing = [name for name in RULES_SCHEMA.names if name not in rules.column_names]
    if missing:
        raise RuleError(f"the rules table lacks the columns {', '.join(missing)}")
    found: dict[int, Rule] = {}
    for row in rules.select(RULES_SCHEMA.names).to_pylist():
        key = row["rule_key"]
        if key is None:
            raise RuleError("a rule has no rule_key")
        if key in found:
            raise RuleError(f"rule {key} stands in the rules table twice")
        if row["steps"] is None:
            raise RuleError(f"rule {key} has no steps")
        found[key] = parse_rule(key, row["steps"], bool(row["yields_to_designation"]))
    return found


def parse_rule(key: int, text: str, yields: bool = False) -> Rule:
    """Read the steps of one rule from JSON. Raises RuleError naming the rule and the step (counted from 1)."""
    try:
        steps, hold = parse_steps(text)
    except RuleError as error:
        raise RuleError(f"rule {key}: {error}") from error
    return Rule(key=key, steps=steps, hold=hold, yields=yields)


def parse_steps(text: str) -> tuple[tuple[Step, ...], bool]:
    """Read steps from JSON: the steps, and whether a hold ends them. Raises RuleError naming the step (from 1)."""
    try:
        listed = json.loads(text)
    except json.JSONDecodeError as error:
        raise RuleError(f"steps is not JSON ({error})") from error
    if not isinstance(listed, list) or not listed:
        raise RuleError(f"steps must be a list with at least one step, found {text!r}")
    if len(listed) > MAX_STEPS:
        raise RuleError(f"{len(listed)} steps, at most {MAX_STEPS} are possible")
    steps: list[Step] = []
    hold = False
    for number, raw in enumerate(listed, start=1):
        where = f"step {number}"
        if not isinstance(raw, dict):
            raise RuleError(f"{where}: a step must be an object, found {raw!r}")
        if "hold" in raw:
            if raw != {"hold": True}:
                raise RuleError(f'{where}: a hold is written {{"hold": true}} and nothing else, found {raw!r}')
            if number != len(listed):
                raise RuleError(f"{where}: a hold must be the last step")
            hold = True
            continue
        steps.append(_parse_step(where, raw))
    return tuple(steps), hold


def check_steps(text: str, source: str | None) -> None:
    """Whether the steps of a rule can be played. Raises RuleError if they cannot be read, or if a rule of law holds.

    `source` is `law` or `policy`: only an operator may keep money waiting; a law says what is paid first.
    """
    steps, hold = parse_steps(text)
    if hold and source == "law":
        raise RuleError(f"step {len(steps) + 1}: a rule of law says hold; only a policy can keep the rest waiting")


def _parse_step(where: str, raw: dict[str, Any]) -> Step:
    unknown = sorted(set(raw) - _STEP_KEYS)
    if unknown:
        raise RuleError(f"{where}: unknown key {unknown[0]!r}; a step has {', '.join(sorted(_STEP_KEYS))}")
    if "match" not in raw:
        raise RuleError(f'{where}: no match; write "any" for every charge')
    order = raw.get("order", "oldest_due")
    if order not in ORDERS:
        raise RuleError(f"{where}: unknown order {order!r}; orders are {', '.join(ORDERS)}")
    designated_only = raw.get("designated_only", False)
    if not isinstance(designated_only, bool):
        raise RuleError(f"{where}: designated_only must be true or false, found {designated_only!r}")
    match = raw["match"]
    if match == "any":
        return Step(order=order, designated_only=designated_only)
    if not isinstance(match, dict) or not match:
        raise RuleError(f'{where}: match must be "any" or an object with at least one key, found {match!r}')
    unknown = sorted(set(match) - _MATCH_KEYS)
    if unknown:
        raise RuleError(f"{where}: unknown match {unknown[0]!r}; a match has {', '.join(sorted(_MATCH_KEYS))}")
    counts = match.get("counts_as_rent")
    if "counts_as_rent" in match and not isinstance(counts, bool):
        raise RuleError(f"{where}: counts_as_rent must be true or false, found {counts!r}")
    period = match.get("period")
    if "period" in match and period not in PERIODS:
        raise RuleError(f"{where}: period must be prior or current, found {period!r}")
    person = match.get("responsible_person")
    if "responsible_person" in match and person != "payer":
        raise RuleError(f"{where}: responsible_person can only be payer, found {person!r}")
    return Step(
        counts_as_rent=counts,
        category=_names(where, match, "category"),
        charge_code=_names(where, match, "charge_code"),
        account=_names(where, match, "account"),
        period=period,
        payers_own=person == "payer",
        order=order,
        designated_only=designated_only,
    )


def _names(where: str, match: dict[str, Any], key: str) -> frozenset[str] | None:
    if key not in match:
        return None
    value = match[key]
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(name, str) and name for name in listed):
        raise RuleError(f"{where}: {key} must be a name or a list of names, found {value!r}")
    return frozenset(listed)
