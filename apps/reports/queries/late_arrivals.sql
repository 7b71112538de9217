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
    -- A lockbox that reports under a system of its own has no entities: its rows are of the one that has this id.
    and (
        source_system = $source_system
        or source_system not in (select source_system from close_status where entity_id = $entity_id)
    )
order by recorded_at desc, source_id
limit 200
