-- Properties as they are described now, a row per range of dates: owner, jurisdiction and time zone may change.
-- A row ends where the next one of its property begins, whether or not its source says so.
with stg_properties as (
    select * from {{ ref('stg_properties') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_properties group by row_key
),

current_rows as (
    select stg_properties.*
    from stg_properties
    inner join latest on stg_properties.row_key = latest.row_key and stg_properties.version_no = latest.version_no
),

int_portfolio__properties as (
    select
        property_key,
        property_id,
        source_system,
        entity_key,
        entity_id,
        name,
        jurisdiction,
        time_zone,
        structure_units,
        -- Null: nobody said. A law that asks is then not proved either way.
        case when has_local_office then 'true' when not has_local_office then 'false' end as local_office,
        -- Under the thirty day method: a month is 30 days long, so that the 31st is not counted.
        coalesce(thirty_day_month_days, 'actual') <> 'actual' as has_thirty_day_months,
        case
            when lag(property_key) over (partition by property_key order by coalesce(valid_from, date '0001-01-01')) is null
                then date '0001-01-01'
            else valid_from
        end as valid_from,
        lead(valid_from) over (partition by property_key order by coalesce(valid_from, date '0001-01-01')) as valid_to
    from current_rows
)

select * from int_portfolio__properties
