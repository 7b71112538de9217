-- What people owe on the build's day, charge by charge.
-- It selects; what is open was worked out from entries and applications in the subledger.
select
    source_system,
    charge_id,
    source_table,
    lease_id,
    ledger_party,
    entity_id,
    property_id,
    kind,
    charge_code,
    category,
    counts_as_rent,
    description,
    service_from,
    service_to,
    posted_on,
    due_on,
    due_defaulted,
    amount,
    applied_amount,
    open_amount
from {{ ref('int_open_items__charges') }}
