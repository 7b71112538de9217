-- Which rent period each payment cleared in the forum's order, and how much of it found no rent owing.
-- Payments and deposits stand in line by the day they counted, less what came back; a refund takes from the latest.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }} where arrears_class = 'money'
),

int_arrears__periods as (
    select * from {{ ref('int_arrears__periods') }}
),

received as (
    select * from int_arrears__entries where amount < 0
),

taken_back as (
    select
        forum,
        names_event_key,
        sum(amount) as amount
    from int_arrears__entries
    where amount >= 0 and names_event_key is not null
    group by forum, names_event_key
),

account_pools as (
    select
        forum,
        account_key,
        max(pool) as pool,
        sum(greatest(rent_credits - rent_billed, 0)) as credit_excess
    from int_arrears__periods
    group by forum, account_key
),

kept as (
    select
        received.*,
        -received.amount - coalesce(taken_back.amount, 0) as kept
    from received
    left join taken_back on received.forum = taken_back.forum and received.event_key = taken_back.names_event_key
),

-- Credit left over from a period stands first in line, as it stood on the account before any money looked for rent.
lined_up as (
    select
        kept.*,
        account_pools.credit_excess + coalesce(
            sum(kept.kept) over (
                partition by kept.forum, kept.account_key order by kept.entry_seq rows between unbounded preceding and 1 preceding
            ), 0
        ) as money_before,
        account_pools.pool
    from kept
    inner join account_pools on kept.forum = account_pools.forum and kept.account_key = account_pools.account_key
),

int_arrears__payments as (
    select
        lined_up.forum,
        lined_up.account_key,
        lined_up.source_system,
        lined_up.lease_id,
        lined_up.kind as source_kind,
        lined_up.source_table,
        lined_up.source_id,
        lined_up.business_on as received_on,
        {{ money('-lined_up.amount') }} as amount,
        {{ money('lined_up.kept') }} as kept_amount,
        periods.period_from,
        periods.period_to,
        {{ money('least(lined_up.money_before + lined_up.kept, lined_up.pool, periods.owed_before + periods.rent_charged) - greatest(lined_up.money_before, periods.owed_before)') }} as cleared_amount
    from lined_up
    inner join int_arrears__periods as periods
        on
            lined_up.forum = periods.forum
            and lined_up.account_key = periods.account_key
            and least(lined_up.money_before + lined_up.kept, lined_up.pool) > periods.owed_before
            and lined_up.money_before < periods.owed_before + periods.rent_charged
)

select * from int_arrears__payments
