-- The aging of an entity with no group at all: what every list below it must add up to.
select
    coalesce(sum(not_yet_due), 0)::decimal(18, 2) as not_yet_due,
    coalesce(sum(days_0_30), 0)::decimal(18, 2) as days_0_30,
    coalesce(sum(days_31_60), 0)::decimal(18, 2) as days_31_60,
    coalesce(sum(days_61_90), 0)::decimal(18, 2) as days_61_90,
    coalesce(sum(days_over_90), 0)::decimal(18, 2) as days_over_90,
    coalesce(sum(open_total), 0)::decimal(18, 2) as open_total,
    coalesce(sum(rent_open), 0)::decimal(18, 2) as rent_open,
    coalesce(sum(other_open), 0)::decimal(18, 2) as other_open,
    coalesce(sum(unapplied_credit), 0)::decimal(18, 2) as unapplied_credit,
    coalesce(sum(balance), 0)::decimal(18, 2) as balance,
    count(*) filter (where open_total <> 0 or unapplied_credit <> 0) as accounts
from aging_month_end
where entity_id = $entity_id
    and as_of = $as_of
    and basis = $basis
    and ($ledger_party::varchar is null or ledger_party = $ledger_party)
    and ($property_id::varchar is null or property_id = $property_id)
