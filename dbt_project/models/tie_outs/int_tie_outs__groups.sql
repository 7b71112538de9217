-- For whom the comparisons stand and since when: parties of properties, properties, entities, each from the first entry of
-- its property or entity. A comparison without movements stands at zero on both sides rather than not at all, because a
-- missing row cannot be told from a comparison that nobody made.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

stands as (
    select
        entity_key, entity_id, property_key, property_id, ledger_party, min(business_on) as first_on
    from int_ledger__entries
    group by entity_key, entity_id, property_key, property_id, ledger_party
    union all
    select
        entity_key, entity_id, property_key, property_id, ledger_party, min(accounting_on)
    from int_journals__entries
    group by entity_key, entity_id, property_key, property_id, ledger_party
),

properties as (
    select
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        min(first_on) as first_on
    from stands
    group by entity_key, property_key
),

parties as (
    select distinct
        entity_key,
        property_key,
        ledger_party
    from stands
    where ledger_party is not null
),

int_tie_outs__groups as (
    select
        'party' as level,
        properties.entity_key,
        properties.entity_id,
        properties.property_key,
        properties.property_id,
        parties.ledger_party,
        properties.first_on
    from parties
    inner join properties
        on properties.entity_key = parties.entity_key
        and properties.property_key = parties.property_key
    union all
    select
        'property', entity_key, entity_id, property_key, property_id, null, first_on
    from properties
    union all
    select
        'entity', entity_key, min(entity_id), null, null, null, min(first_on)
    from properties
    group by entity_key
)

select * from int_tie_outs__groups
