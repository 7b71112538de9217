-- The accounting calendar: which closes of a month count, and from which instant. A close changes nothing, and is only
-- listed, where the month was closed here already, was not over, or was signed later than the run that brought it.
-- What could go wrong: an ineffective close that still pushes entries out of its month.
with stg_period_closes as (
    select * from {{ ref('stg_period_closes') }}
),

stg_properties as (
    select * from {{ ref('stg_properties') }}
),

entity_zones as (
    select entity_key, min_by(time_zone, property_key || ' ' || cast(version_no as string)) as time_zone
    from stg_properties
    group by entity_key
),

instants as (
    select
        closes.*,
        coalesce(entity_zones.time_zone, 'UTC') as time_zone,
        case
            when closes.is_closed_at_in_utc then closes.closed_at
            else {{ local_to_utc('closes.closed_at', "coalesce(entity_zones.time_zone, 'UTC')") }}
        end as closed_at_utc,
        {{ period_start('closes.period') }} as period_start,
        {{ month_end(period_start('closes.period')) }} as period_end
    from stg_period_closes as closes
    left join entity_zones on closes.entity_key = entity_zones.entity_key
),

judged as (
    select
        instants.*,
        case
            when {{ local_day('closed_at_utc', 'time_zone') }} <= period_end then 'not_over'
            when closed_at_utc > registered_at then 'closed_later_than_its_run'
        end as refused_because
    from instants
),

ordered as (
    select
        judged.*,
        max(case when refused_because is null then period end) over (
            partition by entity_key
            order by registered_at, period, row_key
            rows between unbounded preceding and 1 preceding
        ) as closed_through_before
    from judged
),

rule_closes as (
    select
        entity_key,
        entity_id,
        period,
        period_start,
        period_end,
        closed_at_utc as closed_at,
        registered_at,
        closed_by,
        coalesce(refused_because, case when closed_through_before >= period then 'closed_already' end) as refused_because
    from ordered
)

select * from rule_closes
