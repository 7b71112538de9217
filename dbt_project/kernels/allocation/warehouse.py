"""The warehouse's columns as the kernel reads them: projections in SQL, for every model that hands events to it.

They stand here and not in a model because two models need the same ones, and dbt's Python models cannot share a file.
"""

from __future__ import annotations

#: core.int_events__entries -> EVENTS_SCHEMA. Amounts are exact: DECIMAL(18,2) times 100 has no fraction.
EVENTS = """
    account_key, event_key, kind, cast(amount * 100 as bigint) as amount_minor, business_on,
    cast(recorded_at as timestamp) as known_at, tie_rank, names_event_key, due_on, business_on as posted_on,
    category, code_key, gl_account, counts_as_rent, application_priority, rent_period_from, current_period_from,
    service_from, service_to, responsible_person_key, payer_person_key, is_individual_billing, designation,
    designation_code_key, covers_from, covers_to, is_forgiven, is_after_move_out, policy_rule_key, law_rule_key
"""

#: rules.rule_application -> RULES_SCHEMA.
RULES = "rule_key, steps, yields_to_designation"

#: Rows of a batch that DuckDB hands over: a few dozen megabytes.
BATCH = 100_000
