-- Whose books a property stood in when, for the properties that changed hands; a property that never did has no row here
-- and keeps the entity of its entries. The books move on the first day of the new owner, or, where a sale became known
-- only after one of the two had closed that month, on the first day that was open to both: a closed month never moves.
-- Versions of a property that only change a name or a jurisdiction are one period.

with int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }} where known_to is null
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

versions as (
    select
        property_key,
        property_id,
        entity_key,
        entity_id,
        valid_from,
        known_from,
        lag(entity_key) over (partition by property_key order by valid_from) as from_entity_key,
        lag(entity_id) over (partition by property_key order by valid_from) as from_entity_id
    from int_portfolio__owners
),

changes as (
    select *
    from versions
    where from_entity_key is null or from_entity_key <> entity_key
),

open_days as (
    select
        changes.property_key,
        changes.valid_from,
        {{ add_months('max(closes.period_start)', 1) }} as open_from
    from changes
    inner join int_closes__periods as closes
        on closes.entity_key in (changes.entity_key, changes.from_entity_key)
        and closes.closed_at < changes.known_from
    group by changes.property_key, changes.valid_from
),

starts as (
    select
        changes.property_key,
        changes.property_id,
        changes.entity_key,
        changes.entity_id,
        changes.from_entity_key,
        changes.from_entity_id,
        case
            when changes.from_entity_key is null then cast('0001-01-01' as date)
            else {{ accounting_day('changes.valid_from', 'open_days.open_from') }}
        end as owned_from,
        greatest(
            cast(changes.valid_from as timestamp), coalesce(changes.known_from, cast(changes.valid_from as timestamp))
        ) as sold_at
    from changes
    left join open_days
        on open_days.property_key = changes.property_key
        and open_days.valid_from = changes.valid_from
),

periods as (
    select
        *,
        lead(owned_from) over (partition by property_key order by owned_from) as owned_to,
        count(*) over (partition by property_key) as owners
    from starts
),

int_owners__periods as (
    select
        property_key,
        property_id,
        entity_key,
        entity_id,
        from_entity_key,
        from_entity_id,
        owned_from,
        owned_to,
        sold_at
    from periods
    where owners > 1
)

select * from int_owners__periods
