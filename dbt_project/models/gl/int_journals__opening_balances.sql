-- What is carried over from the books before: receivable against opening equity for what was owed, opening equity
-- against prepaid for money that waited. It never touches income, which the earlier books have recognised.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_journals__opening_balances as (
    select
        {{ posting(
            'entries', "'entry:' || cast(entries.event_key as string)", 'entries.amount',
            "case when entries.amount > 0 then " ~ receivable_role('entries') ~ " else 'prepaid' end",
            "'opening_equity'"
        ) }}
    from int_events__entries as entries
    where entries.kind = 'opening_balance'
)

select * from int_journals__opening_balances
