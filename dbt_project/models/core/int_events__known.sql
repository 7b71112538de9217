-- When each fact counts and when the books knew it. A reversal, return or match counts from the later of its own day and
-- that of the fact it names; nothing is known before the fact it names; and what reaches a month that was closed before it
-- was accepted here is known no earlier than it was accepted. What could go wrong: a late file slipping under closed books.
with recursive int_events__facts as (
    select * from {{ ref('int_events__facts') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

stg_properties as (
    select * from {{ ref('stg_properties') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

int_closes__entities as (
    select * from {{ ref('int_closes__entities') }}
),

-- The zone in which days began for the books is the one that they first knew: a corrected zone, or a further property of
-- the entity, is a new version of reference data and moves no moment that a close fixed. What was known before the same
-- closes was known at once, whatever run brought it: there the content decides, so that batching never does.
closes_before as (
    select
        stg_properties.row_key,
        stg_properties.version_no,
        count(*) as closes
    from stg_properties
    inner join int_closes__entities as closes
        on
            stg_properties.entity_key = closes.entity_key
            and closes.registered_at < stg_properties.accepted_at
    group by stg_properties.row_key, stg_properties.version_no
),

zones as (
    select
        stg_properties.property_key,
        stg_properties.entity_key,
        stg_properties.time_zone,
        row_number() over (
            partition by stg_properties.property_key
            order by
                coalesce(closes_before.closes, 0), coalesce(stg_properties.written_at, timestamp '0001-01-01 00:00:00'),
                stg_properties.version_no, coalesce(stg_properties.valid_from, date '0001-01-01')
        ) as property_place,
        row_number() over (
            partition by stg_properties.entity_key
            order by
                coalesce(closes_before.closes, 0), coalesce(stg_properties.written_at, timestamp '0001-01-01 00:00:00'),
                stg_properties.version_no, stg_properties.property_key, coalesce(stg_properties.valid_from, date '0001-01-01')
        ) as entity_place
    from stg_properties
    left join closes_before
        on stg_properties.row_key = closes_before.row_key and stg_properties.version_no = closes_before.version_no
),

property_zones as (
    select property_key, time_zone from zones where property_place = 1
),

entity_zones as (
    select entity_key, time_zone from zones where entity_place = 1
),

-- Payments whose lease was accepted in a later run with no close in between: they were that lease's from the start, and
-- their day began where its property lies. After a close they keep the moment that the closed books gave them.
resolutions as (
    select
        facts.names_key as payment_key,
        facts.lease_key,
        leases.property_key,
        facts.unplaced_at,
        facts.accepted_at,
        facts.own_on
    from int_events__facts as facts
    inner join int_portfolio__leases as leases on facts.lease_key = leases.lease_key
    where facts.source_table = 'suspense_resolutions'
),

resolved_after_close as (
    select distinct resolutions.payment_key
    from resolutions
    inner join int_closes__properties as closes
        on
            resolutions.property_key = closes.property_key
            and closes.registered_at < resolutions.accepted_at
            and closes.registered_at >= resolutions.unplaced_at
            and closes.month_start >= {{ month_start('resolutions.own_on') }}
),

from_the_start as (
    select
        resolutions.payment_key,
        resolutions.lease_key
    from resolutions
    left join resolved_after_close on resolutions.payment_key = resolved_after_close.payment_key
    where resolved_after_close.payment_key is null
),

dated as (
    select
        facts.source_table,
        facts.source_key,
        facts.names_table,
        facts.names_key,
        facts.written_at,
        facts.is_written_in_utc,
        facts.accepted_at,
        facts.unplaced_at,
        leases.property_key,
        facts.stated_entity_key,
        coalesce(property_zones.time_zone, entity_zones.time_zone, 'UTC') as time_zone,
        case
            when facts.counts_from_named then greatest(facts.own_on, coalesce(named.own_on, facts.own_on))
            else facts.own_on
        end as business_on
    from int_events__facts as facts
    left join int_events__facts as named
        on facts.names_table = named.source_table and facts.names_key = named.source_key
    left join from_the_start
        on
            facts.lease_key is null
            and facts.source_table in ('payments', 'payment_reversals')
            and from_the_start.payment_key = case when facts.source_table = 'payments' then facts.source_key else facts.names_key end
    left join int_portfolio__leases as leases on coalesce(facts.lease_key, from_the_start.lease_key) = leases.lease_key
    left join property_zones on leases.property_key = property_zones.property_key
    left join entity_zones on facts.stated_entity_key = entity_zones.entity_key
),

recorded as (
    select
        dated.*,
        written_at is null as recorded_assumed,
        case
            when written_at is null then {{ local_to_utc('cast(business_on as timestamp)', 'time_zone') }}
            when is_written_in_utc then written_at
            else {{ local_to_utc('written_at', 'time_zone') }}
        end as recorded_at
    from dated
),

-- Closes that were registered here before the fact was accepted, and that it would slip under.
reached_by_property as (
    select distinct
        recorded.source_table,
        recorded.source_key
    from recorded
    inner join int_closes__properties as closes
        on
            recorded.property_key = closes.property_key
            and closes.registered_at < recorded.accepted_at
            and (recorded.unplaced_at is null or closes.registered_at >= recorded.unplaced_at)
            and closes.month_start >= {{ month_start('recorded.business_on') }}
            and (recorded.recorded_assumed or recorded.recorded_at <= closes.known_after)
),

reached_by_entity as (
    select distinct
        recorded.source_table,
        recorded.source_key
    from recorded
    inner join int_closes__entities as closes
        on
            recorded.property_key is null
            and recorded.stated_entity_key = closes.entity_key
            and closes.registered_at < recorded.accepted_at
            and (recorded.unplaced_at is null or closes.registered_at >= recorded.unplaced_at)
            and closes.month_start >= {{ month_start('recorded.business_on') }}
            and (recorded.recorded_assumed or recorded.recorded_at <= closes.known_after)
),

reached as (
    select * from reached_by_property
    union all
    select * from reached_by_entity
),

accepted as (
    select
        recorded.*,
        case when reached.source_key is null then recorded.recorded_at else greatest(recorded.recorded_at, recorded.accepted_at) end as own_known_at
    from recorded
    left join reached on recorded.source_table = reached.source_table and recorded.source_key = reached.source_key
),

-- All that a fact names, directly or through what that names. Whoever names a payment that was matched names the match too,
-- because that payment stands on the account only from the match on. Returns do not: they sit in suspense with their payment.
naming as (
    select source_table, source_key, names_table, names_key
    from accepted
    where names_key is not null
    union all
    select
        accepted.source_table,
        accepted.source_key,
        matches.source_table as names_table,
        matches.source_key as names_key
    from accepted
    inner join accepted as matches
        on
            accepted.names_table = 'payments'
            and matches.names_table = 'payments'
            and accepted.names_key = matches.names_key
            and matches.source_table in ('payment_matches', 'suspense_resolutions')
    where accepted.source_table = 'payments'
),

lineage as (
    select source_table, source_key, names_table, names_key
    from naming
    union
    select
        lineage.source_table,
        lineage.source_key,
        naming.names_table,
        naming.names_key
    from lineage
    inner join naming on lineage.names_table = naming.source_table and lineage.names_key = naming.source_key
),

named_known as (
    select
        lineage.source_table,
        lineage.source_key,
        max(accepted.own_known_at) as known_at
    from lineage
    inner join accepted on lineage.names_table = accepted.source_table and lineage.names_key = accepted.source_key
    group by lineage.source_table, lineage.source_key
),

int_events__known as (
    select
        accepted.source_table,
        accepted.source_key,
        accepted.property_key,
        accepted.business_on,
        greatest(accepted.own_known_at, coalesce(named_known.known_at, accepted.own_known_at)) as known_at,
        accepted.recorded_assumed
    from accepted
    left join named_known on accepted.source_table = named_known.source_table and accepted.source_key = named_known.source_key
)

select * from int_events__known
