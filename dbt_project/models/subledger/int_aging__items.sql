-- The charges behind aging: each one that is open at a month end or on the build's day, on both bases, with its age.
-- Net per item and report day, running sum, then carried only from one change to the next: never charges times month ends.
-- What could go wrong: an item that stays in the report after it was paid, or drops out while still open.
with int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }} where side = 'open'
),

int_ledger__entries as (
    select * from {{ ref('int_ledger__entries') }}
),

int_aging__points as (
    select * from {{ ref('int_aging__points') }}
),

last_point as (
    select max(point_no) as point_no, min(as_of) as first_as_of, max(as_of) as as_of_on from int_aging__points
),

on_bases as (
    select account_key, item_key, 'business' as basis, business_on as on_date, change from int_open_items__changes
    union all
    select account_key, item_key, 'books' as basis, accounting_on as on_date, change from int_open_items__changes
),

reported as (
    select
        on_bases.account_key,
        on_bases.item_key,
        on_bases.basis,
        {{ report_day('on_bases.on_date', 'last_point') }} as as_of,
        on_bases.change
    from on_bases
    cross join last_point
    where on_bases.on_date <= last_point.as_of_on
),

net as (
    select
        reported.account_key,
        reported.item_key,
        reported.basis,
        points.point_no,
        sum(reported.change) as change
    from reported
    inner join int_aging__points as points on reported.as_of = points.as_of
    group by reported.account_key, reported.item_key, reported.basis, points.point_no
    having sum(reported.change) <> 0
),

running as (
    select
        net.account_key,
        net.item_key,
        net.basis,
        net.point_no,
        sum(net.change) over (partition by net.item_key, net.basis order by net.point_no rows unbounded preceding) as open_amount,
        lead(net.point_no) over (partition by net.item_key, net.basis order by net.point_no) as next_point_no
    from net
),

spans as (
    select
        running.account_key,
        running.item_key,
        running.basis,
        running.open_amount,
        running.point_no as first_point,
        coalesce(running.next_point_no, last_point.point_no + 1) as end_point
    from running
    cross join last_point
    where running.open_amount <> 0
),

carried as (
    {{ expand_range('spans', 'account_key, item_key, basis, open_amount', 'first_point', 'end_point', 'point_no') }}
),

int_aging__items as (
    select
        carried.account_key,
        carried.item_key as event_key,
        carried.basis,
        points.as_of,
        points.is_as_of_day,
        entries.due_on,
        {{ days_between('entries.due_on', 'points.as_of') }} as age_days,
        entries.counts_as_rent,
        entries.amount,
        cast(carried.open_amount as decimal(18, 2)) as open_amount
    from carried
    inner join int_aging__points as points on carried.point_no = points.point_no
    inner join int_ledger__entries as entries on carried.item_key = entries.event_key
)

select * from int_aging__items
