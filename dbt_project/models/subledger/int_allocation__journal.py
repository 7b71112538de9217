"""The allocation of every account: which money paid which charge, when, and under which rule.

Thin on purpose: relation to Arrow, the kernel, Arrow back. The meaning is in dbt_project/kernels/allocation, and the
contract is on int_allocation__applications, because dbt gives a Python model neither a contract nor a unit test.

The kernel is asked twice: for the books, and for what other orders would have come to (rows with a what_if_key). The
second answer stands apart: nothing that books reads it.
"""

import pyarrow as pa

from dbt_project.kernels import allocation
from dbt_project.kernels.allocation.warehouse import EVENTS, RULES

WHAT_IFS = "what_if_key as rule_key, steps, false as yields_to_designation"


def model(dbt, session):
    dbt.config(materialized="table")
    events = dbt.ref("int_events__entries").project(EVENTS).to_arrow_table()
    rules = dbt.ref("rule_application").filter("is_eligible").project(RULES).to_arrow_table()
    journal = allocation.allocate(events, rules)
    journal = journal.append_column("what_if_key", pa.nulls(journal.num_rows, pa.int32()))

    asked = dbt.ref("int_what_ifs__events").to_arrow_table()
    orders = dbt.ref("rule_what_ifs").project(WHAT_IFS).to_arrow_table()
    tried = allocation.allocate(asked, orders)
    tried = tried.append_column("what_if_key", tried.column("policy_rule_key").cast(pa.int32()))
    return pa.concat_tables([journal, tried])
