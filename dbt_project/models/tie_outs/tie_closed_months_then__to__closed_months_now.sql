-- Tie-out 8, from the journals: what a closed month's accounts hold from what was known at its close, against what they
-- hold now. A line that became known after the close and still carries a date in the closed month is a break, and it is
-- named. It does not trust the accounting dates: it asks only when each line was known.

with int_journals__entries as (
    select * from {{ ref('int_journals__entries') }}
),

int_closes__periods as (
    select * from {{ ref('int_closes__periods') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

closes as (
    select int_closes__periods.*
    from int_closes__periods
    cross join int_build__settings
    where int_closes__periods.period_end <= int_build__settings.as_of_on
),

month_balances as (
    select
        entity_key,
        min(entity_id) as entity_id,
        property_key,
        min(property_id) as property_id,
        account,
        {{ month_start('accounting_on') }} as month_start,
        sum(debit - credit) as amount
    from int_journals__entries
    group by entity_key, property_key, account, {{ month_start('accounting_on') }}
),

now_balances as (
    select
        closes.entity_key,
        min(month_balances.entity_id) as entity_id,
        month_balances.property_key,
        min(month_balances.property_id) as property_id,
        month_balances.account,
        closes.period_end,
        closes.closed_at,
        sum(month_balances.amount) as now_amount
    from closes
    inner join month_balances
        on month_balances.entity_key = closes.entity_key
        and month_balances.month_start <= closes.period_end
    group by
        closes.entity_key, month_balances.property_key, month_balances.account, closes.period_end, closes.closed_at
),

-- A month is closed from the first close of it or of a later month; only lines known after that instant can intrude.
month_closes as (
    select
        month_balances.entity_key,
        month_balances.month_start,
        min(closes.closed_at) as first_closed_at
    from (select distinct entity_key, month_start from month_balances) as month_balances
    inner join closes
        on closes.entity_key = month_balances.entity_key
        and closes.period_end >= month_balances.month_start
    group by month_balances.entity_key, month_balances.month_start
),

intruders as (
    select
        journal.entity_key,
        journal.property_key,
        journal.account,
        journal.accounting_on,
        journal.recorded_at,
        journal.debit - journal.credit as amount,
        {{ entry_label('journal') }} as entry
    from int_journals__entries as journal
    inner join month_closes
        on month_closes.entity_key = journal.entity_key
        and month_closes.month_start = {{ month_start('journal.accounting_on') }}
    where journal.recorded_at > month_closes.first_closed_at
),

intrusions as (
    select
        closes.entity_key,
        intruders.property_key,
        intruders.account,
        closes.period_end,
        intruders.entry,
        sum(intruders.amount) as amount,
        row_number() over (
            partition by closes.entity_key, intruders.property_key, intruders.account, closes.period_end
            order by min(intruders.accounting_on), intruders.entry
        ) as rank_in_account
    from closes
    inner join intruders
        on intruders.entity_key = closes.entity_key
        and intruders.accounting_on <= closes.period_end
        and intruders.recorded_at > closes.closed_at
    group by closes.entity_key, intruders.property_key, intruders.account, closes.period_end, intruders.entry
),

account_intrusions as (
    select
        entity_key,
        property_key,
        account,
        period_end,
        sum(amount) as amount,
        {{ dbt.listagg('case when rank_in_account <= 5 then entry end', "', '", 'order by rank_in_account') }} as look_at
    from intrusions
    group by entity_key, property_key, account, period_end
),

compared as (
    select
        'closed_months_then__to__closed_months_now' as tie_out,
        8 as tie_out_no,
        now_balances.period_end as as_of,
        now_balances.entity_key,
        now_balances.entity_id,
        now_balances.property_key,
        now_balances.property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'account ' || now_balances.account as subject,
        'as known at the close' as left_label,
        {{ money('now_balances.now_amount - coalesce(account_intrusions.amount, 0)') }} as left_amount,
        'as known now' as right_label,
        {{ money('now_balances.now_amount') }} as right_amount,
        {{ money('-coalesce(account_intrusions.amount, 0)') }} as difference,
        case when coalesce(account_intrusions.amount, 0) = 0 then 'ties' else 'differs' end as status,
        account_intrusions.look_at
    from now_balances
    left join account_intrusions
        on account_intrusions.entity_key = now_balances.entity_key
        and coalesce(account_intrusions.property_key, '') = coalesce(now_balances.property_key, '')
        and account_intrusions.account = now_balances.account
        and account_intrusions.period_end = now_balances.period_end
)

select * from compared
