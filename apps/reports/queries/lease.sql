-- The lease and the household that a statement or a ledger is about. The same lease id can come from two source
-- systems; without a source system all of them answer, and the caller must say which.
select
    source_system,
    lease_id,
    resident_names,
    unit_number,
    property_id,
    property_name,
    entity_id,
    entity_name,
    operator_name,
    currency,
    time_zone,
    program,
    start_on,
    end_on,
    move_in_on,
    move_out_on
from leases
where lease_id = $lease_id
    and ($source_system::varchar is null or source_system = $source_system)
order by source_system
