-- The days that aging is reported for: every month end from the first entry on, and the day the build stands on.
-- They are numbered, so that an item's open amount is carried from one change to the next without a join over dates.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

bounds as (
    select
        min(entries.business_on) as first_on,
        max(settings.as_of_on) as as_of_on
    from int_ledger__entries as entries
    cross join int_build__settings as settings
    where entries.business_on <= settings.as_of_on
),

months as (
    {{ month_series("(select date_trunc('month', first_on) from bounds)", "(select date_trunc('month', as_of_on) from bounds)") }}
),

days as (
    select least({{ month_end('months.month_start') }}, bounds.as_of_on) as as_of
    from months
    cross join bounds
),

int_aging__points as (
    select
        as_of,
        row_number() over (order by as_of) as point_no,
        as_of = max(as_of) over () as is_as_of_day
    from days
)

select * from int_aging__points
