-- Tie-out 3: the balances of all accounts are the receivable account less the prepaid account, every day. The left side
-- is the entries alone and knows nothing of applications, so an application that was booked on one side only, or on
-- two different days, shows here. Both by accounting date.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

balance_movements as (
    select
        entries.accounting_on as movement_on,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.ledger_party,
        'left' as side,
        entries.amount,
        {{ entry_columns('causes', 'entries') }}
    from int_ledger__entries as entries
    left join int_ledger__entries as causes
        on causes.event_key = entries.cause_event_key
),

movements as (
    select *
    from ({{ by_owner('balance_movements') }}) as owned
    union all
    {{ journal_movements(receivable_roles() + ['prepaid'], 'journal.debit - journal.credit') }}
),

{{ tie_out_days(
    'movements', 3, 'account_balances__to__ledger_accounts', 'account balances', 'receivable less prepaid account'
) }}

select * from compared
