-- Which entries give a concession, or take one back: the credits and charges that named it when they came, or came by its
-- schedule, and the reversals of these. What could go wrong: an entry that is linked to a concession afterwards; the
-- books have then shown it by itself, so only what its first row says counts.
with stg_charges as (
    select * from {{ ref('stg_charges') }}
),

int_portfolio__concessions as (
    select * from {{ ref('int_portfolio__concessions') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

concessions as (
    select
        concession_key,
        min(schedule_key) as schedule_key
    from int_portfolio__concessions
    where place = 1
    group by concession_key
),

named as (
    select
        charges.charge_key,
        charges.lease_key,
        coalesce(by_name.concession_key, by_schedule.concession_key) as concession_key
    from stg_charges as charges
    left join concessions as by_name on charges.first_concession_key = by_name.concession_key
    left join (
        select
            schedule_key,
            min(concession_key) as concession_key
        from concessions
        where schedule_key is not null
        group by schedule_key
    ) as by_schedule on charges.first_schedule_key = by_schedule.schedule_key
    where coalesce(by_name.concession_key, by_schedule.concession_key) is not null
),

int_events__concessions as (
    select
        entries.event_key,
        named.concession_key
    from int_events__entries as entries
    left join int_events__entries as reversed
        on
            entries.names_event_key = reversed.event_key
            and entries.kind = 'charge_reversal'
    inner join named on coalesce(reversed.source_key, entries.source_key) = named.charge_key
    where entries.source_table = 'charges'
)

select * from int_events__concessions
