-- The aging account by account, one page of it; the same figures as aging_by_property, one group finer.
select
    aging.source_system,
    aging.lease_id,
    aging.ledger_party,
    leases.resident_names,
    leases.unit_number,
    coalesce(leases.property_name, aging.property_id) as property_name,
    aging.not_yet_due,
    aging.days_0_30,
    aging.days_31_60,
    aging.days_61_90,
    aging.days_over_90,
    aging.open_total,
    aging.unapplied_credit,
    aging.balance
from aging_month_end as aging
left join leases
    on aging.source_system = leases.source_system
    and aging.lease_id = leases.lease_id
where aging.entity_id = $entity_id
    and aging.as_of = $as_of
    and aging.basis = $basis
    and ($ledger_party::varchar is null or aging.ledger_party = $ledger_party)
    and ($property_id::varchar is null or aging.property_id = $property_id)
    and (aging.open_total <> 0 or aging.unapplied_credit <> 0)
order by
    case when $ordering = 'oldest' then aging.days_over_90 end desc,
    case when $ordering = 'oldest' then aging.days_61_90 end desc,
    case when $ordering = 'oldest' then aging.days_31_60 end desc,
    case when $ordering in ('largest', 'oldest') then aging.balance end desc,
    case when $ordering = 'credit' then aging.unapplied_credit end desc,
    aging.lease_id,
    aging.ledger_party,
    aging.source_system
limit $page_size
offset $skipped
