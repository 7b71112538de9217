-- Who owned a property when, for the properties that changed hands; a property that never did has no row here and keeps
-- the entity of its entries. Versions of a property that only change a name or a jurisdiction are one period.
-- What could go wrong: two versions in force on one day would give a line two owners, so the grain test stands on both.

with int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

versions as (
    select
        property_key,
        property_id,
        entity_key,
        entity_id,
        valid_from,
        lag(entity_key) over (partition by property_key order by valid_from) as from_entity_key,
        lag(entity_id) over (partition by property_key order by valid_from) as from_entity_id
    from int_portfolio__properties
),

changes as (
    select *
    from versions
    where from_entity_key is null or from_entity_key <> entity_key
),

periods as (
    select
        property_key,
        property_id,
        entity_key,
        entity_id,
        from_entity_key,
        from_entity_id,
        valid_from as owned_from,
        lead(valid_from) over (partition by property_key order by valid_from) as owned_to,
        count(*) over (partition by property_key) as owners
    from changes
),

int_owners__periods as (
    select
        property_key,
        property_id,
        entity_key,
        entity_id,
        from_entity_key,
        from_entity_id,
        coalesce(owned_from, cast('0001-01-01' as date)) as owned_from,
        owned_to
    from periods
    where owners > 1
)

select * from int_owners__periods
