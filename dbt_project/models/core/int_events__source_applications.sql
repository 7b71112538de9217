-- What the system of record says it paid with what, placed beside the entries that it names. Kept for comparison only.
-- A payment or a charge that stands on no account (in suspense, in quarantine, unknown) keeps its row, with an empty key.
-- What could go wrong: a row dropped because what it names is not on the books, so that an audit would look cleaner than it is.
with stg_source_applications as (
    select * from {{ ref('stg_source_applications') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

payments as (
    select source_key, event_key from int_events__entries where source_table = 'payments'
),

charges as (
    select source_key, event_key from int_events__entries where source_table = 'charges'
),

-- Balances brought forward have ids of their own, and a system applies money to them as to any charge.
opening_balances as (
    select source_key, event_key from int_events__entries where source_table = 'opening_balances'
),

int_events__source_applications as (
    select
        stated.row_key,
        stated.source_system,
        stated.payment_key,
        stated.payment_id,
        payments.event_key as source_event_key,
        stated.charge_key,
        stated.charge_id,
        coalesce(charges.event_key, opening_balances.event_key) as target_event_key,
        stated.amount,
        stated.applied_on,
        stated.batch_id,
        stated.file,
        stated.row_number
    from stg_source_applications as stated
    left join payments on stated.payment_key = payments.source_key
    left join charges on stated.charge_key = charges.source_key
    left join opening_balances on stated.charge_key = opening_balances.source_key
)

select * from int_events__source_applications
