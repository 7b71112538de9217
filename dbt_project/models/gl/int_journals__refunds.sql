-- What a refund of credit posts: receivable against cash, as if the refund were owed; the waiting money that it takes
-- then moves from prepaid with its applications. What it does not find stays a receivable: somebody was paid too much.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_journals__refunds as (
    select
        {{ posting(
            'entries', "'entry:' || cast(entries.event_key as string)", 'entries.amount',
            receivable_role('entries'), "'cash'"
        ) }}
    from int_events__entries as entries
    where entries.kind = 'refund_of_credit'
)

select * from int_journals__refunds
