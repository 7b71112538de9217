"""Applying money: the one sequential loop of the warehouse. `allocate` is the kernel, `allocate_reference` its twin."""

from __future__ import annotations

import pyarrow as pa

from dbt_project.kernels.allocation.inputs import EVENTS_SCHEMA, InputError
from dbt_project.kernels.allocation.outputs import OUTPUT_SCHEMA
from dbt_project.kernels.allocation.reference import allocate_reference
from dbt_project.kernels.allocation.rules import RULES_SCHEMA, RuleError


def allocate(events: pa.Table, rules: pa.Table) -> pa.Table:
    """Apply money. See `allocate_reference`."""
    return allocate_reference(events, rules)


__all__ = [
    "EVENTS_SCHEMA",
    "OUTPUT_SCHEMA",
    "RULES_SCHEMA",
    "InputError",
    "RuleError",
    "allocate",
    "allocate_reference",
]
