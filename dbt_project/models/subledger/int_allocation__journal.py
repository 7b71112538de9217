"""The allocation of every account: which money paid which charge, when, and under which rule.

Thin on purpose: relation to Arrow, the kernel, Arrow back, in ranges of accounts, so that a portfolio of any size takes
the memory of one range. The meaning is in dbt_project/kernels/allocation, and the contract is on
int_allocation__applications, because dbt gives a Python model neither a contract nor a unit test.

The kernel is asked twice: for the books, and for what other orders would have come to (rows with a what_if_key). The
second answer stands apart: nothing that books reads it.
"""

from pathlib import Path

import pyarrow as pa

from dbt_project.kernels.allocation import OUTPUT_SCHEMA, allocate_stream
from dbt_project.kernels.allocation.warehouse import BATCH, EVENTS, RULES

WHAT_IFS = "what_if_key as rule_key, steps, false as yields_to_designation"
KEY = pa.field("what_if_key", pa.int32())


def model(dbt, session):
    dbt.config(materialized="table")
    aside = Path(session.execute("select current_setting('temp_directory')").fetchall()[0][0])
    rules = dbt.ref("rule_application").filter("is_eligible").project(RULES).to_arrow_table()
    events = dbt.ref("int_events__entries").project(EVENTS).order("account_key").to_arrow_reader(BATCH)
    journal = allocate_stream(events, rules, aside)

    # One order after another: together they would be sorted as one table, five times as long.
    orders = dbt.ref("rule_what_ifs").project(WHAT_IFS).to_arrow_table()
    asked = dbt.ref("int_what_ifs__events")
    tried = [
        allocate_stream(
            asked.filter(f"policy_rule_key = {key}").order("account_key").to_arrow_reader(BATCH), orders, aside
        )
        for key in orders["rule_key"].to_pylist()
    ]

    def batches():
        for batch in journal:
            yield batch.append_column(KEY, pa.nulls(batch.num_rows, KEY.type))
        for of_order in tried:
            for batch in of_order:
                yield batch.append_column(KEY, batch.column("policy_rule_key").cast(KEY.type))

    return pa.RecordBatchReader.from_batches(OUTPUT_SCHEMA.append(KEY), batches())
