-- What an agreement over unreported income posts when it is signed: the agreement's receivable against the role for such
-- income, because what is owed there was never billed to the account; cancelled, what is left of it goes back. An
-- agreement over back rent posts nothing of its own: its debt comes from the account by a transfer.

with int_events__agreements as (
    select * from {{ ref('int_events__agreements') }}
),

int_journals__agreements as (
    select
        {{ posting(
            'agreements', "'agreement:' || agreements.source_table || ':' || agreements.source_key", 'agreements.amount',
            "'agreement_receivable'", "'unreported_income'"
        ) }}
    from int_events__agreements as agreements
)

select * from int_journals__agreements
