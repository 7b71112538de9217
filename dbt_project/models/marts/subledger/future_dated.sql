-- Entries dated after the day the build stands on: loaded, listed, and counted from their day.
-- They are in the ledger and in no figure of today.
select
    source_system,
    lease_id,
    ledger_party,
    entity_id,
    property_id,
    kind,
    source_table,
    source_id,
    description,
    amount,
    business_on as entry_on,
    recorded_at,
    batch_id,
    file,
    row_number
from {{ ref('int_ledger__entries') }}
where is_future
