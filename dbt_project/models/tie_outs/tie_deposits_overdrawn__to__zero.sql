-- The second half of tie-out 4: no lease's deposit is ever below zero. The left side adds up, per property, what leases
-- have had given back or applied beyond what was held for them; the right side is zero by law of arithmetic.
-- Sums over leases would hide it: one lease's surplus covers another's hole, so each lease is followed by itself.

with int_events__deposits as (
    select
        *,
        movement_id as source_id
    from {{ ref('int_events__deposits') }}
),

held as (
    select
        *,
        sum(amount) over (
            partition by property_key, ledger_party, lease_key
            order by accounting_on, movement_key
            rows unbounded preceding
        ) as held_after
    from int_events__deposits
),

overdrawn as (
    select
        *,
        least(held_after, 0) as below_zero,
        least(held_after - amount, 0) as below_zero_before
    from held
),

lease_movements as (
    select
        accounting_on as movement_on,
        entity_key,
        entity_id,
        property_key,
        property_id,
        ledger_party,
        'left' as side,
        below_zero - below_zero_before as amount,
        {{ entry_columns('overdrawn') }}
    from overdrawn
),

movements as (
    select * from ({{ by_owner('lease_movements') }}) as owned
),

{{ tie_out_days('movements', 4, 'deposits_overdrawn__to__zero', 'deposits below zero', 'zero') }}

select * from compared
