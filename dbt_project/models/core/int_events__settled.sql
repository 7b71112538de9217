-- When money of each settlement account was received and when it settled, and when it went back: a row per payment and per
-- return of one. A return settles on its own day where its payment had settled; a payment that never settled and came
-- back never reached the bank. What could go wrong: the settled day is corrected later; the latest is read, because it
-- moves no money and the bank's own file is compared with it.
with stg_payments as (
    select * from {{ ref('stg_payments') }}
),

stg_payment_reversals as (
    select * from {{ ref('stg_payment_reversals') }}
),

int_events__settlements as (
    select * from {{ ref('int_events__settlements') }}
),

int_events__entries as (
    select source_table, source_key, min(entity_key) as entity_key
    from {{ ref('int_events__entries') }}
    where kind = 'payment'
    group by source_table, source_key
),

received as (
    select
        payments.payment_key,
        payments.payment_id,
        payments.settlement_account,
        coalesce(settlements.payee_entity_key, payments.entity_key, entries.entity_key) as entity_key,
        payments.amount,
        payments.received_on,
        payments.settled_on,
        payments.source_system,
        payments.batch_id,
        payments.file,
        payments.row_number
    from stg_payments as payments
    left join int_events__settlements as settlements on payments.payment_key = settlements.payment_key
    left join int_events__entries as entries
        on
            entries.source_table = 'payments'
            and payments.payment_key = entries.source_key
    where payments.settlement_account is not null
),

int_events__settled as (
    select
        settlement_account,
        entity_key,
        'payments' as source_table,
        payment_key as source_key,
        payment_id as source_id,
        payment_id,
        amount,
        received_on,
        settled_on,
        source_system,
        batch_id,
        file,
        row_number
    from received
    union all
    select
        received.settlement_account,
        received.entity_key,
        'payment_reversals',
        reversals.reversal_key,
        reversals.reversal_id,
        received.payment_id,
        -reversals.amount,
        greatest(reversals.reversed_on, received.received_on),
        case when received.settled_on is not null then greatest(reversals.reversed_on, received.settled_on) end,
        reversals.source_system,
        reversals.batch_id,
        reversals.file,
        reversals.row_number
    from stg_payment_reversals as reversals
    inner join received on reversals.payment_key = received.payment_key
)

select * from int_events__settled
