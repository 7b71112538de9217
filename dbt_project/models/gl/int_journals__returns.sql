-- What a return, a chargeback, a refund or a correction of a payment posts: prepaid against the account that gives the
-- money back. The charges that the payment had paid are reopened by its reversed applications, so the two together
-- debit the receivable for what was applied and prepaid for what waited, and nothing is owed twice. Where the payment
-- had been received by another entity, that entity's cash gives the money back, and the way between is intercompany.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }} where kind in ('payment', 'payment_return')
),

int_events__suspense as (
    select * from {{ ref('int_events__suspense') }} where movement = 'matched_out'
),

returns as (
    select
        entries.*,
        own_suspense.source_key is not null as has_left_suspense,
        payment_suspense.entity_key as receiver_key,
        payment_suspense.entity_id as receiver_id,
        payment_suspense.settlement_role as receiver_role,
        case
            when payment_suspense.source_key is null then entries.settlement_role
            when payment_suspense.entity_key = entries.entity_key then payment_suspense.settlement_role
            else 'intercompany'
        end as other_role
    from int_events__entries as entries
    left join int_events__entries as payments
        on payments.event_key = entries.names_event_key
    left join int_events__suspense as payment_suspense
        on payment_suspense.source_table = payments.source_table
        and payment_suspense.source_key = payments.source_key
    left join int_events__suspense as own_suspense
        on own_suspense.source_table = entries.source_table
        and own_suspense.source_key = entries.source_key
    where entries.kind = 'payment_return'
),

-- A return that never stood in suspense still leaves the cash of the entity that had received the payment.
foreign_returns as (
    select
        event_key, kind, source_table, source_key, source_id, source_system, charge_code, amount, accounting_on,
        business_on, recorded_at, batch_id, file, row_number,
        receiver_role,
        receiver_key as entity_key,
        receiver_id as entity_id,
        cast(null as {{ dbt.type_string() }}) as property_key,
        cast(null as {{ dbt.type_string() }}) as property_id,
        cast(null as {{ dbt.type_string() }}) as lease_key,
        cast(null as {{ dbt.type_string() }}) as lease_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party
    from returns
    where other_role = 'intercompany' and not has_left_suspense
),

int_journals__returns as (
    select
        {{ posting(
            'returns', "'entry:' || cast(returns.event_key as string)", 'returns.amount',
            "'prepaid'", 'returns.other_role'
        ) }}
    from returns
    union all
    select
        {{ posting(
            'foreign_returns', "'receiver:' || cast(foreign_returns.event_key as string)", 'foreign_returns.amount',
            "'intercompany'", 'foreign_returns.receiver_role'
        ) }}
    from foreign_returns
)

select * from int_journals__returns
