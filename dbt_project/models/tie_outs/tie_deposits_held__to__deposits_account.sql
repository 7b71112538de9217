-- Tie-out 4: deposits held for all leases are the deposits-held account, every day, by accounting date. The left side is
-- the deposit movements themselves; the right side is the journals, where a deposit that was applied comes from the
-- resident's entry and not from the movement.

with int_events__deposits as (
    select
        *,
        movement_id as source_id
    from {{ ref('int_events__deposits') }}
),

int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

held_movements as (
    select
        deposits.accounting_on as movement_on,
        deposits.entity_key,
        deposits.entity_id,
        deposits.property_key,
        deposits.property_id,
        deposits.ledger_party,
        'left' as side,
        deposits.amount,
        {{ entry_columns('deposits') }}
    from int_events__deposits as deposits
),

movements as (
    select *
    from ({{ by_owner('held_movements') }}) as owned
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
    where journal.account_role = 'deposits_held'
),

{{ tie_out_days('movements', 4, 'deposits_held__to__deposits_account', 'deposits held', 'deposits-held account') }}

select * from compared
