-- Rent owing month by month, as a forum computes it: money is put on the earliest rent owing, whatever the operator's own
-- applications did. Credits lower their own period; what exceeds it pays the earliest, and no period is negative.
-- What could go wrong: money that counts twice, once as a credit of its period and once in the pool.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }}
),

period_sums as (
    select
        forum,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        period_from,
        max(period_to) as period_to,
        sum(case when arrears_class = 'rent_due' and amount >= 0 and kind <> 'charge_reversal' then amount else 0 end) as rent_billed,
        sum(case when arrears_class = 'rent_due' and (amount < 0 or kind = 'charge_reversal') then -amount else 0 end) as rent_credits,
        sum(case when arrears_class = 'rent_due' then amount else 0 end) as rent_net,
        sum(case when arrears_class = 'not_claimable' then amount else 0 end) as excluded_charges,
        max(as_of_on) as as_of
    from int_arrears__entries
    where arrears_class in ('rent_due', 'not_claimable')
    group by forum, account_key, source_system, lease_key, lease_id, property_id, period_from
),

pools as (
    select
        forum,
        account_key,
        -sum(amount) as money
    from int_arrears__entries
    where arrears_class = 'money'
    group by forum, account_key
),

credits as (
    select
        forum,
        account_key,
        sum(greatest(-rent_net, 0)) as excess
    from period_sums
    group by forum, account_key
),

queued as (
    select
        period_sums.*,
        greatest(period_sums.rent_net, 0) as rent_charged,
        greatest(coalesce(pools.money, 0) + credits.excess, 0) as pool,
        coalesce(
            sum(greatest(period_sums.rent_net, 0)) over (
                partition by period_sums.forum, period_sums.account_key
                order by period_sums.period_from
                rows between unbounded preceding and 1 preceding
            ), 0
        ) as owed_before
    from period_sums
    inner join credits on period_sums.forum = credits.forum and period_sums.account_key = credits.account_key
    left join pools on period_sums.forum = pools.forum and period_sums.account_key = pools.account_key
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
        {{ money('rent_billed') }} as rent_billed,
        {{ money('rent_credits') }} as rent_credits,
        {{ money('rent_charged') }} as rent_charged,
        {{ money('least(greatest(pool - owed_before, 0), rent_charged)') }} as rent_paid,
        {{ money('rent_charged - least(greatest(pool - owed_before, 0), rent_charged)') }} as rent_owing,
        {{ money('excluded_charges') }} as excluded_charges,
        {{ money('rent_charged - least(greatest(pool - owed_before, 0), rent_charged)') }} as claimable,
        {{ money('owed_before') }} as owed_before,
        {{ money('pool') }} as pool
    from queued
)

select * from int_arrears__periods
