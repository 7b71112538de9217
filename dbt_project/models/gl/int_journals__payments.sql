-- What a payment posts: the cash or clearing account of its settlement arrangement against prepaid, all of it; what it
-- pays moves from there with its applications. Money that was matched out of suspense arrives from the cash account it
-- stood on; out of the suspense of another entity it arrives through intercompany, because no cash of this one moved.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }} where kind = 'payment'
),

int_events__suspense as (
    select * from {{ ref('int_events__suspense') }} where movement = 'matched_out'
),

payments as (
    select
        entries.*,
        case
            when suspense.source_key is null then entries.settlement_role
            when suspense.entity_key = entries.entity_key then suspense.settlement_role
            else 'intercompany'
        end as other_role
    from int_events__entries as entries
    left join int_events__suspense as suspense
        on suspense.source_table = entries.source_table
        and suspense.source_key = entries.source_key
),

int_journals__payments as (
    select
        {{ posting(
            'payments', "'entry:' || cast(payments.event_key as string)", '-payments.amount',
            'payments.other_role', "'prepaid'"
        ) }}
    from payments
)

select * from int_journals__payments
