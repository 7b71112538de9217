-- Tie-out 12: receipts that found no lease are the suspense account of their entity, every day, by accounting date.
-- The left side is the suspense movements: received, returned, matched out; the right side is the journals alone.

with int_events__suspense as (
    select * from {{ ref('int_events__suspense') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

movements as (
    select
        suspense.accounting_on as movement_on,
        suspense.entity_key,
        suspense.entity_id,
        cast(null as {{ dbt.type_string() }}) as property_key,
        cast(null as {{ dbt.type_string() }}) as property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'left' as side,
        suspense.amount,
        {{ entry_columns('suspense') }}
    from int_events__suspense as suspense
    union all
    select
        journal.accounting_on,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        null,
        'right',
        journal.credit - journal.debit,
        {{ entry_columns('journal') }}
    from int_journals__entries as journal
    where journal.account_role = 'suspense'
),

{{ tie_out_days(
    'movements', 12, 'unmatched_receipts__to__suspense_account', 'unmatched receipts', 'suspense account',
    level='entity'
) }}

select * from compared
