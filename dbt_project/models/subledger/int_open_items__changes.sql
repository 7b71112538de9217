-- Everything that opens or closes an item: one row per entry or application and side, with what it adds to the open amount
-- of a charge (side `open`) or to the waiting amount of a payment or credit (side `waiting`), on both dates, and when the
-- books knew it: what is open on a day as known at a moment is a sum of these rows.
-- What could go wrong: an entry that is on neither side, or on both; balance = open - waiting would break at once.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_allocation__applications as (
    select * from {{ ref('int_allocation__applications') }}
),

-- A target is a positive entry that can be owed; whatever undoes an entry counts on the item it undoes; the rest pays.
entries as (
    select
        account_key,
        event_key,
        names_event_key,
        kind,
        amount,
        business_on,
        accounting_on,
        recorded_at,
        is_undoing,
        not is_undoing
        and amount >= 0
        and kind in ('opening_balance', 'charge', 'correction', 'transfer', 'refund_of_credit') as is_target
    from int_ledger__entries
),

own_amounts as (
    select
        account_key,
        event_key as item_key,
        case when is_target then 'open' else 'waiting' end as side,
        case when is_target then amount else -amount end as change,
        business_on,
        accounting_on,
        recorded_at,
        false as is_application
    from entries
    where not is_undoing
),

undone_amounts as (
    select
        undoing.account_key,
        undoing.names_event_key as item_key,
        case when undone.is_target then 'open' else 'waiting' end as side,
        case when undone.is_target then undoing.amount else -undoing.amount end as change,
        undoing.business_on,
        undoing.accounting_on,
        undoing.recorded_at,
        false as is_application
    from entries as undoing
    inner join entries as undone on undoing.names_event_key = undone.event_key
    where undoing.is_undoing
),

paid_amounts as (
    select
        account_key,
        target_event_key as item_key,
        'open' as side,
        -amount as change,
        applied_on as business_on,
        accounting_on,
        recorded_at,
        true as is_application
    from int_allocation__applications
),

used_amounts as (
    select
        account_key,
        source_event_key as item_key,
        'waiting' as side,
        -amount as change,
        applied_on as business_on,
        accounting_on,
        recorded_at,
        true as is_application
    from int_allocation__applications
),

changes as (
    select * from own_amounts
    union all
    select * from undone_amounts
    union all
    select * from paid_amounts
    union all
    select * from used_amounts
),

int_open_items__changes as (
    select
        account_key,
        item_key,
        side,
        {{ money('change') }} as change,
        is_application,
        business_on,
        accounting_on,
        recorded_at
    from changes
)

select * from int_open_items__changes
