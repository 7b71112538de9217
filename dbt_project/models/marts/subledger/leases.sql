-- Leases as they are described now, with the names that pages and documents show.
-- Terms that money is applied by are read as known when it was applied; this is only how they read today.
with int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

leases as (
    select
        leases.source_system,
        leases.lease_id,
        leases.property_id,
        properties.name as property_name,
        properties.time_zone,
        properties.jurisdiction,
        properties.entity_id,
        entities.name as entity_name,
        entities.currency,
        entities.operator_name,
        leases.unit_id,
        leases.unit_number,
        leases.program,
        leases.billing,
        leases.resident_names,
        leases.start_on,
        leases.end_on,
        leases.move_in_on,
        leases.move_out_on,
        leases.rent_due_day
    from int_portfolio__leases as leases
    cross join int_build__settings as settings
    left join int_portfolio__properties as properties
        on
            leases.property_key = properties.property_key
            and properties.valid_from <= settings.as_of_on
            and (properties.valid_to is null or settings.as_of_on < properties.valid_to)
    left join int_portfolio__entities as entities on properties.entity_key = entities.entity_key
)

select * from leases
