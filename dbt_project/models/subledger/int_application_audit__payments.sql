-- What the system of record did with each payment against what the rule in force did, and what that moved.
-- A payment that the system never applied stands here with all of it unapplied, though it has no row by charge.
-- What could go wrong: counting only the payments that the system applied, which hides the money it left lying.
with int_application_audit__sources as (
    select * from {{ ref('int_application_audit__sources') }}
),

int_application_audit__applications as (
    select * from {{ ref('int_application_audit__applications') }}
),

totals as (
    select
        payment_key,
        sum(system_applied) as system_applied,
        sum(rule_applied) as rule_applied,
        sum(case when counts_as_rent then system_applied else 0 end) as system_rent,
        sum(case when counts_as_rent then rule_applied else 0 end) as rule_rent,
        sum(case when is_fee then system_applied else 0 end) as system_fees,
        sum(case when is_fee then rule_applied else 0 end) as rule_fees,
        sum(rent_arrears_effect) as rent_arrears_effect,
        sum(fees_effect) as fees_effect,
        sum(overdue_effect) as overdue_effect,
        sum(case when finding <> 'same' then 1 else 0 end) as charges_that_differ
    from int_application_audit__applications
    group by payment_key
),

int_application_audit__payments as (
    select
        sources.payment_key,
        sources.source_system,
        sources.payment_id,
        sources.source_event_key,
        sources.entity_id,
        sources.property_key,
        sources.property_id,
        sources.lease_id,
        sources.ledger_party,
        sources.received_on,
        sources.amount,
        sources.kept_amount,
        {{ money('coalesce(totals.system_applied, 0)') }} as system_applied,
        {{ money('coalesce(totals.rule_applied, 0)') }} as rule_applied,
        {{ money('sources.kept_amount - coalesce(totals.system_applied, 0)') }} as system_unapplied,
        {{ money('sources.kept_amount - coalesce(totals.rule_applied, 0)') }} as rule_unapplied,
        {{ money('coalesce(totals.system_rent, 0)') }} as system_rent,
        {{ money('coalesce(totals.rule_rent, 0)') }} as rule_rent,
        {{ money('coalesce(totals.system_fees, 0)') }} as system_fees,
        {{ money('coalesce(totals.rule_fees, 0)') }} as rule_fees,
        {{ money('coalesce(totals.rent_arrears_effect, 0)') }} as rent_arrears_effect,
        {{ money('coalesce(totals.fees_effect, 0)') }} as fees_effect,
        {{ money('coalesce(totals.overdue_effect, 0)') }} as overdue_effect,
        cast(coalesce(totals.charges_that_differ, 0) as integer) as charges_that_differ,
        sources.rule_id,
        sources.rule_version,
        sources.law_rule_id,
        sources.law_rule_version,
        sources.is_on_account
    from int_application_audit__sources as sources
    left join totals on sources.payment_key = totals.payment_key
)

select * from int_application_audit__payments
