-- The rent of each period as a forum would hear it, before any money: what was billed, less the credits and reversals of
-- the period. What a period's credits exceed its rent by is kept apart: it pays the earliest period owing.
-- What could go wrong: a period that is left out because it holds nothing but a charge that may not be claimed.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }}
),

int_arrears__rents as (
    select
        forum,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        period_from,
        max(period_to) as period_to,
        max(as_of_on) as as_of,
        coalesce(min(case when arrears_class = 'rent_due' and amount > 0 then due_on end), period_from) as due_on,
        {{ money("sum(case when arrears_class = 'rent_due' and amount >= 0 and kind <> 'charge_reversal' then amount else 0 end)") }} as rent_billed,
        {{ money("sum(case when arrears_class = 'rent_due' and (amount < 0 or kind = 'charge_reversal') then -amount else 0 end)") }} as rent_credits,
        {{ money("greatest(sum(case when arrears_class = 'rent_due' then amount else 0 end), 0)") }} as rent_charged,
        {{ money("greatest(-sum(case when arrears_class = 'rent_due' then amount else 0 end), 0)") }} as credit_excess,
        {{ money("sum(case when arrears_class in ('not_claimable', 'claimed_apart') then amount else 0 end)") }} as excluded_charges,
        cast(row_number() over (partition by forum, account_key order by period_from) as integer) as place
    from int_arrears__entries
    where arrears_class in ('rent_due', 'not_claimable', 'claimed_apart')
    group by forum, account_key, source_system, lease_key, lease_id, property_id, period_from
)

select * from int_arrears__rents
