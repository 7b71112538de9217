-- The payments that an audit of the system of record looks at, with what is left of them and the rule of their day.
-- A property is audited from the first payment that the system's own journal tells of: from there on a payment that the
-- journal never names counts as unapplied. What the journal names and no account holds is audited too, with nothing received.
with int_events__source_applications as (
    select * from {{ ref('int_events__source_applications') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

rule_application as (
    select * from {{ ref('rule_application') }}
),

payments as (
    select * from int_events__entries where source_table = 'payments' and kind = 'payment' and not is_future
),

audited_properties as (
    select
        payments.property_key,
        min(payments.business_on) as audited_from
    from int_events__source_applications as stated
    inner join payments on stated.source_event_key = payments.event_key
    group by payments.property_key
),

taken_back as (
    select
        names_event_key,
        sum(amount) as amount
    from int_events__entries
    where kind = 'payment_return' and not is_future
    group by names_event_key
),

on_account as (
    select
        payments.source_key as payment_key,
        payments.source_system,
        payments.source_id as payment_id,
        payments.event_key as source_event_key,
        payments.lease_id,
        payments.ledger_party,
        payments.property_key,
        payments.property_id,
        payments.entity_id,
        payments.business_on as received_on,
        {{ money('-payments.amount') }} as amount,
        {{ money('-payments.amount - coalesce(taken_back.amount, 0)') }} as kept_amount,
        policies.rule_id,
        policies.version as rule_version,
        laws.rule_id as law_rule_id,
        laws.version as law_rule_version,
        true as is_on_account
    from payments
    inner join audited_properties
        on
            payments.property_key = audited_properties.property_key
            and payments.business_on >= audited_properties.audited_from
    left join taken_back on payments.event_key = taken_back.names_event_key
    left join rule_application as policies on payments.policy_rule_key = policies.rule_key
    left join rule_application as laws on payments.law_rule_key = laws.rule_key
),

-- Where the payment stands nowhere, the charge says where the system thought it was.
stated_elsewhere as (
    select
        stated.payment_key,
        min(stated.source_system) as source_system,
        min(stated.payment_id) as payment_id,
        min(stated.applied_on) as received_on,
        min(stated.target_event_key) as target_event_key
    from int_events__source_applications as stated
    cross join int_build__settings as settings
    left join payments on stated.source_event_key = payments.event_key
    where payments.event_key is null and stated.applied_on <= settings.as_of_on
    group by stated.payment_key
),

not_on_account as (
    select
        stated.payment_key,
        stated.source_system,
        stated.payment_id,
        cast(null as bigint) as source_event_key,
        targets.lease_id,
        targets.ledger_party,
        targets.property_key,
        targets.property_id,
        targets.entity_id,
        stated.received_on,
        {{ money('0') }} as amount,
        {{ money('0') }} as kept_amount,
        {{ text('null') }} as rule_id,
        cast(null as integer) as rule_version,
        {{ text('null') }} as law_rule_id,
        cast(null as integer) as law_rule_version,
        false as is_on_account
    from stated_elsewhere as stated
    left join int_events__entries as targets on stated.target_event_key = targets.event_key
),

int_application_audit__sources as (
    select * from on_account
    union all
    select * from not_on_account
)

select * from int_application_audit__sources
