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
        ledger,
        entity_key,
        entity_id,
        property_key,
        property_id,
        source_system,
        lease_key,
        lease_id,
        ledger_party,
        kind,
        source_table,
        source_key,
        source_id,
        names_source_id,
        amount,
        business_on as entry_on,
        {{ period_of('business_on') }} as closed_period,
        accounting_on,
        {{ period_of('accounting_on') }} as period,
        recorded_at,
        'backdated_into_closed' as cause,
        batch_id,
        file,
        row_number
    from late_entries
)

select * from int_late_arrivals__entries
