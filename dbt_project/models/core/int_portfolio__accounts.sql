-- The accounts: a lease and a ledger party, wherever an entry stands. Keys are dense numbers made by this build for the
-- kernel; they are never published.
with int_events__placed as (
    select distinct lease_key, ledger_party from {{ ref('int_events__placed') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

current_owners as (
    select property_key, max_by(entity_key, valid_from) as entity_key
    from int_portfolio__properties
    group by property_key
),

int_portfolio__accounts as (
    select
        row_number() over (order by placed.lease_key, placed.ledger_party) as account_key,
        placed.lease_key,
        leases.lease_id,
        leases.source_system,
        placed.ledger_party,
        leases.property_key,
        leases.property_id,
        entities.chart_key
    from int_events__placed as placed
    inner join int_portfolio__leases as leases on placed.lease_key = leases.lease_key
    left join current_owners on leases.property_key = current_owners.property_key
    left join int_portfolio__entities as entities on current_owners.entity_key = entities.entity_key
)

select * from int_portfolio__accounts
