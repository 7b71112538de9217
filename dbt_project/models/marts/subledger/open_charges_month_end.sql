-- The charges behind every figure of aging_month_end: what was open of each at a month end or on the build's day.
-- Statements of past months and the drill-down of an aging bucket read it, so that no page adds anything up.
{{ config(post_hook="{{ publish_as_of('open_charges_as_of', chains().aging) }}") }}
with int_aging__items as (
    select * from {{ ref('int_aging__items') }}
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_aging__owners as (
    select * from {{ ref('int_aging__owners') }}
),

open_charges_month_end as (
    select
        items.as_of,
        items.basis,
        owners.entity_id,
        entries.property_id,
        entries.source_system,
        entries.lease_id,
        entries.ledger_party,
        entries.source_table,
        entries.source_id as charge_id,
        entries.charge_code,
        entries.description,
        items.due_on,
        items.age_days,
        items.amount,
        cast(items.amount - items.open_amount as decimal(18, 2)) as applied_amount,
        items.open_amount,
        case
            when items.age_days < 0 then 'not_yet_due'
            when items.age_days <= 30 then 'days_0_30'
            when items.age_days <= 60 then 'days_31_60'
            when items.age_days <= 90 then 'days_61_90'
            else 'days_over_90'
        end as bucket,
        items.counts_as_rent as is_rent
    from int_aging__items as items
    inner join int_ledger__entries as entries on items.event_key = entries.event_key
    left join int_aging__owners as owners
        on
            entries.property_key = owners.property_key
            and items.as_of = owners.as_of
            and items.basis = owners.basis
)

select * from open_charges_month_end
