-- Who owned each property on each day that aging is reported for, as the books know it.
-- What could go wrong: a property without an owner on a day, or with two, and its accounts in no report or in two.
with int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_aging__points as (
    select * from {{ ref('int_aging__points') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

int_aging__owners as (
    select
        points.as_of,
        owners.property_key,
        max_by(owners.entity_key, owners.valid_from) as entity_key,
        max_by(owners.entity_id, owners.valid_from) as entity_id
    from int_portfolio__owners as owners
    cross join int_build__settings as settings
    inner join int_aging__points as points on owners.valid_from <= points.as_of
    where {{ known_when('owners', 'settings.loaded_at') }}
    group by points.as_of, owners.property_key
)

select * from int_aging__owners
