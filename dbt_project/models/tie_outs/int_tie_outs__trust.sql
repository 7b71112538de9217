-- The trust reconciliation of each month end, three ways: what leases are owed of their deposits, what the ledger holds as
-- deposits, and where the money lies: trust cash by the ledger and by the books' own balance of that account. What the bank of a
-- trust account has booked is of the account and not of a house: int_tie_outs__trust_accounts. A deposit that was paid with the rent lies in operating cash until it is moved; what is
-- not in trust says how much that is. What could go wrong: one house's surplus covering another's hole; properties stand apart.

with int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }} where book = 'accrual'
),

int_events__deposits as (
    select * from {{ ref('int_events__deposits') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

stg_gl_balances as (
    select * from {{ ref('stg_gl_balances') }} where basis = 'accrual'
),

accounts as (
    select entities.entity_key, accounts.account, accounts.role
    from int_portfolio__entities as entities
    inner join int_portfolio__gl_accounts as accounts on accounts.chart_key = entities.chart_key
    where accounts.role in ('deposits_held', 'trust_cash')
),

months as (
    select distinct entity_key, entity_id, property_key, property_id, period, period_start
    from int_trial_balance__periods
    where property_key is not null
),

lease_movements as (
    select movement_on, entity_key, property_key, amount
    from ({{ by_owner("(select accounting_on as movement_on, entity_key, entity_id, property_key, property_id, ledger_party, 'left' as side, amount, source_table, movement_id as source_id, file, row_number from " ~ ref('int_events__deposits') ~ ")") }}) as owned
),

by_lease as (
    select months.entity_key, months.property_key, months.period, sum(movements.amount) as amount
    from months
    inner join lease_movements as movements
        on movements.entity_key = months.entity_key
        and movements.property_key = months.property_key
        and movements.movement_on <= {{ month_end('months.period_start') }}
    group by months.entity_key, months.property_key, months.period
),

by_ledger as (
    select
        balances.entity_key,
        balances.property_key,
        balances.period,
        sum(case when accounts.role = 'deposits_held' then -balances.closing else 0 end) as held,
        sum(case when accounts.role = 'trust_cash' then balances.closing else 0 end) as trust_cash
    from int_trial_balance__periods as balances
    inner join accounts
        on accounts.entity_key = balances.entity_key
        and accounts.account = balances.account
    group by balances.entity_key, balances.property_key, balances.period
),

by_books as (
    select balances.entity_key, balances.property_key, {{ period_of('balances.as_of') }} as period, sum(balances.balance) as amount
    from stg_gl_balances as balances
    inner join accounts
        on accounts.entity_key = balances.entity_key
        and accounts.account = balances.account
        and accounts.role = 'trust_cash'
    where balances.as_of = {{ month_end('balances.as_of') }}
    group by balances.entity_key, balances.property_key, {{ period_of('balances.as_of') }}
),

int_tie_outs__trust as (
    select
        {{ source_system_of('months.entity_key', 'months.entity_id') }} as source_system,
        months.entity_key,
        months.entity_id,
        months.property_key,
        months.property_id,
        months.period,
        {{ money('coalesce(by_lease.amount, 0)') }} as held_by_leases,
        {{ money('coalesce(by_ledger.held, 0)') }} as held_by_ledger,
        {{ money('coalesce(by_ledger.trust_cash, 0)') }} as trust_cash,
        {{ money('by_books.amount') }} as trust_cash_in_books,
        {{ money('coalesce(by_lease.amount, 0) - coalesce(by_ledger.trust_cash, 0)') }} as not_in_trust
    from months
    left join by_lease
        on by_lease.entity_key = months.entity_key
        and by_lease.property_key = months.property_key
        and by_lease.period = months.period
    left join by_ledger
        on by_ledger.entity_key = months.entity_key
        and by_ledger.property_key = months.property_key
        and by_ledger.period = months.period
    left join by_books
        on by_books.entity_key = months.entity_key
        and by_books.property_key = months.property_key
        and by_books.period = months.period
    where by_lease.amount is not null or by_ledger.held is not null
)

select * from int_tie_outs__trust
