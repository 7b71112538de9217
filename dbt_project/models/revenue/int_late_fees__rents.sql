-- What of the resident's rent a late fee can rest on, entry by entry, in the rent period in which it is late when unpaid: its
-- own, or where it fell due in a later one that one. A meter read of January that is rent and due on the first of March says
-- nothing of whether January was paid in time. What undoes a charge stands where the charge does.
-- What could go wrong: a bill that came later making rent late that was paid on its day.
with int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }} where not is_future
),

rents as (
    select
        *,
        kind in ('charge', 'correction', 'opening_balance') and amount > 0 as is_owed
    from int_ledger__entries
    where
        ledger_party = 'resident'
        and counts_as_rent
        and category not in ('late_fee', 'nsf_fee')
        and kind in ('charge', 'correction', 'credit', 'charge_reversal', 'opening_balance')
),

placed as (
    select
        rents.*,
        case
            when is_owed and due_on > rent_period_to then {{ rent_period_from('due_on', 'rent_due_day') }}
            else rent_period_from
        end as late_from
    from rents
),

int_late_fees__rents as (
    select
        placed.event_key,
        placed.account_key,
        placed.lease_key,
        placed.lease_id,
        placed.source_system,
        placed.property_key,
        placed.property_id,
        placed.kind,
        placed.category,
        placed.amount,
        placed.due_on,
        coalesce(undone.late_from, placed.late_from) as period_from,
        {{ rent_period_to('coalesce(undone.late_from, placed.late_from)', 'placed.rent_due_day') }} as period_to
    from placed
    left join placed as undone on placed.names_event_key = undone.event_key
)

select * from int_late_fees__rents
