-- What the reversal of a charge or of a credit posts: the exact opposite, on the account that the reversed entry was
-- booked to, even where the code is mapped elsewhere by now; otherwise income would stay behind on the old account.
-- A reversed charge closes its receivable; a reversed credit takes back what it had put into prepaid.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

reversals as (
    select
        entries.*,
        coalesce(reversed.gl_account, entries.gl_account) as reversed_gl_account
    from int_events__entries as entries
    left join int_events__entries as reversed
        on reversed.event_key = entries.names_event_key
    where entries.kind = 'charge_reversal'
),

int_journals__reversals as (
    select
        {{ posting(
            'reversals', "'entry:' || cast(reversals.event_key as string)", 'reversals.amount',
            "case when reversals.amount < 0 then " ~ receivable_role('reversals') ~ " else 'prepaid' end",
            "'code'", credit_account='reversals.reversed_gl_account'
        ) }}
    from reversals
)

select * from int_journals__reversals
