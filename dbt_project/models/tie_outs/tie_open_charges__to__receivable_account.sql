-- Tie-out 1: what is open on the charges of all accounts is what the receivable accounts of the ledger say, every day.
-- The left side never sees a journal: it takes each thing that can be owed from the resident ledger, less its reversal,
-- less what was applied to it. The right side is the journals alone. Both by accounting date.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

open_movements as (
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
    where
        (entries.amount > 0 and entries.kind in ('opening_balance', 'charge', 'correction', 'refund_of_credit', 'transfer'))
        or (entries.amount < 0 and entries.kind = 'charge_reversal')
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
    from ({{ by_owner('open_movements') }}) as owned
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
    where journal.account_role in ('receivable_resident', 'receivable_subsidy', 'receivable_third_party')
),

{{ tie_out_days('movements', 1, 'open_charges__to__receivable_account', 'open charges', 'receivable account') }}

select * from compared
