-- Which close of an owner reaches which months of a property: all up to its own, or, where the property was sold by then,
-- up to the month of the sale.
-- What could go wrong: an owner who becomes known here later, whose earlier closes move what was booked without them. So
-- they count from the moment just before that, and what had been known until then stands where it stood.
with int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

-- Who began to own a property when, and from when until when the books said so.
owned as (
    select
        property_key,
        entity_key,
        valid_from,
        min(coalesce(known_from, timestamp '0001-01-01 00:00:00')) as known_from,
        case when count(*) = count(known_to) then max(known_to) end as known_to
    from int_portfolio__owners
    group by property_key, entity_key, valid_from
),

reaching as (
    select
        owned.property_key,
        owned.entity_key,
        owned.valid_from,
        closes.period_start,
        greatest(closes.closed_at, owned.known_from - interval '1' microsecond) as closed_at,
        greatest(closes.registered_at, owned.known_from) as registered_at
    from owned
    inner join int_closes__periods as closes
        on
            owned.entity_key = closes.entity_key
            and (owned.known_to is null or closes.closed_at < owned.known_to)
),

-- An old owner's close reaches no further than the month of the sale, once the sale is known: the first known by then.
int_closes__reaching as (
    select
        reaching.property_key,
        reaching.entity_key,
        reaching.valid_from,
        reaching.period_start,
        reaching.closed_at,
        reaching.registered_at,
        least(
            reaching.period_start, coalesce({{ month_start('min(later.valid_from)') }}, reaching.period_start)
        ) as month_start
    from reaching
    left join owned as later
        on
            reaching.property_key = later.property_key
            and reaching.valid_from < later.valid_from
            and reaching.entity_key <> later.entity_key
            and later.known_from <= reaching.closed_at + interval '1' microsecond
    group by
        reaching.property_key, reaching.entity_key, reaching.valid_from, reaching.period_start, reaching.closed_at,
        reaching.registered_at
)

select * from int_closes__reaching
