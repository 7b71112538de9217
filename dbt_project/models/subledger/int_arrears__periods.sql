-- Rent owing month by month, as a forum computes it: money meant for certain months first where the forum says so, all
-- other money on the earliest rent owing, whatever the operator's own applications did. No period is negative; rent that
-- fell due before the forum's window is owing and may not be claimed.
-- What could go wrong: money that counts twice, once where it was directed and once in line.
with int_arrears__rents as (
    select * from {{ ref('int_arrears__rents') }}
),

int_arrears__money as (
    select * from {{ ref('int_arrears__money') }}
),

int_arrears__directions as (
    select * from {{ ref('int_arrears__directions') }}
),

int_arrears__forums as (
    select * from {{ ref('int_arrears__forums') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

directed_months as (
    select
        forum,
        account_key,
        period_place,
        sum(cleared_amount) as directed
    from int_arrears__directions
    group by forum, account_key, period_place
),

directed_accounts as (
    select
        forum,
        account_key,
        sum(cleared_amount) as directed
    from int_arrears__directions
    group by forum, account_key
),

pools as (
    select
        money.forum,
        money.account_key,
        sum(money.counted_amount) - coalesce(max(directed_accounts.directed), 0) as pool
    from int_arrears__money as money
    left join directed_accounts on money.forum = directed_accounts.forum and money.account_key = directed_accounts.account_key
    group by money.forum, money.account_key
),

queued as (
    select
        rents.*,
        coalesce(directed_months.directed, 0) as directed,
        coalesce(pools.pool, 0) as pool,
        coalesce(
            sum(rents.rent_charged - coalesce(directed_months.directed, 0)) over (
                partition by rents.forum, rents.account_key
                order by rents.place
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as owed_before
    from int_arrears__rents as rents
    left join pools on rents.forum = pools.forum and rents.account_key = pools.account_key
    left join directed_months
        on
            rents.forum = directed_months.forum
            and rents.account_key = directed_months.account_key
            and rents.place = directed_months.period_place
),

paid as (
    select
        queued.*,
        queued.directed + least(greatest(queued.pool - queued.owed_before, 0), queued.rent_charged - queued.directed) as rent_paid,
        forums.window_months is null or queued.due_on >= {{ add_months('queued.as_of', '-coalesce(forums.window_months, 0)') }} as is_in_window
    from queued
    inner join int_portfolio__accounts as accounts on queued.account_key = accounts.account_key
    inner join int_arrears__forums as forums on queued.forum = forums.forum and accounts.property_key = forums.property_key
),

int_arrears__periods as (
    select
        forum,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        as_of,
        period_from,
        period_to,
        due_on,
        rent_billed,
        rent_credits,
        rent_charged,
        {{ money('rent_paid') }} as rent_paid,
        {{ money('rent_charged - rent_paid') }} as rent_owing,
        excluded_charges,
        is_in_window,
        {{ money('case when is_in_window then rent_charged - rent_paid else 0 end') }} as claimable,
        {{ money('directed') }} as directed_amount,
        {{ money('owed_before') }} as owed_before,
        {{ money('pool') }} as pool
    from paid
)

select * from int_arrears__periods
