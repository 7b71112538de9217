"""The allocation of every account: which money paid which charge, when, and under which rule.

Thin on purpose: relation to Arrow, the kernel, Arrow back. The meaning is in dbt_project/kernels/allocation, and the
contract is on int_allocation__applications, because dbt gives a Python model neither a contract nor a unit test.

The kernel is asked twice: for the books, and for what other orders would have come to (rows with a what_if_key). The
second answer stands apart: nothing that books reads it.
"""

import pyarrow as pa

from dbt_project.kernels.allocation import allocate

EVENTS = """
    account_key, event_key, kind, cast(amount * 100 as bigint) as amount_minor, business_on,
    cast(recorded_at as timestamp) as known_at, tie_rank, names_event_key, due_on, business_on as posted_on,
    category, code_key, gl_account, counts_as_rent, application_priority, rent_period_from, current_period_from,
    service_from, service_to, responsible_person_key, payer_person_key, is_individual_billing, designation,
    designation_code_key, covers_from, covers_to, is_forgiven, is_after_move_out, policy_rule_key, law_rule_key
"""
RULES = "rule_key, steps, yields_to_designation"
WHAT_IFS = "what_if_key as rule_key, steps, false as yields_to_designation"


def model(dbt, session):
    dbt.config(materialized="table")
    events = dbt.ref("int_events__entries").project(EVENTS).to_arrow_table()
    rules = dbt.ref("rule_application").filter("is_eligible").project(RULES).to_arrow_table()
    journal = allocate(events, rules)
    journal = journal.append_column("what_if_key", pa.nulls(journal.num_rows, pa.int32()))

    asked = dbt.ref("int_what_ifs__events").to_arrow_table()
    orders = dbt.ref("rule_what_ifs").project(WHAT_IFS).to_arrow_table()
    tried = allocate(asked, orders)
    tried = tried.append_column("what_if_key", tried.column("policy_rule_key").cast(pa.int32()))
    return pa.concat_tables([journal, tried])
