-- What money without a lease posts: cash against suspense when it arrives, back when it is returned unmatched, and out
-- of suspense once a person matched it. The matched payment itself posts to the lease's property; the cash that leaves
-- here arrives there, in the same journal. Where the lease belongs to another entity the way is intercompany, not cash.

with int_events__suspense as (
    select * from {{ ref('int_events__suspense') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

matched_entries as (
    select distinct
        source_table,
        source_key,
        entity_key
    from int_events__entries
    where kind in ('payment', 'payment_return')
),

movements as (
    select
        suspense.source_table,
        suspense.source_key,
        suspense.source_id,
        suspense.source_system,
        suspense.entity_key,
        suspense.entity_id,
        cast(null as {{ dbt.type_string() }}) as property_key,
        cast(null as {{ dbt.type_string() }}) as property_id,
        cast(null as {{ dbt.type_string() }}) as lease_key,
        cast(null as {{ dbt.type_string() }}) as lease_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        cast(null as {{ dbt.type_string() }}) as charge_code,
        suspense.movement,
        'suspense_' || suspense.movement as event,
        suspense.amount,
        suspense.accounting_on,
        suspense.business_on,
        suspense.recorded_at,
        suspense.batch_id,
        suspense.file,
        suspense.row_number,
        case
            when suspense.movement = 'matched_out' and matched_entries.entity_key <> suspense.entity_key
                then 'intercompany'
            else suspense.settlement_role
        end as other_role
    from int_events__suspense as suspense
    left join matched_entries
        on matched_entries.source_table = suspense.source_table
        and matched_entries.source_key = suspense.source_key
),

int_journals__suspense as (
    select
        {{ posting(
            'movements',
            "'suspense:' || movements.movement || ':' || movements.source_table || ':' || movements.source_key",
            'movements.amount', 'movements.other_role', "'suspense'", event='event',
            journal_part="case when movements.movement = 'matched_out' then '' else 'suspense' end"
        ) }}
    from movements
)

select * from int_journals__suspense
