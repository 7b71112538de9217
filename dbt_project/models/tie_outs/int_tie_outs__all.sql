-- Every comparison in one table, one row per day, property, entity and party: both sides, the difference and where to look.
-- A difference is a bug or a finding and never rounding, so nothing here is rounded, capped or hidden.

with comparisons as (
    {% for comparison in [
        'open_charges__to__receivable_account', 'waiting_money__to__prepaid_account',
        'account_balances__to__ledger_accounts', 'deposits_held__to__deposits_account', 'deposits_overdrawn__to__zero',
        'debits__to__credits', 'agreements_owed__to__agreement_account', 'closed_months_then__to__closed_months_now', 'balances_at_close__to__balances_now',
        'batch_rows__to__outcomes', 'batch_amounts__to__outcomes', 'business_dates__to__late_arrivals',
        'unmatched_receipts__to__suspense_account', 'receivable_roll_forward__to__trial_balance',
        'control_totals__to__ledger',
        'late_arrivals__to__reported_changes', 'derived_ledger__to__booked_ledger', 'settled_payments__to__bank_deposits',
        'opening_balances__to__old_aging'
    ] -%}
    select * from {{ ref('tie_' ~ comparison) }}
    {{ 'union all' if not loop.last }}
    {% endfor %}
),

int_tie_outs__all as (
    select
        *,
        {{ source_system_of('entity_key', 'entity_id') }} as source_system
    from comparisons
)

select * from int_tie_outs__all
