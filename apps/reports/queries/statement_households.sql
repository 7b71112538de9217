-- The leases and households that statements are about.
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
    currency
from leases
where lease_id between $first_lease and $last_lease
order by lease_id, source_system
