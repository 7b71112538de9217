-- The trial balance of every accounting month: what each account opened with, moved and closed at, debits positive.
-- Income and expense open at zero in the first month of a fiscal year; what they had made stands from then on in the
-- account with the role retained_earnings. A chart without that role never zeroes them, so that the balance still nets.
-- What could go wrong: the year split following the clock; only the month of the line and the entity's year end count.

with int_journals__books as (
    select * from {{ ref('int_journals__books') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_portfolio__gl_accounts as (
    select * from {{ ref('int_portfolio__gl_accounts') }}
),

year_ends as (
    select
        entities.entity_key,
        entities.entity_id,
        cast(substr(coalesce(entities.fiscal_year_end, '12-31'), 1, 2) as integer) as last_month,
        min(accounts.account) as retained_account,
        min(accounts.name) as retained_name,
        min(accounts.type) as retained_type
    from int_portfolio__entities as entities
    left join int_portfolio__gl_accounts as accounts
        on accounts.chart_key = entities.chart_key
        and accounts.role = 'retained_earnings'
    group by entities.entity_key, entities.entity_id, coalesce(entities.fiscal_year_end, '12-31')
),

movements as (
    select
        entries.book,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.account,
        min(entries.account_name) as account_name,
        min(entries.account_type) as account_type,
        coalesce(
            min(entries.account_type) in ('income', 'contra_income', 'expense')
            and min(year_ends.retained_account) is not null,
            false
        ) as is_closed_yearly,
        min(year_ends.last_month) as last_month,
        {{ month_start('entries.accounting_on') }} as month_start,
        sum(entries.debit) as debits,
        sum(entries.credit) as credits
    from int_journals__books as entries
    left join year_ends
        on year_ends.entity_key = entries.entity_key
    group by
        entries.book, entries.entity_key, entries.entity_id, entries.property_key, entries.property_id, entries.account,
        {{ month_start('entries.accounting_on') }}
),

-- The first month of the fiscal year that follows the one in which the month lies.
movement_years as (
    select
        *,
        cast(extract(year from month_start) as integer)
            + case when extract(month from month_start) > last_month then 1 else 0 end as fiscal_year
    from movements
),

year_results as (
    select
        results.book,
        results.entity_key,
        results.entity_id,
        results.property_key,
        results.property_id,
        year_ends.retained_account as account,
        year_ends.retained_name as account_name,
        year_ends.retained_type as account_type,
        {{ add_months(
            "cast(cast(results.fiscal_year as string) || '-' || lpad(cast(results.last_month as string), 2, '0') || '-01' as date)",
            1
        ) }} as month_start,
        sum(results.debits - results.credits) as carried
    from movement_years as results
    inner join year_ends
        on year_ends.entity_key = results.entity_key
    where results.is_closed_yearly
    group by
        results.book, results.entity_key, results.entity_id, results.property_key, results.property_id,
        year_ends.retained_account, year_ends.retained_name, year_ends.retained_type, results.fiscal_year,
        results.last_month
),

changes as (
    select
        book, entity_key, entity_id, property_key, property_id, account, account_name, account_type, is_closed_yearly,
        last_month, month_start, debits, credits, cast(0 as decimal(38, 2)) as carried
    from movement_years
    union all
    select
        year_results.book, year_results.entity_key, year_results.entity_id, year_results.property_key,
        year_results.property_id, year_results.account, year_results.account_name, year_results.account_type, false,
        year_ends.last_month, year_results.month_start, 0, 0, year_results.carried
    from year_results
    inner join year_ends
        on year_ends.entity_key = year_results.entity_key
),

accounts as (
    select
        book,
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        account,
        min(account_name) as account_name,
        min(account_type) as account_type,
        bool_or(is_closed_yearly) as is_closed_yearly,
        min(last_month) as last_month,
        min(month_start) as first_month
    from changes
    group by book, entity_key, property_key, account
),

months as (
    {{ month_series(
        '(select min(first_month) from accounts)',
        "(select cast(date_trunc('month', as_of_on) as date) from int_build__settings)"
    ) }}
),

month_changes as (
    select
        book,
        entity_key,
        property_key,
        account,
        month_start,
        sum(debits) as debits,
        sum(credits) as credits,
        sum(carried) as carried
    from changes
    group by book, entity_key, property_key, account, month_start
),

grid as (
    select
        accounts.*,
        months.month_start,
        cast(extract(year from months.month_start) as integer)
            + case when extract(month from months.month_start) > accounts.last_month then 1 else 0 end as fiscal_year
    from accounts
    inner join months
        on months.month_start >= accounts.first_month
),

filled as (
    select
        grid.*,
        coalesce(month_changes.debits, 0) as debits,
        coalesce(month_changes.credits, 0) as credits,
        coalesce(month_changes.carried, 0) as carried
    from grid
    left join month_changes
        on month_changes.book = grid.book
        and month_changes.entity_key = grid.entity_key
        and coalesce(month_changes.property_key, '') = coalesce(grid.property_key, '')
        and month_changes.account = grid.account
        and month_changes.month_start = grid.month_start
),

balances as (
    select
        *,
        sum(debits - credits + carried) over (
            partition by
                book, entity_key, property_key, account,
                case when is_closed_yearly then fiscal_year else 0 end
            order by month_start
        ) as closing
    from filled
),

int_trial_balance__periods as (
    select
        book,
        {{ source_system_of('entity_key', 'entity_id') }} as source_system,
        entity_key,
        entity_id,
        property_key,
        property_id,
        account,
        account_name,
        account_type,
        {{ period_of('month_start') }} as period,
        month_start as period_start,
        {{ money('closing - debits + credits') }} as opening,
        {{ money('debits') }} as debits,
        {{ money('credits') }} as credits,
        {{ money('closing') }} as closing
    from balances
)

select * from int_trial_balance__periods
