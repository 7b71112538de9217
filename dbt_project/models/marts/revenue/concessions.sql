-- Concessions as records: granted, given and left, the effective rent, and what an early end leaves to be paid back.
-- Nothing is computed here.
with int_concessions__balances as (
    select * from {{ ref('int_concessions__balances') }}
),

concessions as (
    select
        source_system,
        concession_id,
        property_id,
        lease_id,
        kind,
        term_from,
        term_to,
        term_months,
        granted_amount,
        given_amount,
        remaining_amount,
        overgiven_amount,
        monthly_rent,
        effective_rent,
        is_repayable,
        ended_on,
        repayable_in_full,
        repayable_unearned
    from int_concessions__balances
)

select * from concessions
