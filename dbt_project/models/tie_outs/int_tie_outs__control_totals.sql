-- Every control total of a source's own report beside the same figure here, by business date, a row per total. What is
-- summed is told by the measure; for whom, by the lease or property that the total names, else by its source system.
-- Totals of a day after the build's are not compared yet. What could go wrong: a measure summed another way than named.

with stg_control_totals as (
    select * from {{ ref('stg_control_totals') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }}
),

int_events__deposits as (
    select * from {{ ref('int_events__deposits') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_portfolio__leases as (
    select * from {{ ref('int_portfolio__leases') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

totals as (
    select
        stg_control_totals.*,
        coalesce(stg_control_totals.property_key, leases.property_key) as place_key,
        coalesce(stg_control_totals.property_id, leases.property_id) as place_id
    from stg_control_totals
    inner join int_build__settings as settings on stg_control_totals.as_of <= settings.as_of_on
    left join int_portfolio__leases as leases on stg_control_totals.lease_key = leases.lease_key
    -- The buckets of an old system's aging are compared with the opening balances, by the age of the day they came over.
    where stg_control_totals.measure not in {{ listed(buckets_of_an_aging()) }}
),

-- Every movement under the measures that it belongs to, day by day: few rows, whatever the number of totals. A balance is of
-- the system of the lease; what came in or was billed in a month is told by the system that reported it.
movements as (
    select 'balance' as measure, source_system, property_key, lease_key, business_on, amount from int_ledger__entries
    union all
    select 'resident_balance', source_system, property_key, lease_key, business_on, amount
    from int_ledger__entries
    where ledger_party = 'resident'
    union all
    select 'charges_in_month', {{ source_system_of('source_key', 'source_id') }}, property_key, lease_key, business_on, amount
    from int_ledger__entries
    where kind in ('charge', 'credit', 'charge_reversal', 'correction')
    union all
    select 'receipts_in_month', {{ source_system_of('source_key', 'source_id') }}, property_key, lease_key, business_on, -amount
    from int_ledger__entries
    where kind = 'payment'
    union all
    select 'returns_in_month', {{ source_system_of('source_key', 'source_id') }}, property_key, lease_key, business_on, amount
    from int_ledger__entries
    where kind = 'payment_return'
    union all
    select
        case when changes.side = 'open' then 'open_charges' else 'unapplied_credit' end,
        accounts.source_system,
        accounts.property_key,
        accounts.lease_key,
        changes.business_on,
        changes.change
    from int_open_items__changes as changes
    inner join int_portfolio__accounts as accounts on changes.account_key = accounts.account_key
    union all
    select
        'deposits_held',
        leases.source_system,
        deposits.property_key,
        deposits.lease_key,
        deposits.business_on,
        deposits.amount
    from int_events__deposits as deposits
    inner join int_portfolio__leases as leases on deposits.lease_key = leases.lease_key
),

days as (
    select
        measure,
        source_system,
        property_key,
        lease_key,
        business_on,
        sum(amount) as amount
    from movements
    where measure in (select measure from totals)
    group by measure, source_system, property_key, lease_key, business_on
),

found as (
    select
        totals.row_key,
        sum(days.amount) as amount
    from totals
    inner join days
        on
            totals.measure = days.measure
            and days.business_on <= totals.as_of
            and (totals.measure not like '%_in_month' or days.business_on >= {{ month_start('totals.as_of') }})
            and case
                when totals.lease_key is not null then totals.lease_key = days.lease_key
                when totals.property_key is not null then totals.property_key = days.property_key
                else totals.source_system = days.source_system
            end
    group by totals.row_key
),

int_tie_outs__control_totals as (
    select
        totals.row_key,
        totals.source_system,
        totals.source_report,
        totals.measure,
        totals.as_of,
        totals.lease_id,
        totals.property_id,
        properties.entity_key,
        properties.entity_id,
        totals.place_key,
        totals.place_id,
        totals.amount as reported_amount,
        {{ money('coalesce(found.amount, 0)') }} as found_amount,
        {{ money('totals.amount - coalesce(found.amount, 0)') }} as difference,
        totals.file,
        totals.row_number
    from totals
    left join found on totals.row_key = found.row_key
    left join int_portfolio__properties as properties
        on totals.place_key = properties.property_key and {{ holds_on('properties', 'totals.as_of') }}
)

select * from int_tie_outs__control_totals
