"""What leaves the kernel: one table, a row per line of the journal, in the order of knowledge and then of play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from dbt_project.kernels.allocation.inputs import Inputs, Ints
from dbt_project.kernels.allocation.words import (
    J_AMOUNT,
    J_AT,
    J_CAUSE,
    J_KIND,
    J_KNOWN,
    J_LAW_STEP,
    J_OCCURRENCE,
    J_POLICY_STEP,
    J_REASON,
    J_REVERSES,
    J_SOURCE,
    J_TARGET,
    REASONS,
    ROW_KINDS,
)

OUTPUT_SCHEMA = pa.schema(
    [
        pa.field("row_kind", pa.string(), nullable=False),
        pa.field("journal_seq", pa.int64(), nullable=False),
        pa.field("account_key", pa.int64(), nullable=False),
        pa.field("source_event_key", pa.int64(), nullable=False),
        pa.field("target_event_key", pa.int64(), nullable=False),
        pa.field("amount_minor", pa.int64(), nullable=False),
        pa.field("applied_on", pa.date32(), nullable=False),
        pa.field("known_at", pa.timestamp("us"), nullable=False),
        pa.field("policy_rule_key", pa.int32()),
        pa.field("law_rule_key", pa.int32()),
        pa.field("law_step", pa.int32()),
        pa.field("policy_step", pa.int32()),
        pa.field("reverses_seq", pa.int64()),
        pa.field("reason", pa.string()),
        pa.field("cause_event_key", pa.int64(), nullable=False),
        pa.field("occurrence", pa.int32(), nullable=False),
    ]
)


def journal_table(read: Inputs, lines: list[Ints]) -> pa.Table:
    """Number the lines of all accounts in the order of knowledge and write them as OUTPUT_SCHEMA.

    `lines` are as `kernel.journal_lines` returns them. Within one moment accounts follow each other, and the lines of
    an account keep their order; so what becomes known later always stands after what was known before.
    """
    order = np.argsort(lines[J_KNOWN], kind="stable")
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(1, len(order) + 1)
    reverses = lines[J_REVERSES][order]
    at = lines[J_AT][order]
    played = read.table.select(["policy_rule_key", "law_rule_key"]).take(pa.array(at))
    columns = {
        "row_kind": _words(lines[J_KIND][order], ROW_KINDS),
        "journal_seq": np.arange(1, len(order) + 1),
        "account_key": read.account[at],
        "source_event_key": read.event[lines[J_SOURCE][order]],
        "target_event_key": read.event[lines[J_TARGET][order]],
        "amount_minor": lines[J_AMOUNT][order],
        "applied_on": read.business[at],
        "known_at": lines[J_KNOWN][order],
        "policy_rule_key": played["policy_rule_key"],
        "law_rule_key": played["law_rule_key"],
        "law_step": _or_null(lines[J_LAW_STEP][order]),
        "policy_step": _or_null(lines[J_POLICY_STEP][order]),
        "reverses_seq": pa.array(np.where(reverses >= 0, number[reverses], 0), mask=reverses < 0),
        "reason": _words(lines[J_REASON][order], REASONS),
        "cause_event_key": read.event[lines[J_CAUSE][order]],
        "occurrence": lines[J_OCCURRENCE][order],
    }
    arrays = [_as(columns[field.name], field.type) for field in OUTPUT_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=OUTPUT_SCHEMA)


def _as(column: Any, wanted: pa.DataType) -> pa.Array:
    array = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
    return array.cast(wanted)


def _or_null(steps: Ints) -> pa.Array:
    return pa.array(steps, mask=steps == 0)


def _words(codes: Ints, words: tuple[str | None, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string())).cast(pa.string())
