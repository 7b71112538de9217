-- What a charge, or a true-up that raises what is owed, posts: receivable of the party against the account of its code.
-- It always opens a receivable, whatever waits on the account; money that was waiting follows as an application.
-- What could go wrong: a code without an account; its postings keep a null account here and stop the build further on.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_journals__charges as (
    select
        {{ posting(
            'entries', "'entry:' || cast(entries.event_key as string)", 'entries.amount',
            receivable_role('entries'), "'code'", credit_account='entries.gl_account'
        ) }}
    from int_events__entries as entries
    where entries.kind in ('charge', 'correction') and entries.amount > 0
)

select * from int_journals__charges
