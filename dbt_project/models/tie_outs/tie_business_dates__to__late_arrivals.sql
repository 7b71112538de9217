-- Tie-out 11: what the accounts owe by business date, less what they owe by accounting date, is on every day the sum of
-- the entries that are dated on or before it and booked after it. The right side is the published list of late arrivals,
-- so an entry that moved to another month without being listed shows on every day between its two dates.

with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_late_arrivals__entries as (
    select * from {{ ref('int_late_arrivals__entries') }}
),

movements as (
    select
        entries.business_on as movement_on,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.ledger_party,
        'left' as side,
        entries.amount,
        {{ entry_columns('entries') }}
    from int_ledger__entries as entries
    union all
    select
        entries.accounting_on,
        entries.entity_key,
        entries.entity_id,
        entries.property_key,
        entries.property_id,
        entries.ledger_party,
        'left',
        -entries.amount,
        {{ entry_columns('entries') }}
    from int_ledger__entries as entries
    union all
    select
        late.entry_on,
        late.entity_key,
        late.entity_id,
        late.property_key,
        late.property_id,
        late.ledger_party,
        'right',
        late.amount,
        {{ entry_columns('late') }}
    from int_late_arrivals__entries as late
    where late.ledger = 'account'
    union all
    select
        late.accounting_on,
        late.entity_key,
        late.entity_id,
        late.property_key,
        late.property_id,
        late.ledger_party,
        'right',
        -late.amount,
        {{ entry_columns('late') }}
    from int_late_arrivals__entries as late
    where late.ledger = 'account'
),

{{ tie_out_days(
    'movements', 11, 'business_dates__to__late_arrivals', 'balance by business date less by accounting date',
    'dated by then and booked later'
) }}

select * from compared
