-- Leases whose id, resident, unit or property holds the words typed, whatever their case and accents.
select
    leases.source_system,
    leases.lease_id,
    leases.resident_names,
    leases.unit_number,
    leases.property_name,
    leases.move_out_on,
    leases.currency,
    aging.balance,
    count(*) over () as found
from leases
left join aging_month_end as aging
    on leases.source_system = aging.source_system
    and leases.lease_id = aging.lease_id
    and aging.ledger_party = 'resident'
    and aging.basis = 'business'
    and aging.as_of = (select as_of from build_info)
where contains(
    strip_accents(lower(concat_ws(' ', leases.lease_id, leases.resident_names, leases.unit_number, leases.property_name))),
    strip_accents(lower($words))
)
order by
    lower(leases.lease_id) = lower($words) desc,
    coalesce(aging.balance, 0) desc,
    leases.lease_id,
    leases.source_system
limit 50
