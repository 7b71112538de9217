-- What a write-off and its recovery post: bad debt against prepaid, then the applications close the receivable; a
-- recovery takes the write-off back through bad debt recovered, so that what was given up and what came back both
-- stay visible. A write-off that was reversed is the exact opposite of the first; a recovery is derived, so it stands in
-- the journal of the event that caused it, beside the applications that it goes with.

with int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }} where kind = 'write_off_recovery'
),

recoveries as (
    select
        recoveries.event_key,
        causes.kind,
        causes.source_table,
        causes.source_key,
        causes.source_id,
        causes.source_system,
        recoveries.entity_key,
        recoveries.entity_id,
        recoveries.property_key,
        recoveries.property_id,
        recoveries.lease_key,
        recoveries.lease_id,
        recoveries.ledger_party,
        causes.charge_code,
        recoveries.amount,
        recoveries.accounting_on,
        causes.business_on,
        causes.recorded_at,
        causes.batch_id,
        causes.file,
        causes.row_number
    from int_ledger__entries as recoveries
    inner join int_events__entries as causes
        on causes.event_key = recoveries.cause_event_key
),

int_journals__write_offs as (
    select
        {{ posting(
            'entries', "'entry:' || cast(entries.event_key as string)", '-entries.amount', "'bad_debt'", "'prepaid'"
        ) }}
    from int_events__entries as entries
    where entries.kind = 'write_off'
    union all
    select
        {{ posting(
            'recoveries', "'entry:' || cast(recoveries.event_key as string)", '-recoveries.amount',
            "'bad_debt_recovery'", "'prepaid'"
        ) }}
    from recoveries
)

select * from int_journals__write_offs
