-- Tie-out 5: the trial balance nets to zero, every day, for every property of every entity. Debits and credits are added
-- up apart, so a line that lost its other half on the way through netting, owners or intercompany shows on its day.

with int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

movements as (
    select
        journal.accounting_on as movement_on,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'left' as side,
        journal.debit as amount,
        {{ entry_columns('journal') }}
    from int_journals__entries as journal
    union all
    select
        journal.accounting_on,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        null,
        'right',
        journal.credit,
        {{ entry_columns('journal') }}
    from int_journals__entries as journal
),

{{ tie_out_days('movements', 5, 'debits__to__credits', 'debits', 'credits', level='property') }}

select * from compared
