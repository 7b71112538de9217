-- What applying money another way moved, by property: the sum of its payments.
-- Payments that stand on no account and name no charge on the books have no property, and stand in a row of their own.
with int_application_audit__payments as (
    select * from {{ ref('int_application_audit__payments') }}
),

int_application_audit__properties as (
    select
        source_system,
        property_key,
        max(property_id) as property_id,
        cast(count(*) as integer) as payments,
        cast(sum(case when charges_that_differ > 0 or system_unapplied <> rule_unapplied then 1 else 0 end) as integer) as payments_that_differ,
        cast(sum(case when system_applied = 0 and kept_amount <> 0 then 1 else 0 end) as integer) as payments_never_applied,
        {{ money('sum(kept_amount)') }} as kept_amount,
        {{ money('sum(system_applied)') }} as system_applied,
        {{ money('sum(rule_applied)') }} as rule_applied,
        {{ money('sum(system_unapplied)') }} as system_unapplied,
        {{ money('sum(rule_unapplied)') }} as rule_unapplied,
        {{ money('sum(system_rent)') }} as system_rent,
        {{ money('sum(rule_rent)') }} as rule_rent,
        {{ money('sum(system_fees)') }} as system_fees,
        {{ money('sum(rule_fees)') }} as rule_fees,
        {{ money('sum(rent_arrears_effect)') }} as rent_arrears_effect,
        {{ money('sum(fees_effect)') }} as fees_effect,
        {{ money('sum(overdue_effect)') }} as overdue_effect
    from int_application_audit__payments
    group by source_system, property_key
)

select * from int_application_audit__properties
