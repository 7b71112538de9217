"""Where the stored journal and the simple twin differ, for the accounts that this build compares.

Thin on purpose, like the journal itself: the comparison is in dbt_project/kernels/allocation/twins.py, and the check
that stops a build is on int_allocation__differences, the contracted model over this one, which names the lease.
"""

from dbt_project.kernels.allocation.twins import journal_differences
from dbt_project.kernels.allocation.warehouse import EVENTS, RULES


def model(dbt, session):
    dbt.config(materialized="table")
    compared = dbt.ref("int_allocation__compared_accounts").project("account_key").set_alias("compared")
    entries = dbt.ref("int_events__entries").set_alias("entries").join(compared, "account_key", how="semi")
    journal = dbt.ref("int_allocation__journal").filter("what_if_key is null").set_alias("stored")
    stored = journal.join(compared, "account_key", how="semi")
    rules = dbt.ref("rule_application").filter("is_eligible").project(RULES).to_arrow_table()
    return journal_differences(entries.project(EVENTS).to_arrow_table(), rules, stored.to_arrow_table())
