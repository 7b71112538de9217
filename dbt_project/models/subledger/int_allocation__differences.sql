-- What the two engines disagree on, with the lease. It is empty, or nothing is published.
-- What could go wrong: a difference that is found and named by a key that nobody can look up.
with int_allocation__twin as (
    select * from {{ ref('int_allocation__twin') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_allocation__differences as (
    select
        twin.account_key,
        accounts.source_system,
        accounts.lease_id,
        accounts.ledger_party,
        twin.row_no,
        twin.stored_row,
        twin.twin_row,
        'lease ' || accounts.lease_id || ' (' || accounts.ledger_party || '): the kernel and its simple twin apply money differently from row '
        || cast(twin.row_no as string) || ' on; kernel: ' || coalesce(twin.stored_row, 'no row') || '; twin: ' || coalesce(twin.twin_row, 'no row') as message
    from int_allocation__twin as twin
    inner join int_portfolio__accounts as accounts on twin.account_key = accounts.account_key
)

select * from int_allocation__differences
