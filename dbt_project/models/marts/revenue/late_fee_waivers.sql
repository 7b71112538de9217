-- How often late fees were waived, per property and the person who approved it, beside how many were charged there.
-- Nothing is judged here: whether a pattern is fair is a question for people.
with late_fee_audit as (
    select * from {{ ref('late_fee_audit') }} where charge_id is not null
),

charged as (
    select
        source_system,
        property_id,
        count(*) as fees,
        sum(posted) as posted
    from late_fee_audit
    group by source_system, property_id
),

waived as (
    select
        source_system,
        property_id,
        coalesce(waiver_approved_by, 'nobody named') as approved_by,
        coalesce(waived_by, 'nobody named') as waived_by,
        count(*) as waivers,
        sum(waived_amount) as waived_amount,
        sum(case when waiver_reason is null then 1 else 0 end) as waivers_without_reason
    from late_fee_audit
    where is_waived
    group by source_system, property_id, coalesce(waiver_approved_by, 'nobody named'), coalesce(waived_by, 'nobody named')
),

late_fee_waivers as (
    select
        waived.source_system,
        waived.property_id,
        waived.approved_by,
        waived.waived_by,
        cast(waived.waivers as bigint) as waivers,
        {{ money('waived.waived_amount') }} as waived_amount,
        cast(waived.waivers_without_reason as bigint) as waivers_without_reason,
        cast(charged.fees as bigint) as property_fees,
        {{ money('charged.posted') }} as property_posted
    from waived
    inner join charged on waived.source_system = charged.source_system and waived.property_id = charged.property_id
)

select * from late_fee_waivers
