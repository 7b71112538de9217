-- Entries dated into a month that was closed when they became known, newest first: booked into the first open month.
select
    property_id,
    source_system,
    lease_id,
    ledger_party,
    kind,
    source_id,
    amount,
    entry_on,
    accounting_on,
    recorded_at,
    cause
from late_arrivals
where entity_id = $entity_id
order by recorded_at desc, source_id
limit 200
