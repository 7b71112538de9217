-- Which entity owned a property, under which law it stood and in which time zone, as the books knew it at each moment.
-- A row ends where a later row of its property that was known by then begins: the later start wins, so ends are not needed.
-- What could go wrong: an earlier owner's row, landed late, that answers for the days of the owner after it (owner_fit).
with stg_properties as (
    select * from {{ ref('stg_properties') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

{{ known_versions('stg_properties', 'int_closes__periods', ['property_key']) }},

int_portfolio__owners as (
    select
        cast(row_number() over (order by property_key, coalesce(valid_from, date '0001-01-01'), row_key, version_no) as bigint) as owner_key,
        property_key,
        property_id,
        entity_key,
        entity_id,
        jurisdiction,
        time_zone,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        known_from,
        known_to,
        place
    from known_versions
)

select * from int_portfolio__owners
