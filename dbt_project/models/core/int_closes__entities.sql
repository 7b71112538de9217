-- The same steps for an entity itself: what it holds without a property (suspense) is booked by its own closes.
-- A row says: what becomes known after known_after (and up to known_until) is booked on open_from at the earliest.
with int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

instants as (
    select
        entity_key,
        closed_at,
        min(registered_at) as registered_at,
        max(period_start) as closed_month
    from int_closes__periods
    group by entity_key, closed_at
),

stepped as (
    select
        entity_key,
        closed_at as known_after,
        lead(closed_at) over (partition by entity_key order by closed_at) as known_until,
        registered_at,
        closed_month,
        max(closed_month) over (partition by entity_key order by closed_at rows unbounded preceding) as closed_through
    from instants
),

int_closes__entities as (
    select
        entity_key,
        known_after,
        known_until,
        registered_at,
        closed_month as month_start,
        {{ add_months('closed_through', 1) }} as open_from
    from stepped
)

select * from int_closes__entities
