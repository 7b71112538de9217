-- The aging of an entity by property; the same figures as aging_total, one group finer.
select
    aging.property_id,
    coalesce(max(leases.property_name), aging.property_id) as property_name,
    sum(aging.not_yet_due)::decimal(18, 2) as not_yet_due,
    sum(aging.days_0_30)::decimal(18, 2) as days_0_30,
    sum(aging.days_31_60)::decimal(18, 2) as days_31_60,
    sum(aging.days_61_90)::decimal(18, 2) as days_61_90,
    sum(aging.days_over_90)::decimal(18, 2) as days_over_90,
    sum(aging.open_total)::decimal(18, 2) as open_total,
    sum(aging.unapplied_credit)::decimal(18, 2) as unapplied_credit,
    sum(aging.balance)::decimal(18, 2) as balance
from aging_month_end as aging
left join leases
    on aging.source_system = leases.source_system
    and aging.lease_id = leases.lease_id
where aging.entity_id = $entity_id
    and aging.as_of = $as_of
    and aging.basis = $basis
    and ($ledger_party::varchar is null or aging.ledger_party = $ledger_party)
group by aging.property_id
having sum(aging.open_total) <> 0 or sum(aging.unapplied_credit) <> 0
order by property_name, aging.property_id
