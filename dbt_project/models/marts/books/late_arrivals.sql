-- What was dated into a closed month, as published: where it was booked instead and what it corrects.
-- Selected, not computed: the tie-out of business dates to late arrivals proves that nothing is missing from it.

select
    entity_id, property_id, source_system, lease_id, ledger_party, kind, source_table, source_id, names_source_id, amount,
    entry_on, closed_period, accounting_on, period, recorded_at, days_late, cause, batch_id, file, row_number
from {{ ref('int_late_arrivals__entries') }}
