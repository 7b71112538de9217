-- Tie-out 3: the balances of all accounts are the receivable account less the prepaid account, every day. The left side
-- is the entries alone and knows nothing of applications, so an application that was booked on one side only, or on
-- two different days, shows here. Both by accounting date.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
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
    select
        journal.accounting_on,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        journal.ledger_party,
        'right',
        journal.debit - journal.credit,
        {{ entry_columns('journal') }}
    from int_journals__entries as journal
    where
        journal.account_role in (
            'receivable_resident', 'receivable_subsidy', 'receivable_third_party', 'prepaid'
        )
),

{{ tie_out_days(
    'movements', 3, 'account_balances__to__ledger_accounts', 'account balances', 'receivable less prepaid account'
) }}

select * from compared
