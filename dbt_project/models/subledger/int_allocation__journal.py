"""The allocation of every account: which money paid which charge, when, and under which rule.

Thin on purpose: relation to Arrow, the kernel, Arrow back. The meaning is in dbt_project/kernels/allocation, and the
contract is on int_allocation__applications, because dbt gives a Python model neither a contract nor a unit test.
"""

from dbt_project.kernels import allocation
from dbt_project.kernels.allocation.warehouse import EVENTS, RULES


def model(dbt, session):
    dbt.config(materialized="table")
    events = dbt.ref("int_events__entries").project(EVENTS).to_arrow_table()
    rules = dbt.ref("rule_application").filter("is_eligible").project(RULES).to_arrow_table()
    return allocation.allocate(events, rules)
