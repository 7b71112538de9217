-- From which instant on a property's months count as closed. The owner's closes count; where the property changed hands
-- a month counts as closed once the new owner closed it or, up to the month of the sale, the old one did.
-- A row says: what becomes known after known_after (and up to known_until) is booked on open_from at the earliest.
with int_closes__reaching as (
    select * from {{ ref('int_closes__reaching') }}
),

instants as (
    select
        property_key,
        closed_at,
        min(registered_at) as registered_at,
        max(month_start) as closed_month
    from int_closes__reaching
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
