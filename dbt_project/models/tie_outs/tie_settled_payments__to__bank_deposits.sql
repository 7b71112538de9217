-- Tie-out 7: what was settled of the payments of a settlement account, returns taken off, against what its bank booked, every
-- day since the first of either, where the bank's deposits were loaded. What was received and has not settled is no part
-- of it: that is under way, and int_tie_outs__funds_in_transit has it. It is a comparison with the bank's books, so a
-- difference is a finding for the close and stops no build. Money of several owners on one account has no one entity.

with int_tie_outs__settlement_accounts as (
    select * from {{ ref('int_tie_outs__settlement_accounts') }}
),

int_events__settled as (
    select * from {{ ref('int_events__settled') }}
),

stg_bank_deposits as (
    select
        *,
        'bank_deposits' as source_table,
        deposit_id as source_id
    from {{ ref('stg_bank_deposits') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

movements as (
    select
        settlement_account,
        settled_on as moved_on,
        amount as left_amount,
        cast(0 as decimal(18, 2)) as right_amount,
        {{ entry_label('int_events__settled') }} as entry
    from int_events__settled
    where settled_on is not null
    union all
    select settlement_account, deposited_on, 0, amount, {{ entry_label('stg_bank_deposits') }}
    from stg_bank_deposits
    union all
    select settlement_account, first_on, 0, 0, null
    from int_tie_outs__settlement_accounts
),

changes as (
    select
        settlement_account,
        moved_on,
        sum(left_amount) as left_change,
        sum(right_amount) as right_change,
        {{ dbt.listagg('entry', "', '", 'order by entry') }} as entries
    from movements
    group by settlement_account, moved_on
),

totals as (
    select
        settlement_account,
        moved_on,
        sum(left_change) over (partition by settlement_account order by moved_on) as left_amount,
        sum(right_change) over (partition by settlement_account order by moved_on) as right_amount,
        lead(moved_on) over (partition by settlement_account order by moved_on) as next_on,
        case when left_change <> right_change then moved_on end as differs_on,
        entries
    from changes
),

-- The rows to look at: those of the last day on which the two moved by different amounts.
lasting as (
    select
        *,
        max(differs_on) over (partition by settlement_account order by moved_on rows unbounded preceding) as last_differed_on
    from totals
),

days as (
    {{ day_series(
        '(select min(first_on) from int_tie_outs__settlement_accounts)', '(select max(as_of_on) from int_build__settings)'
    ) }}
),

compared as (
    select
        'settled_payments__to__bank_deposits' as tie_out,
        7 as tie_out_no,
        days.day as as_of,
        accounts.entity_key,
        accounts.entity_id,
        cast(null as {{ dbt.type_string() }}) as property_key,
        cast(null as {{ dbt.type_string() }}) as property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'settlement account ' || accounts.settlement_account as subject,
        'payments settled' as left_label,
        {{ money('lasting.left_amount') }} as left_amount,
        'booked by the bank' as right_label,
        {{ money('lasting.right_amount') }} as right_amount,
        {{ money('lasting.left_amount - lasting.right_amount') }} as difference,
        case when lasting.left_amount = lasting.right_amount then 'ties' else 'differs' end as status,
        case when lasting.left_amount <> lasting.right_amount then looks.entries end as look_at
    from int_tie_outs__settlement_accounts as accounts
    inner join lasting on lasting.settlement_account = accounts.settlement_account
    inner join days
        on days.day >= lasting.moved_on
        and (lasting.next_on is null or days.day < lasting.next_on)
    left join totals as looks
        on looks.settlement_account = lasting.settlement_account
        and looks.moved_on = lasting.last_differed_on
)

select * from compared
