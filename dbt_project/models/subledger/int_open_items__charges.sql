-- What is open on the day the build stands on, charge by charge, with what was paid of it.
-- Reversed charges and later-dated entries are not in it; a refund that found no credit is.
with int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }} where side = 'open'
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

open_amounts as (
    select
        changes.item_key,
        cast(sum(changes.change) as decimal(18, 2)) as open_amount
    from int_open_items__changes as changes
    cross join int_build__settings as settings
    where changes.business_on <= settings.as_of_on
    group by changes.item_key
    having sum(changes.change) <> 0
),

int_open_items__charges as (
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
        entries.kind,
        entries.source_table,
        entries.source_id as charge_id,
        entries.charge_code,
        entries.category,
        entries.counts_as_rent,
        entries.description,
        entries.service_from,
        entries.service_to,
        entries.business_on as posted_on,
        entries.due_on,
        entries.due_defaulted,
        entries.amount,
        cast(entries.amount - open_amounts.open_amount as decimal(18, 2)) as applied_amount,
        open_amounts.open_amount
    from open_amounts
    inner join int_ledger__entries as entries on open_amounts.item_key = entries.event_key
)

select * from int_open_items__charges
