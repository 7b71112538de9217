-- Properties, a row per range of dates in which owner, jurisdiction and time zone stayed the same.
-- The row that holds on the build's day is marked; the others are history or to come.
with int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

properties as (
    select
        properties.source_system,
        properties.property_id,
        properties.name,
        properties.entity_id,
        entities.name as entity_name,
        entities.currency,
        entities.operator_name,
        properties.jurisdiction,
        properties.time_zone,
        properties.valid_from,
        properties.valid_to,
        properties.valid_from <= settings.as_of_on
        and (properties.valid_to is null or settings.as_of_on < properties.valid_to) as is_current
    from int_portfolio__properties as properties
    cross join int_build__settings as settings
    left join int_portfolio__entities as entities on properties.entity_key = entities.entity_key
)

select * from properties
