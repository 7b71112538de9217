-- The same steps for what each owner earned at a property: an entry of the days of an owner who sold has one side in their
-- books, so it is booked when a month is open both there and for the property. Their own closes reach as far as they say.
-- A row says: what becomes known after known_after (and up to known_until) is booked on open_from at the earliest.
with int_closes__reaching as (
    select * from {{ ref('int_closes__reaching') }}
),

int_portfolio__owners as (
    select distinct
        property_key,
        entity_key
    from {{ ref('int_portfolio__owners') }}
),

instants as (
    select
        owners.property_key,
        owners.entity_key,
        closes.closed_at,
        max(case when closes.entity_key = owners.entity_key then closes.period_start else closes.closed_month end) as closed_month
    from int_portfolio__owners as owners
    inner join int_closes__reaching as closes on owners.property_key = closes.property_key
    group by owners.property_key, owners.entity_key, closes.closed_at
),

stepped as (
    select
        property_key,
        entity_key,
        closed_at as known_after,
        lead(closed_at) over (partition by property_key, entity_key order by closed_at) as known_until,
        max(closed_month) over (
            partition by property_key, entity_key order by closed_at rows unbounded preceding
        ) as closed_through
    from instants
),

int_closes__owners as (
    select
        property_key,
        entity_key,
        known_after,
        known_until,
        {{ add_months('closed_through', 1) }} as open_from
    from stepped
)

select * from int_closes__owners
