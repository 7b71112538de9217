-- Which forums hear a claim for rent of a property on the build's day: for each purpose those of the most local
-- jurisdiction that has any, in the version in force on that day as the books know it, and the built-in one everywhere.
-- What could go wrong: two versions of one forum on one day, and every figure of it twice.
with rule_forums as (
    select * from {{ ref('rule_forums') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

places as (
    select
        owners.property_key,
        max_by(owners.jurisdiction, {{ owner_fit('owners', 'settings.as_of_on') }}) as jurisdiction,
        max(settings.as_of_on) as as_of_on,
        max(settings.loaded_at) as loaded_at
    from int_portfolio__owners as owners
    cross join int_build__settings as settings
    where {{ known_when('owners', 'settings.loaded_at') }}
    group by owners.property_key
),

candidates as (
    select
        places.property_key,
        places.jurisdiction as place,
        places.as_of_on,
        forums.*,
        rank() over (
            partition by places.property_key, forums.purpose, forums.jurisdiction is null
            order by length(forums.jurisdiction) desc
        ) as locality_rank,
        row_number() over (
            partition by places.property_key, forums.forum
            order by length(forums.jurisdiction) desc, forums.valid_from desc, forums.version desc
        ) as version_rank
    from places
    inner join rule_forums as forums
        on
            (forums.jurisdiction is null or {{ covers_place('forums.jurisdiction', 'places.jurisdiction') }})
            and {{ holds_on('forums', 'places.as_of_on') }}
            and {{ known_when('forums', 'places.loaded_at') }}
),

int_arrears__forums as (
    select
        forum,
        property_key,
        version as forum_version,
        place as jurisdiction,
        jurisdiction is null as is_built_in,
        purpose,
        money_order,
        window_months,
        rent_deposit,
        citation,
        as_of_on
    from candidates
    where locality_rank = 1 and version_rank = 1
)

select * from int_arrears__forums
