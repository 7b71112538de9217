-- Money that waits on the day the build stands on: payments and credits (or what is left of them) that found nothing to pay.
-- A liability until used; a write-off that found nothing stands here too, because it lowered the balance and paid nothing.
with int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }} where side = 'waiting'
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

daily as (
    select
        changes.item_key,
        changes.business_on,
        sum(changes.change) as change
    from int_open_items__changes as changes
    cross join int_build__settings as settings
    where changes.business_on <= settings.as_of_on
    group by changes.item_key, changes.business_on
    having sum(changes.change) <> 0
),

running as (
    select
        item_key,
        business_on,
        sum(change) over (partition by item_key order by business_on rows unbounded preceding) as waiting
    from daily
),

-- Since when some of it has waited without a break.
latest as (
    select
        item_key,
        max_by(waiting, business_on) as waiting,
        max(case when waiting = 0 then business_on end) as last_empty_on
    from running
    group by item_key
),

waiting_since as (
    select
        running.item_key,
        min(running.business_on) as waiting_since
    from running
    inner join latest on running.item_key = latest.item_key
    where latest.last_empty_on is null or running.business_on > latest.last_empty_on
    group by running.item_key
),

int_open_items__waiting as (
    select
        entries.account_key,
        entries.event_key,
        entries.source_system,
        entries.lease_key,
        entries.lease_id,
        entries.ledger_party,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.kind as source_kind,
        entries.source_table,
        entries.source_id,
        entries.description,
        entries.payer_person_key,
        entries.designation,
        cast(-entries.amount as decimal(18, 2)) as source_amount,
        cast(latest.waiting as decimal(18, 2)) as amount,
        waiting_since.waiting_since,
        entries.kind = 'write_off' as is_over_written_off
    from latest
    inner join waiting_since on latest.item_key = waiting_since.item_key
    inner join int_ledger__entries as entries on latest.item_key = entries.event_key
    where latest.waiting <> 0
)

select * from int_open_items__waiting
