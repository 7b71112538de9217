-- A closed month as it was reported and as it is known now, account by account: the balance that the trial balance of the
-- month holds for ever, what came late and is dated by then, and the two together. A row per closed month, property and
-- account. Accounts that only what came late has touched are in it too, reported as nothing.

with int_tie_outs__reported_changes as (
    select * from {{ ref('int_tie_outs__reported_changes') }}
),

int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }}
),

int_tie_outs__closed_months as (
    select * from {{ ref('int_tie_outs__closed_months') }}
),

parts as (
    select
        balances.entity_key,
        balances.entity_id,
        balances.property_key,
        balances.property_id,
        balances.period as closed_period,
        balances.account,
        balances.account_name,
        balances.closing as as_reported,
        cast(0 as decimal(18, 2)) as came_late,
        0 as late_rows
    from int_trial_balance__periods as balances
    inner join int_tie_outs__closed_months as closes
        on closes.entity_key = balances.entity_key
        and closes.period = balances.period
    where balances.book = 'accrual'
    union all
    select
        entity_key, entity_id, property_key, property_id, closed_period, account, account_name, 0, amount, 1
    from int_tie_outs__reported_changes
),

int_tie_outs__reported_balances as (
    select
        {{ source_system_of('entity_key', 'min(entity_id)') }} as source_system,
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        closed_period,
        account,
        min(account_name) as account_name,
        {{ money('sum(as_reported)') }} as as_reported,
        {{ money('sum(came_late)') }} as came_late,
        {{ money('sum(as_reported) + sum(came_late)') }} as as_now,
        cast(sum(late_rows) as bigint) as late_rows
    from parts
    group by entity_key, property_key, closed_period, account
)

select * from int_tie_outs__reported_balances
