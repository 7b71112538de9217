-- What a concession, an adjustment, a subsidy credit or a true-up in the payer's favour posts: the code's own (contra)
-- account against prepaid. What it pays moves on to the receivable with its applications, so that a credit that waits
-- stands as a liability and never lowers the receivable of somebody else's charge.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_journals__credits as (
    select
        {{ posting(
            'entries', "'entry:' || cast(entries.event_key as string)", '-entries.amount',
            "'code'", "'prepaid'", debit_account='entries.gl_account'
        ) }}
    from int_events__entries as entries
    where
        entries.kind = 'credit'
        or (entries.kind = 'correction' and entries.amount < 0)
)

select * from int_journals__credits
