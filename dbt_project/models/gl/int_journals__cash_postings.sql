-- Every posting of the cash book. What moves cash, suspense or deposits is posted as in the accrual book; a charge, a credit,
-- a concession or a write-off posts nothing, because no money moved; what money pays is income when it is applied.
-- A refund is a receivable until waiting money takes it, so what was refunded beyond what waited is not lost.
-- What could go wrong: money counted as income twice; a payment is prepaid first, and leaves it by applications only.

with int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

postings as (
    {% for kind in ['payments', 'returns', 'refunds', 'deposits', 'suspense', 'cash_applications'] -%}
    select * from {{ ref('int_journals__' ~ kind) }}
    union all
    {% endfor -%}
    select *
    from {{ ref('int_journals__opening_balances') }}
    where amount < 0
),

int_journals__cash_postings as (
    select postings.*
    from postings
    cross join int_build__settings
    where
        postings.amount <> 0
        and postings.accounting_on <= int_build__settings.as_of_on
)

select * from int_journals__cash_postings
