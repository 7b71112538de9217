-- Which rent period each payment cleared in the forum's order, and how much of it found no rent owing. What was meant
-- for certain months has its own rows' worth of them; the rest stands in line by the day it counted.
-- What could go wrong: a payment that clears more than was kept of it.
with int_arrears__money as (
    select * from {{ ref('int_arrears__money') }}
),

int_arrears__directions as (
    select * from {{ ref('int_arrears__directions') }}
),

int_arrears__periods as (
    select
        *,
        row_number() over (partition by forum, account_key order by period_from) as place
    from {{ ref('int_arrears__periods') }}
),

directed as (
    select
        forum,
        account_key,
        money_place,
        sum(cleared_amount) as cleared
    from int_arrears__directions
    group by forum, account_key, money_place
),

left_over as (
    select
        money.forum,
        money.account_key,
        money.place,
        money.counted_amount - coalesce(directed.cleared, 0) as in_line
    from int_arrears__money as money
    left join directed
        on money.forum = directed.forum and money.account_key = directed.account_key and money.place = directed.money_place
),

lined_up as (
    select
        left_over.*,
        coalesce(
            sum(in_line) over (partition by forum, account_key order by place rows between unbounded preceding and 1 preceding), 0
        ) as money_before
    from left_over
),

cleared as (
    select
        forum,
        account_key,
        money_place,
        period_place,
        cleared_amount
    from int_arrears__directions
    union all
    select
        lined_up.forum,
        lined_up.account_key,
        lined_up.place,
        periods.place,
        least(lined_up.money_before + lined_up.in_line, periods.owed_before + periods.rent_charged - periods.directed_amount)
        - greatest(lined_up.money_before, periods.owed_before)
    from lined_up
    inner join int_arrears__periods as periods
        on
            lined_up.forum = periods.forum
            and lined_up.account_key = periods.account_key
            and lined_up.money_before + lined_up.in_line > periods.owed_before
            and lined_up.money_before < periods.owed_before + periods.rent_charged - periods.directed_amount
    where lined_up.in_line > 0
),

int_arrears__payments as (
    select
        money.forum,
        money.account_key,
        money.source_system,
        money.lease_id,
        money.source_kind,
        money.source_table,
        money.source_id,
        money.received_on,
        money.amount,
        money.kept_amount,
        periods.period_from,
        periods.period_to,
        {{ money('sum(cleared.cleared_amount)') }} as cleared_amount
    from cleared
    inner join int_arrears__money as money
        on cleared.forum = money.forum and cleared.account_key = money.account_key and cleared.money_place = money.place
    inner join int_arrears__periods as periods
        on cleared.forum = periods.forum and cleared.account_key = periods.account_key and cleared.period_place = periods.place
    where money.source_table is not null
    group by
        money.forum, money.account_key, money.source_system, money.lease_id, money.source_kind, money.source_table,
        money.source_id, money.received_on, money.amount, money.kept_amount, periods.period_from, periods.period_to
)

select * from int_arrears__payments
