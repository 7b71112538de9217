-- Days on which a calendar is closed beside Saturdays and Sundays, each with who says so.
-- What could go wrong: a day after the calendar's last year, for which nothing is known; such a day is never called open.
with stg_calendar_days as (
    select * from {{ ref('stg_calendar_days') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_calendar_days group by row_key
),

reach as (
    select
        calendar_id,
        cast(date_trunc('year', min(day)) as date) as known_from_on,
        {{ add_days(add_months("cast(date_trunc('year', max(day)) as date)", 12), -1) }} as known_to_on
    from stg_calendar_days
    group by calendar_id
),

rule_closed_days as (
    select
        days.calendar_id,
        days.day as closed_on,
        days.name,
        days.source,
        reach.known_from_on,
        reach.known_to_on
    from stg_calendar_days as days
    inner join latest on days.row_key = latest.row_key and days.version_no = latest.version_no
    inner join reach on days.calendar_id = reach.calendar_id
)

select * from rule_closed_days
