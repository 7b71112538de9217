"""The shape of a rule's steps: what the allocation can follow, and nothing else."""

from __future__ import annotations

from typing import Any

_ORDERS = ("oldest_due", "newest_due", "largest_open", "priority")
_STEP_KEYS = {"match", "order", "designated_only", "hold"}
_MATCH_KEYS = {"counts_as_rent", "category", "charge_code", "account", "period", "responsible_person"}


def _texts(value: Any) -> bool:
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(isinstance(item, str) and item for item in listed)


def _bad_match(match: Any) -> str | None:
    if match == "any":
        return None
    if not isinstance(match, dict) or not match:
        return f'match is {match!r}, expected "any" or conditions'
    unknown = sorted(set(match) - _MATCH_KEYS)
    if unknown:
        return f"match has {', '.join(unknown)}, expected {', '.join(sorted(_MATCH_KEYS))}"
    if "counts_as_rent" in match and not isinstance(match["counts_as_rent"], bool):
        return "counts_as_rent must be true or false"
    for key in ("category", "charge_code", "account"):
        if key in match and not _texts(match[key]):
            return f"{key} must be a text or a list of texts"
    if match.get("period", "prior") not in ("prior", "current"):
        return "period must be prior or current"
    if match.get("responsible_person", "payer") != "payer":
        return "responsible_person must be payer"
    return None


def bad_steps(steps: Any) -> str | None:
    """What is wrong with a rule's steps (parsed JSON), or None where they can be followed."""
    if not isinstance(steps, list) or not steps:
        return "found no list of steps"
    for number, step in enumerate(steps, start=1):
        where = f"step {number}: "
        if not isinstance(step, dict):
            return where + "expected an object with match"
        unknown = sorted(set(step) - _STEP_KEYS)
        if unknown:
            return where + f"found {', '.join(unknown)}, expected {', '.join(sorted(_STEP_KEYS))}"
        if "hold" in step:
            if step != {"hold": True}:
                return where + 'a hold is {"hold": true} alone'
            if number != len(steps):
                return where + "a hold must be the last step"
            continue
        if "match" not in step:
            return where + "expected match"
        problem = _bad_match(step["match"])
        if problem is not None:
            return where + problem
        if step.get("order", "oldest_due") not in _ORDERS:
            return where + f"order is {step['order']!r}, expected one of {', '.join(_ORDERS)}"
        if not isinstance(step.get("designated_only", False), bool):
            return where + "designated_only must be true or false"
    return None
