-- Every month that an entity has closed: closing a month closes all earlier ones, so a month may be closed without a close of
-- its own. What was reported of such a month stands as firmly, and is explained like any other.

with int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

closed_through as (
    select
        entity_key,
        max(period) as period
    from int_closes__periods
    group by entity_key
),

int_tie_outs__closed_months as (
    select distinct
        balances.entity_key,
        balances.entity_id,
        balances.period,
        balances.period_start,
        {{ month_end('balances.period_start') }} as period_end
    from int_trial_balance__periods as balances
    inner join closed_through
        on closed_through.entity_key = balances.entity_key
        and balances.period <= closed_through.period
)

select * from int_tie_outs__closed_months
