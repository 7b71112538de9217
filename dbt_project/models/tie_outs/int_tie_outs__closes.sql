-- Where each entity stands month by month: whether the month is over, closed and by whom, how many comparisons of it
-- differ, and what was dated into a closed month and booked into this one. Closing a month closes all earlier ones,
-- so a month may be closed without a close of its own; its instant is then that of the later month's close.

with int_tie_outs__all as (
    select * from {{ ref('int_tie_outs__all') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

int_late_arrivals__entries as (
    select * from {{ ref('int_late_arrivals__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_tie_outs__incomplete as (
    select * from {{ ref('int_tie_outs__incomplete') }}
),

first_months as (
    select
        entity_key,
        min({{ month_start('accounting_on') }}) as first_month
    from int_journals__entries
    group by entity_key
),

months as (
    {{ month_series(
        '(select min(first_month) from first_months)',
        "(select cast(date_trunc('month', as_of_on) as date) from int_build__settings)"
    ) }}
),

entity_months as (
    select
        entities.entity_key,
        entities.entity_id,
        entities.source_system,
        entities.name as entity_name,
        months.month_start as period_start,
        {{ month_end('months.month_start') }} as period_end,
        {{ period_of('months.month_start') }} as period
    from first_months
    inner join int_portfolio__entities as entities
        on entities.entity_key = first_months.entity_key
    inner join months
        on months.month_start >= first_months.first_month
),

closing_closes as (
    select
        entity_months.entity_key,
        entity_months.period,
        closes.closed_at,
        closes.closed_by,
        row_number() over (
            partition by entity_months.entity_key, entity_months.period
            order by closes.closed_at, closes.period
        ) as close_rank
    from entity_months
    inner join int_closes__periods as closes
        on closes.entity_key = entity_months.entity_key
        and closes.period_end >= entity_months.period_end
),

compared as (
    select
        entity_key,
        {{ period_of('as_of') }} as period,
        count(*) as tie_outs,
        count(case when difference <> 0 then 1 end) as tie_outs_that_differ
    from int_tie_outs__all
    where entity_key is not null
    group by entity_key, {{ period_of('as_of') }}
),

late as (
    select
        entity_key,
        period,
        count(*) as late_arrivals,
        sum(amount) as late_arrivals_amount
    from int_late_arrivals__entries
    group by entity_key, period
),

-- What is missing up to the end of a month leaves the books of that month incomplete, and so the balances of all later ones.
lacking as (
    select
        entity_months.entity_key,
        entity_months.period,
        count(*) as incomplete_causes
    from entity_months
    inner join int_tie_outs__incomplete as incomplete
        on
            (incomplete.entity_key is null or incomplete.entity_key = entity_months.entity_key)
            and (incomplete.period_from is null or incomplete.period_from <= entity_months.period_end)
    group by entity_months.entity_key, entity_months.period
),

int_tie_outs__closes as (
    select
        entity_months.entity_key,
        entity_months.entity_id,
        entity_months.source_system,
        entity_months.entity_name,
        entity_months.period,
        entity_months.period_start,
        entity_months.period_end,
        closing_closes.closed_at is not null as is_closed,
        closing_closes.closed_at,
        closing_closes.closed_by,
        entity_months.period_end < settings.as_of_on as is_over,
        cast(coalesce(compared.tie_outs, 0) as bigint) as tie_outs,
        cast(coalesce(compared.tie_outs_that_differ, 0) as bigint) as tie_outs_that_differ,
        cast(coalesce(late.late_arrivals, 0) as bigint) as late_arrivals,
        {{ money('coalesce(late.late_arrivals_amount, 0)') }} as late_arrivals_amount,
        {{ whole('coalesce(lacking.incomplete_causes, 0)') }} as incomplete_causes
    from entity_months
    cross join int_build__settings as settings
    left join closing_closes
        on closing_closes.entity_key = entity_months.entity_key
        and closing_closes.period = entity_months.period
        and closing_closes.close_rank = 1
    left join compared
        on compared.entity_key = entity_months.entity_key
        and compared.period = entity_months.period
    left join lacking
        on lacking.entity_key = entity_months.entity_key
        and lacking.period = entity_months.period
    left join late
        on late.entity_key = entity_months.entity_key
        and late.period = entity_months.period
)

select * from int_tie_outs__closes
