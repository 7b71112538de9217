-- What somebody dated into a month that was closed when it became known: loaded, booked on the first open day after it
-- and listed here with what it corrects. The list is one side of a tie-out: the business-date figure less the
-- accounting-date figure of any day is the sum of these entries, so nothing can arrive late without standing here.
-- A matched receipt and an applied deposit stand once, as the entry of the account that they became; an agreement over
-- unreported income is none of an account and stands here as it was signed or cancelled.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_events__suspense as (
    select * from {{ ref('int_events__suspense') }}
),

int_events__deposits as (
    select * from {{ ref('int_events__deposits') }}
),

int_events__agreements as (
    select * from {{ ref('int_events__agreements') }}
),

int_portfolio__properties as (
    select * from {{ ref('int_portfolio__properties') }}
),

entity_zones as (
    select
        entity_key,
        min(time_zone) as time_zone
    from int_portfolio__properties
    group by entity_key
),

late_entries as (
    select
        'account' as ledger,
        entity_key, entity_id, property_key, property_id, source_system, lease_key, lease_id, ledger_party, kind,
        source_table, source_key, source_id, names_source_id, amount, business_on, accounting_on, recorded_at,
        batch_id, file, row_number
    from int_ledger__entries
    where accounting_on > business_on
    union all
    select
        'suspense',
        entity_key, entity_id, property_key, null, source_system, null, lease_id, null, 'suspense_' || movement,
        source_table, source_key, source_id, null, amount, business_on, accounting_on, recorded_at,
        batch_id, file, row_number
    from int_events__suspense
    where accounting_on > business_on and movement <> 'matched_out'
    union all
    select
        'deposits',
        entity_key, entity_id, property_key, property_id, source_system, lease_key, lease_id, ledger_party, 'deposit_' || kind,
        source_table, movement_key, movement_id, null, amount, business_on, accounting_on, recorded_at,
        batch_id, file, row_number
    from int_events__deposits
    where accounting_on > business_on and kind <> 'applied'
    union all
    select
        'agreements',
        entity_key, entity_id, property_key, property_id, source_system, lease_key, lease_id, ledger_party, kind,
        source_table, source_key, source_id, null, amount, business_on, accounting_on, recorded_at,
        batch_id, file, row_number
    from int_events__agreements
    where accounting_on > business_on
),

int_late_arrivals__entries as (
    select
        late_entries.ledger,
        late_entries.entity_key,
        late_entries.entity_id,
        late_entries.property_key,
        late_entries.property_id,
        late_entries.source_system,
        late_entries.lease_key,
        late_entries.lease_id,
        late_entries.ledger_party,
        late_entries.kind,
        late_entries.source_table,
        late_entries.source_key,
        late_entries.source_id,
        late_entries.names_source_id,
        late_entries.amount,
        late_entries.business_on as entry_on,
        {{ period_of('late_entries.business_on') }} as closed_period,
        late_entries.accounting_on,
        {{ period_of('late_entries.accounting_on') }} as period,
        late_entries.recorded_at,
        {{ whole(days_between(
            'late_entries.business_on',
            local_day('late_entries.recorded_at', "coalesce(properties.time_zone, entity_zones.time_zone, 'UTC')")
        )) }} as days_late,
        'backdated_into_closed' as cause,
        late_entries.batch_id,
        late_entries.file,
        late_entries.row_number
    from late_entries
    left join int_portfolio__properties as properties
        on properties.property_key = late_entries.property_key
        and properties.valid_from <= late_entries.business_on
        and (properties.valid_to is null or late_entries.business_on < properties.valid_to)
    left join entity_zones on entity_zones.entity_key = late_entries.entity_key
)

select * from int_late_arrivals__entries
