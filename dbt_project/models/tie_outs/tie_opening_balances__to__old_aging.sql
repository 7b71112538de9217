-- The go-live proof: what was carried over for a household against the old system's own aging of it, bucket by bucket, on the
-- day it was carried over, where that report was loaded (control_totals with a lease). A household that one of the two does not
-- have counts as zero there, so nobody is lost on the way. The old report is somebody else's, so a difference is a
-- finding for whoever goes live and stops no build. What could go wrong: one total that ties while its buckets do not.
{% set buckets = buckets_of_an_aging() + ['unapplied_credit', 'balance'] %}

with stg_control_totals as (
    select * from {{ ref('stg_control_totals') }}
    where lease_key is not null and measure in {{ listed(buckets) }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }} where kind = 'opening_balance'
),

totals as (
    select totals.lease_key, totals.as_of, totals.measure, totals.amount, leases.property_key
    from stg_control_totals as totals
    inner join {{ ref('int_portfolio__leases') }} as leases on leases.lease_key = totals.lease_key
),

-- The days on which a house came over with an aging by buckets; totals of other days are no part of going live.
reported_days as (
    select distinct totals.as_of, totals.property_key
    from totals
    inner join int_events__entries as entries
        on entries.business_on = totals.as_of
        and entries.property_key = totals.property_key
    where totals.measure in {{ listed(buckets_of_an_aging()) }}
),

carried as (
    select
        entries.lease_key,
        entries.lease_id,
        reported_days.as_of,
        entries.amount,
        {{ days_between('entries.due_on', 'reported_days.as_of') }} as age
    from int_events__entries as entries
    inner join reported_days
        on reported_days.as_of = entries.business_on
        and reported_days.property_key = entries.property_key
),

sides as (
    select
        lease_key,
        as_of,
        case
            when amount < 0 then 'unapplied_credit'
            when age < 0 then 'not_yet_due'
            when age <= 30 then 'days_0_30'
            when age <= 60 then 'days_31_60'
            when age <= 90 then 'days_61_90'
            else 'days_over_90'
        end as measure,
        abs(amount) as left_amount,
        cast(0 as decimal(18, 2)) as right_amount
    from carried
    union all
    select lease_key, as_of, 'balance', amount, 0
    from carried
    union all
    select totals.lease_key, totals.as_of, totals.measure, 0, totals.amount
    from totals
    inner join reported_days
        on reported_days.as_of = totals.as_of
        and reported_days.property_key = totals.property_key
),

sums as (
    select lease_key, as_of, measure, sum(left_amount) as left_amount, sum(right_amount) as right_amount
    from sides
    group by lease_key, as_of, measure
),

owned as (
    select
        sums.*,
        leases.lease_id,
        leases.property_key,
        leases.property_id,
        owners.entity_key,
        owners.entity_id,
        row_number() over (
            partition by sums.lease_key, sums.as_of, sums.measure
            order by {{ owner_fit('owners', 'sums.as_of') }} desc, owners.place desc
        ) as rank_owner
    from sums
    inner join {{ ref('int_portfolio__leases') }} as leases on leases.lease_key = sums.lease_key
    inner join {{ ref('int_portfolio__owners') }} as owners
        on owners.property_key = leases.property_key
),

compared as (
    select
        'opening_balances__to__old_aging' as tie_out,
        14 as tie_out_no,
        owned.as_of,
        owned.entity_key,
        owned.entity_id,
        owned.property_key,
        owned.property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'lease ' || owned.lease_id || ' ' || owned.measure as subject,
        'opening balances' as left_label,
        {{ money('owned.left_amount') }} as left_amount,
        'aging of the old system' as right_label,
        {{ money('owned.right_amount') }} as right_amount,
        {{ money('owned.left_amount - owned.right_amount') }} as difference,
        case when owned.left_amount = owned.right_amount then 'ties' else 'differs' end as status,
        case when owned.left_amount <> owned.right_amount then 'opening_balances of lease ' || owned.lease_id end as look_at
    from owned
    where owned.rank_owner = 1
)

select * from compared
