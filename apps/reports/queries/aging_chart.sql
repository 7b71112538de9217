-- The buckets of aging_total as bars. Money becomes DOUBLE here, for drawing only: a chart would draw a DECIMAL a
-- hundred times too high. The exact figure goes along as text.
with totals as (
    select
        coalesce(sum(not_yet_due), 0)::decimal(18, 2) as not_yet_due,
        coalesce(sum(days_0_30), 0)::decimal(18, 2) as days_0_30,
        coalesce(sum(days_31_60), 0)::decimal(18, 2) as days_31_60,
        coalesce(sum(days_61_90), 0)::decimal(18, 2) as days_61_90,
        coalesce(sum(days_over_90), 0)::decimal(18, 2) as days_over_90
    from aging_month_end
    where entity_id = $entity_id
        and as_of = $as_of
        and basis = $basis
        and ($ledger_party::varchar is null or ledger_party = $ledger_party)
        and ($property_id::varchar is null or property_id = $property_id)
)

select
    bucket,
    amount,
    amount::double as drawn
from totals unpivot (amount for bucket in (not_yet_due, days_0_30, days_31_60, days_61_90, days_over_90))
