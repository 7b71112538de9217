-- How old the open debt of each account is, at every month end and on the build's day, by business dates and by the books.
-- Waiting money stands beside the buckets and is never netted into one: buckets less waiting money are the balance.
-- What could go wrong: a charge that is not due yet, or is older than the last edge, falling out of every bucket.
with int_aging__items as (
    select * from {{ ref('int_aging__items') }}
),

int_aging__points as (
    select * from {{ ref('int_aging__points') }}
),

int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }} where side = 'waiting'
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_aging__owners as (
    select * from {{ ref('int_aging__owners') }}
),

last_point as (
    select max(point_no) as point_no, min(as_of) as first_as_of, max(as_of) as as_of_on from int_aging__points
),

buckets as (
    select
        account_key,
        basis,
        as_of,
        sum(case when age_days < 0 then open_amount else 0 end) as not_yet_due,
        sum(case when age_days between 0 and 30 then open_amount else 0 end) as days_0_30,
        sum(case when age_days between 31 and 60 then open_amount else 0 end) as days_31_60,
        sum(case when age_days between 61 and 90 then open_amount else 0 end) as days_61_90,
        sum(case when age_days > 90 then open_amount else 0 end) as days_over_90,
        sum(open_amount) as open_total,
        sum(case when counts_as_rent then open_amount else 0 end) as rent_open,
        sum(case when counts_as_rent then 0 else open_amount end) as other_open
    from int_aging__items
    group by account_key, basis, as_of
),

-- The balance comes from the ledger and the waiting money from its own items, so that buckets can be checked against both.
movements as (
    select account_key, 'business' as basis, business_on as on_date, amount as balance, 0 as waiting from int_ledger__entries
    union all
    select account_key, 'books' as basis, accounting_on as on_date, amount as balance, 0 as waiting from int_ledger__entries
    union all
    select account_key, 'business' as basis, business_on as on_date, 0 as balance, change as waiting from int_open_items__changes
    union all
    select account_key, 'books' as basis, accounting_on as on_date, 0 as balance, change as waiting from int_open_items__changes
),

net as (
    select
        movements.account_key,
        movements.basis,
        points.point_no,
        sum(movements.balance) as balance,
        sum(movements.waiting) as waiting
    from movements
    cross join last_point
    inner join int_aging__points as points on points.as_of = {{ report_day('movements.on_date', 'last_point') }}
    where movements.on_date <= last_point.as_of_on
    group by movements.account_key, movements.basis, points.point_no
),

running as (
    select
        net.account_key,
        net.basis,
        net.point_no as first_point,
        sum(net.balance) over (partition by net.account_key, net.basis order by net.point_no rows unbounded preceding) as balance,
        sum(net.waiting) over (partition by net.account_key, net.basis order by net.point_no rows unbounded preceding) as waiting,
        coalesce(
            lead(net.point_no) over (partition by net.account_key, net.basis order by net.point_no),
            last_point.point_no + 1
        ) as end_point
    from net
    cross join last_point
),

carried as (
    {{ expand_range('running', 'account_key, basis, balance, waiting', 'first_point', 'end_point', 'point_no') }}
),

int_aging__month_ends as (
    select
        points.as_of,
        carried.basis,
        points.is_as_of_day,
        carried.account_key,
        accounts.source_system,
        accounts.lease_key,
        accounts.lease_id,
        accounts.ledger_party,
        accounts.property_key,
        accounts.property_id,
        owners.entity_key,
        owners.entity_id,
        {{ money('coalesce(buckets.not_yet_due, 0)') }} as not_yet_due,
        {{ money('coalesce(buckets.days_0_30, 0)') }} as days_0_30,
        {{ money('coalesce(buckets.days_31_60, 0)') }} as days_31_60,
        {{ money('coalesce(buckets.days_61_90, 0)') }} as days_61_90,
        {{ money('coalesce(buckets.days_over_90, 0)') }} as days_over_90,
        {{ money('coalesce(buckets.open_total, 0)') }} as open_total,
        {{ money('coalesce(buckets.rent_open, 0)') }} as rent_open,
        {{ money('coalesce(buckets.other_open, 0)') }} as other_open,
        {{ money('carried.waiting') }} as unapplied_credit,
        {{ money('carried.balance') }} as balance
    from carried
    inner join int_aging__points as points on carried.point_no = points.point_no
    inner join int_portfolio__accounts as accounts on carried.account_key = accounts.account_key
    left join int_aging__owners as owners
        on
            accounts.property_key = owners.property_key
            and points.as_of = owners.as_of
            and carried.basis = owners.basis
    left join buckets
        on
            carried.account_key = buckets.account_key
            and carried.basis = buckets.basis
            and points.as_of = buckets.as_of
)

select * from int_aging__month_ends
