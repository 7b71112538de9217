"""Applying money: the one sequential loop of the warehouse. `allocate` is the kernel, `allocate_reference` its twin."""

from __future__ import annotations

import pyarrow as pa

from dbt_project.kernels.allocation.inputs import EVENTS_SCHEMA, InputError, read_events
from dbt_project.kernels.allocation.kernel import journal_lines
from dbt_project.kernels.allocation.outputs import OUTPUT_SCHEMA, journal_table
from dbt_project.kernels.allocation.reference import allocate_reference
from dbt_project.kernels.allocation.rules import RULES_SCHEMA, RuleError, parse_rules


def allocate(events: pa.Table, rules: pa.Table, threads: int = 1) -> pa.Table:
    """Apply money."""
    parsed = parse_rules(rules)
    read = read_events(events, parsed)
    return journal_table(read, journal_lines(read, parsed, threads))


__all__ = [
    "EVENTS_SCHEMA",
    "OUTPUT_SCHEMA",
    "RULES_SCHEMA",
    "InputError",
    "RuleError",
    "allocate",
    "allocate_reference",
]
