-- From which instant on a property's months count as closed. The owner's closes count; where the property changed hands
-- a month counts as closed once the new owner closed it or, up to the month of the sale, the old one did.
-- A row says: what becomes known after known_after (and up to known_until) is booked on open_from at the earliest.
with int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

-- When the books learned of each sale: until then the old owner's closes reach as far as they say.
sales as (
    select
        property_key,
        valid_from,
        min(coalesce(known_from, timestamp '0001-01-01 00:00:00')) as known_from
    from int_portfolio__owners
    group by property_key, valid_from
),

owned as (
    select
        properties.property_key,
        closes.closed_at,
        closes.registered_at,
        -- An old owner's close, once the sale is known, reaches no further than the month of the sale.
        case
            when properties.valid_to is null or closes.closed_at < sales.known_from then closes.period_start
            else least(closes.period_start, {{ month_start('properties.valid_to') }})
        end as closed_month
    from int_portfolio__properties as properties
    inner join int_closes__periods as closes on properties.entity_key = closes.entity_key
    left join sales on properties.property_key = sales.property_key and properties.valid_to = sales.valid_from
),

instants as (
    select
        property_key,
        closed_at,
        min(registered_at) as registered_at,
        max(closed_month) as closed_month
    from owned
    group by property_key, closed_at
),

stepped as (
    select
        property_key,
        closed_at as known_after,
        lead(closed_at) over (partition by property_key order by closed_at) as known_until,
        registered_at,
        closed_month,
        max(closed_month) over (partition by property_key order by closed_at rows unbounded preceding) as closed_through
    from instants
),

int_closes__properties as (
    select
        property_key,
        known_after,
        known_until,
        registered_at,
        closed_month as month_start,
        {{ add_months('closed_through', 1) }} as open_from
    from stepped
)

select * from int_closes__properties
