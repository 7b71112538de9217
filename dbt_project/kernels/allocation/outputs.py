"""What leaves the kernel: one table, a row per line of the journal, in the order of knowledge and then of play."""

from __future__ import annotations

import pyarrow as pa

ROW_KINDS = ("application", "recovery")
REASONS = (None, "return", "charge_reversal", "correction", "recovery")

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
