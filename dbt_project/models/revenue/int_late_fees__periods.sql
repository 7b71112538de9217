-- The resident's rent of each rent period: when it was due, what it came to, and the day from which it was paid in full.
-- A payment counts from the day it was received, whenever it was keyed; money that came back pays nothing.
-- What could go wrong: an agency's share taken for the resident's, or a fee that is rent by statute made a base of fees.
with int_late_fees__rents as (
    select * from {{ ref('int_late_fees__rents') }}
),

int_open_items__changes as (
    select * from {{ ref('int_open_items__changes') }} where side = 'open'
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

changes as (
    select
        rents.account_key,
        rents.period_from,
        changes.business_on,
        sum(changes.change) as change
    from int_open_items__changes as changes
    inner join int_late_fees__rents as rents on changes.item_key = rents.event_key
    cross join int_build__settings as settings
    where changes.business_on <= settings.as_of_on
    group by rents.account_key, rents.period_from, changes.business_on
),

running as (
    select
        changes.*,
        sum(change) over (partition by account_key, period_from order by business_on) as open_rent
    from changes
),

last_owed as (
    select
        account_key,
        period_from,
        max(case when open_rent > 0 then business_on end) as owed_on,
        min(business_on) as first_on
    from running
    group by account_key, period_from
),

settled as (
    select
        last_owed.account_key,
        last_owed.period_from,
        min(running.business_on) as paid_on
    from last_owed
    inner join running
        on
            last_owed.account_key = running.account_key
            and last_owed.period_from = running.period_from
            and (last_owed.owed_on is null or running.business_on > last_owed.owed_on)
    group by last_owed.account_key, last_owed.period_from
),

billed as (
    select
        account_key,
        lease_key,
        period_from,
        max(lease_id) as lease_id,
        max(source_system) as source_system,
        max_by(property_key, event_key) as property_key,
        max_by(property_id, event_key) as property_id,
        max(period_to) as period_to,
        min(case when kind in ('charge', 'correction', 'opening_balance') then due_on end) as due_on,
        -- The resident's share: what was charged, less the subsidy credited against it.
        sum(case when category = 'concession' then 0 else amount end) as period_rent
    from int_late_fees__rents
    group by account_key, lease_key, period_from
),

int_late_fees__periods as (
    select
        billed.account_key,
        billed.lease_key,
        billed.lease_id,
        billed.source_system,
        billed.property_key,
        billed.property_id,
        billed.period_from,
        billed.period_to,
        billed.due_on,
        {{ money('billed.period_rent') }} as period_rent,
        settled.paid_on,
        settled.paid_on is null or settled.paid_on > billed.due_on as is_late
    from billed
    left join settled on billed.account_key = settled.account_key and billed.period_from = settled.period_from
    where billed.due_on is not null and billed.period_rent > 0
)

select * from int_late_fees__periods
