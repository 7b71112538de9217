-- Tie-out 10: what repayment agreements still owe is the agreement-receivable account, every day, by accounting date. The
-- left side is what moved into agreements from the accounts, less instalments and what went back, and what was signed
-- or cancelled without an entry on an account; the right side is the journals alone.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_events__agreements as (
    select * from {{ ref('int_events__agreements') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

owed_movements as (
    select
        entries.accounting_on as movement_on,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.ledger_party,
        'left' as side,
        -entries.amount as amount,
        {{ entry_columns('entries') }}
    from int_ledger__entries as entries
    where entries.transfer_kind in ('agreement_out', 'agreement_instalment', 'agreement_end')
    union all
    select
        agreements.accounting_on,
        agreements.entity_key,
        agreements.entity_id,
        agreements.property_key,
        agreements.property_id,
        agreements.ledger_party,
        'left',
        agreements.amount,
        {{ entry_columns('agreements') }}
    from int_events__agreements as agreements
),

movements as (
    select *
    from ({{ by_owner('owed_movements') }}) as owned
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
    where journal.account_role = 'agreement_receivable'
),

{{ tie_out_days('movements', 10, 'agreements_owed__to__agreement_account', 'owed under agreements', 'agreement receivable') }}

select * from compared
