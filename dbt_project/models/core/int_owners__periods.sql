-- Whose books a property stood in when, for the properties that changed hands; a property that never did has no row here
-- and keeps the entity of its entries. The books move on the first day of the new owner, or, where a row of an owner
-- became known only after that month was closed for the property, on the first day that was open then: a closed month
-- never moves, and an earlier owner who is heard of late gets the days of theirs that were open still, if any were.
-- Versions of a property that only change a name or a jurisdiction are one period.

with int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

-- Owners as they stand now, each with the moment from which the books knew of them (null: always).
versions as (
    select
        property_key,
        property_id,
        entity_key,
        entity_id,
        valid_from,
        case when count(*) = count(known_from) then min(known_from) end as known_from
    from int_portfolio__owners
    group by property_key, property_id, entity_key, entity_id, valid_from
    having count(*) > count(known_to)
),

-- What the books first knew stands for all days before it, too.
firsts as (
    select
        property_key,
        min(valid_from) as valid_from
    from versions
    where known_from is null
    group by property_key
),

sold as (
    select property_key
    from versions
    group by property_key
    having count(distinct entity_key) > 1
),

booked as (
    select
        versions.*,
        case
            when firsts.property_key is not null then cast('0001-01-01' as date)
            else {{ accounting_day('versions.valid_from', 'closes.open_from') }}
        end as booked_from
    from versions
    inner join sold on versions.property_key = sold.property_key
    left join firsts on versions.property_key = firsts.property_key and versions.valid_from = firsts.valid_from
    left join int_closes__properties as closes
        on
            versions.property_key = closes.property_key
            and {{ stands_on('closes', 'versions.known_from') }}
),

days as (
    select property_key, booked_from as owned_from from booked
    union
    select property_key, valid_from from booked where valid_from > booked_from
),

owners as (
    select
        days.property_key,
        days.owned_from,
        max_by(booked.property_id, {{ owner_fit('booked', 'days.owned_from') }}) as property_id,
        max_by(booked.entity_key, {{ owner_fit('booked', 'days.owned_from') }}) as entity_key,
        max_by(booked.entity_id, {{ owner_fit('booked', 'days.owned_from') }}) as entity_id,
        max_by(
            greatest(cast(booked.valid_from as timestamp), coalesce(booked.known_from, cast(booked.valid_from as timestamp))),
            {{ owner_fit('booked', 'days.owned_from') }}
        ) as known_at
    from days
    inner join booked
        on
            days.property_key = booked.property_key
            and booked.booked_from <= days.owned_from
    group by days.property_key, days.owned_from
),

followed as (
    select
        *,
        lag(entity_key) over (partition by property_key order by owned_from) as from_entity_key,
        lag(entity_id) over (partition by property_key order by owned_from) as from_entity_id,
        lag(known_at) over (partition by property_key order by owned_from) as from_known_at
    from owners
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
        lead(owned_from) over (partition by property_key order by owned_from) as owned_to,
        greatest(known_at, coalesce(from_known_at, known_at)) as sold_at
    from followed
    where from_entity_key is null or from_entity_key <> entity_key
)

select * from int_owners__periods
