-- Tie-out 2: money that waits on the accounts is what the prepaid account says, every day. The left side takes each
-- source of money from the resident ledger, less what was undone of it, less what it has paid; the right side is the
-- journals alone. Both by accounting date.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

waiting_movements as (
    select
        entries.accounting_on as movement_on,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.ledger_party,
        'left' as side,
        -entries.amount as amount,
        {{ entry_columns('causes', 'entries') }}
    from int_ledger__entries as entries
    left join int_ledger__entries as causes
        on causes.event_key = entries.cause_event_key
    where
        (entries.amount < 0 and entries.kind <> 'charge_reversal')
        or (
            entries.amount > 0
            and entries.kind in ('charge_reversal', 'payment_return', 'deposit_applied', 'write_off', 'write_off_recovery')
        )
    union all
    select
        applications.accounting_on,
        applications.entity_key,
        applications.entity_id,
        applications.property_key,
        applications.property_id,
        applications.ledger_party,
        'left',
        -applications.amount,
        {{ entry_columns('causes') }}
    from int_allocation__applications as applications
    left join int_ledger__entries as causes
        on causes.event_key = applications.cause_event_key
),

movements as (
    select *
    from ({{ by_owner('waiting_movements') }}) as owned
    union all
    select
        journal.accounting_on,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        journal.ledger_party,
        'right',
        journal.credit - journal.debit,
        {{ entry_columns('journal') }}
    from int_journals__entries as journal
    where journal.account_role = 'prepaid'
),

{{ tie_out_days('movements', 2, 'waiting_money__to__prepaid_account', 'waiting money', 'prepaid account') }}

select * from compared
