-- The published roll-forward of receivables closes, for every month, at the receivable accounts of the trial balance.
-- It ties the two month-end reports that people print side by side; the days between are tied by tie-out 1.

with int_receivables__periods as (
    select * from {{ ref('int_receivables__periods') }}
),

int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

receivable_accounts as (
    select
        entities.entity_key,
        accounts.account
    from int_portfolio__entities as entities
    inner join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
    where accounts.role in {{ listed(receivable_roles()) }}
),

sides as (
    select
        entity_key, entity_id, property_key, property_id, period, closing as left_amount,
        cast(0 as decimal(18, 2)) as right_amount
    from int_receivables__periods
    union all
    select
        balances.entity_key, balances.entity_id, balances.property_key, balances.property_id, balances.period, 0,
        balances.closing
    from int_trial_balance__periods as balances
    inner join receivable_accounts
        on receivable_accounts.entity_key = balances.entity_key
        and receivable_accounts.account = balances.account
    where balances.book = 'accrual'
),

sums as (
    select
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        period,
        sum(left_amount) as left_amount,
        sum(right_amount) as right_amount
    from sides
    group by entity_key, property_key, period
),

compared as (
    select
        'receivable_roll_forward__to__trial_balance' as tie_out,
        1 as tie_out_no,
        {{ month_end(period_start('period')) }} as as_of,
        entity_key,
        entity_id,
        property_key,
        property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'month ' || period as subject,
        'receivable roll-forward' as left_label,
        {{ money('left_amount') }} as left_amount,
        'receivable accounts of the trial balance' as right_label,
        {{ money('right_amount') }} as right_amount,
        {{ money('left_amount - right_amount') }} as difference,
        case when left_amount = right_amount then 'ties' else 'differs' end as status,
        cast(null as {{ dbt.type_string() }}) as look_at
    from sums
)

select * from compared
