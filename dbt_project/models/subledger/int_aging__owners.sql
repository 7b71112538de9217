-- Who owned each property on each day that aging is reported for: by business dates as the books know it, and by the books
-- the one in whose books the property stood, which a sale that is heard of after a close moves later than its day.
-- What could go wrong: a property without an owner on a day, or with two, and its accounts in no report or in two.
with int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_owners__periods as (
    select * from {{ ref('int_owners__periods') }}
),

int_aging__points as (
    select * from {{ ref('int_aging__points') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

by_day as (
    select
        points.as_of,
        owners.property_key,
        max_by(owners.entity_key, {{ owner_fit('owners', 'points.as_of') }}) as entity_key,
        max_by(owners.entity_id, {{ owner_fit('owners', 'points.as_of') }}) as entity_id
    from int_portfolio__owners as owners
    cross join int_build__settings as settings
    cross join int_aging__points as points
    where {{ known_when('owners', 'settings.loaded_at') }}
    group by points.as_of, owners.property_key
),

by_books as (
    select
        points.as_of,
        periods.property_key,
        max_by(periods.entity_key, periods.owned_from) as entity_key,
        max_by(periods.entity_id, periods.owned_from) as entity_id
    from int_owners__periods as periods
    cross join int_build__settings as settings
    inner join int_aging__points as points on periods.owned_from <= points.as_of
    where periods.from_entity_key is null or periods.sold_at <= settings.loaded_at
    group by points.as_of, periods.property_key
),

int_aging__owners as (
    select
        as_of,
        'business' as basis,
        property_key,
        entity_key,
        entity_id
    from by_day
    union all
    select
        by_day.as_of,
        'books',
        by_day.property_key,
        coalesce(by_books.entity_key, by_day.entity_key),
        coalesce(by_books.entity_id, by_day.entity_id)
    from by_day
    left join by_books on by_day.property_key = by_books.property_key and by_day.as_of = by_books.as_of
)

select * from int_aging__owners
