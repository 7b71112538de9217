-- Every posting of the accrual book, one shape for all kinds of events: an amount that moves from a credit side to a
-- debit side. It balances by construction, because debit and credit are one amount; what can still go wrong is a
-- missing account, which int_journals__unmapped lists. Postings dated after the as-of date are not in the books yet.

with int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

postings as (
    {% for kind in [
        'charges', 'credits', 'payments', 'returns', 'reversals', 'opening_balances', 'refunds', 'deposits', 'write_offs',
        'suspense', 'transfers', 'agreements', 'applications'
    ] -%}
    select * from {{ ref('int_journals__' ~ kind) }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

int_journals__postings as (
    select postings.*
    from postings
    cross join int_build__settings
    where
        postings.amount <> 0
        and postings.accounting_on <= int_build__settings.as_of_on
)

select * from int_journals__postings
