-- What paid what: the growing journal of applications and of the rows that undo them.
-- Added up over the rows that apply on or before a day and were known by a moment, it is the allocation as of that day as known then.
select
    application_id,
    source_system,
    lease_id,
    ledger_party,
    entity_id,
    property_id,
    source_kind,
    source_table,
    source_id,
    charge_id,
    target_kind,
    amount,
    applied_on,
    accounting_on,
    recorded_at,
    rule_id,
    rule_version,
    law_rule_id,
    law_rule_version,
    step,
    reverses_application_id,
    reason
from {{ ref('int_allocation__applications') }}
