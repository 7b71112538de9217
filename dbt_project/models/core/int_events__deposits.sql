-- Deposits held, movement by movement: what was received, applied to debt, refunded, forfeited, or earned as interest.
-- A reversal carries the kind of the movement it takes back, with the opposite sign.
-- What could go wrong: an applied deposit is also an entry on the account; here it only lowers what is held.
with int_events__facts as (
    select * from {{ ref('int_events__facts') }} where source_table = 'deposit_movements'
),

int_events__known as (
    select * from {{ ref('int_events__known') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__owners as (
    select * from {{ ref('int_portfolio__owners') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_closes__properties as (
    select * from {{ ref('int_closes__properties') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

placed as (
    select
        facts.*,
        known.property_key,
        known.business_on,
        known.known_at,
        known.recorded_assumed
    from int_events__facts as facts
    inner join int_events__known as known on facts.source_table = known.source_table and facts.source_key = known.source_key
),

owned as (
    select
        placed.source_key,
        max_by(owners.owner_key, {{ owner_fit('owners', 'placed.business_on') }}) as owner_key
    from placed
    inner join int_portfolio__owners as owners
        on
            placed.property_key = owners.property_key
            and {{ known_when('owners', 'placed.known_at') }}
    group by placed.source_key
),

int_events__deposits as (
    select
        placed.source_key as movement_key,
        placed.source_id as movement_id,
        placed.source_table,
        placed.source_system,
        placed.lease_key,
        leases.lease_id,
        placed.property_key,
        leases.property_id,
        owners.entity_key,
        owners.entity_id,
        entities.chart_key,
        coalesce(placed.stated_party, 'resident') as ledger_party,
        replace(placed.kind, 'deposit_', '') as kind,
        placed.names_table is not null and placed.names_table = 'charges' as names_charge,
        placed.detail_kind is not null as is_rent_deposit,
        placed.counts_from_named as is_reversal,
        case when placed.counts_from_named then placed.names_key end as reverses_movement_key,
        placed.amount,
        placed.business_on,
        {{ accounting_day('placed.business_on', 'closes.open_from') }} as accounting_on,
        placed.known_at as recorded_at,
        placed.recorded_assumed,
        placed.business_on > settings.as_of_on as is_future,
        placed.batch_id,
        placed.file,
        placed.row_number
    from placed
    inner join owned on placed.source_key = owned.source_key
    inner join int_portfolio__owners as owners on owned.owner_key = owners.owner_key
    inner join int_portfolio__leases as leases on placed.lease_key = leases.lease_key
    cross join int_build__settings as settings
    left join int_portfolio__entities as entities on owners.entity_key = entities.entity_key
    left join int_closes__properties as closes
        on
            placed.property_key = closes.property_key
            and {{ stands_on('closes', 'placed.known_at') }}
)

select * from int_events__deposits
