-- What was expected against what came: a row per promised batch, with the first file that brought it. A file brings the
-- period that its name says; without one, every period in which a row of it is dated, if it landed on or after the last
-- day of that period, because a file of the fifth says nothing about the sixth. A table whose rows have no day is brought
-- by any file that landed then. What could go wrong: a month called complete because of a row on its first day.
with stg_expected_batches as (
    select * from {{ ref('stg_expected_batches') }}
),

stg_batches as (
    select * from {{ ref('stg_batches') }}
),

stg_batch_days as (
    select * from {{ ref('stg_batch_days') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_expected_batches group by row_key
),

promises as (
    select
        expected.*,
        case
            when expected.period_grain = 'day' then expected.valid_from
            when expected.period_grain = 'week' then {{ week_start(add_days('expected.valid_from', 6)) }}
            when expected.valid_from = {{ month_start('expected.valid_from') }} then expected.valid_from
            else {{ add_months(month_start('expected.valid_from'), 1) }}
        end as first_from,
        least(coalesce({{ add_days('expected.valid_to', -1) }}, settings.as_of_on), settings.as_of_on) as last_from,
        settings.as_of_on
    from stg_expected_batches as expected
    inner join latest on expected.row_key = latest.row_key and expected.version_no = latest.version_no
    cross join int_build__settings as settings
),

counted as (
    select
        *,
        case
            when last_from < first_from then 0
            when period_grain = 'day' then {{ days_between('first_from', 'last_from') }} + 1
            when period_grain = 'week'
                then {{ whole_quotient(days_between('first_from', 'last_from'), '7') }} + 1
            else
                (extract(year from last_from) - extract(year from first_from)) * 12
                + extract(month from last_from) - extract(month from first_from) + 1
        end as periods
    from promises
),

numbered as (
    {{ expand_range(
        'counted',
        'row_key, source_system, table_name, period_grain, due_days, entity_key, entity_id, property_key, property_id, first_from, as_of_on',
        '0', 'cast(periods as integer)', 'period_no'
    ) }}
),

started as (
    select
        *,
        case
            when period_grain = 'day' then {{ add_days('first_from', 'period_no') }}
            when period_grain = 'week' then {{ add_days('first_from', '7 * period_no') }}
            else {{ add_months('first_from', 'period_no') }}
        end as period_from
    from numbered
),

ended as (
    select
        *,
        case
            when period_grain = 'day' then period_from
            when period_grain = 'week' then {{ add_days('period_from', 6) }}
            else {{ month_end('period_from') }}
        end as period_to
    from started
),

expected as (
    select
        ended.*,
        {{ add_days('ended.period_to', 'ended.due_days') }} as due_on,
        coalesce(ended.entity_key, owners.entity_key) as payee_key,
        coalesce(ended.entity_id, owners.entity_id) as payee_id
    from ended
    left join int_portfolio__properties as owners
        on ended.property_key = owners.property_key and {{ holds_on('owners', 'ended.period_to') }}
),

-- The entity of a landed row: the one it names, else the owner of its property on its day.
came as (
    select
        batches.batch_id,
        batches.table_name,
        days.source_system,
        days.business_on,
        days.is_dated,
        days.rows_landed,
        days.property_key,
        coalesce(days.entity_key, owners.entity_key) as entity_key,
        batches.named_period,
        cast(batches.loaded_at as date) as landed_on
    from stg_batches as batches
    inner join stg_batch_days as days on batches.batch_id = days.batch_id
    left join int_portfolio__properties as owners
        on
            days.property_key = owners.property_key
            and {{ holds_on('owners', 'coalesce(days.business_on, cast(batches.loaded_at as date))') }}
    where batches.status = 'loaded'
),

brought as (
    select
        expected.row_key,
        expected.period_from,
        came.batch_id,
        came.landed_on
    from expected
    inner join came
        on
            expected.source_system = came.source_system
            and expected.table_name = came.table_name
            and (expected.property_key is null or expected.property_key = came.property_key)
            and (expected.entity_key is null or expected.entity_key = came.entity_key)
            and case
                when expected.period_grain = 'month' and length(came.named_period) = 7
                    then came.named_period = {{ period_of('expected.period_from') }}
                when expected.period_grain = 'day' and length(came.named_period) = 10
                    then came.named_period = cast(expected.period_from as {{ dbt.type_string() }})
                else
                    came.landed_on >= expected.period_to
                    and case
                        when came.is_dated then came.business_on between expected.period_from and expected.period_to
                        else came.rows_landed > 0
                    end
            end
),

arrivals as (
    select
        row_key,
        period_from,
        count(distinct batch_id) as batches,
        min(landed_on) as arrived_on
    from brought
    group by row_key, period_from
),

refused as (
    select source_system, table_name, max(file) as file from stg_batches where status = 'refused' group by source_system, table_name
),

int_completeness__batches as (
    select
        expected.row_key,
        expected.source_system,
        expected.table_name,
        expected.period_grain,
        expected.period_from,
        expected.period_to,
        expected.payee_key as entity_key,
        expected.payee_id as entity_id,
        expected.property_key,
        expected.property_id,
        expected.due_on,
        arrivals.arrived_on,
        {{ whole('coalesce(arrivals.batches, 0)') }} as batches,
        case
            when arrivals.arrived_on <= expected.due_on then 'arrived'
            when arrivals.arrived_on is not null then 'late'
            when expected.as_of_on <= expected.due_on then 'expected'
            when refused.file is not null then 'refused'
            else 'missing'
        end as status
    from expected
    left join arrivals on expected.row_key = arrivals.row_key and expected.period_from = arrivals.period_from
    left join refused on expected.source_system = refused.source_system and expected.table_name = refused.table_name
)

select * from int_completeness__batches
