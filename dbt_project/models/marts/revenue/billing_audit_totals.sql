-- The findings of the billing audit per property, code and cause.
-- Nothing is judged here; rows that the door keeps have no property and stand under none.
with billing_audit as (
    select * from {{ ref('billing_audit') }}
),

billing_audit_totals as (
    select
        source_system,
        coalesce(property_id, '') as property_id,
        coalesce(charge_code, '') as charge_code,
        finding,
        cast(count(*) as bigint) as findings,
        {{ money('coalesce(sum(expected), 0)') }} as expected,
        {{ money('coalesce(sum(posted), 0)') }} as posted,
        {{ money('coalesce(sum(difference), 0)') }} as difference
    from billing_audit
    group by source_system, coalesce(property_id, ''), coalesce(charge_code, ''), finding
)

select * from billing_audit_totals
