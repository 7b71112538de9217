-- Money under way: what was received for an owner on a settlement account by the end of a day, what of it had settled, and
-- what is between. A row per day on which something moved or something was still under way, for accounts whose
-- bank was heard. What could go wrong: money that came back before it settled; it leaves on the day it came back.

with int_tie_outs__settlement_accounts as (
    select * from {{ ref('int_tie_outs__settlement_accounts') }}
),

int_events__settled as (
    select * from {{ ref('int_events__settled') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

payments as (
    select settled.*
    from int_events__settled as settled
    inner join int_tie_outs__settlement_accounts as accounts
        on accounts.settlement_account = settled.settlement_account
),

movements as (
    select settlement_account, entity_key, received_on as moved_on, amount as received, cast(0 as decimal(18, 2)) as settled
    from payments
    union all
    select settlement_account, entity_key, settled_on, 0, amount
    from payments
    where settled_on is not null
),

changes as (
    select settlement_account, entity_key, moved_on, sum(received) as received, sum(settled) as settled
    from movements
    group by settlement_account, entity_key, moved_on
),

totals as (
    select
        *,
        sum(received) over (partition by settlement_account, entity_key order by moved_on) as received_to_date,
        sum(settled) over (partition by settlement_account, entity_key order by moved_on) as settled_to_date,
        lead(moved_on) over (partition by settlement_account, entity_key order by moved_on) as next_on
    from changes
),

days as (
    {{ day_series('(select min(moved_on) from changes)', '(select max(as_of_on) from int_build__settings)') }}
),

int_tie_outs__funds_in_transit as (
    select
        {{ source_system_of('totals.entity_key', 'entities.entity_id') }} as source_system,
        totals.entity_key,
        entities.entity_id,
        totals.settlement_account,
        days.day as as_of,
        {{ money('totals.received_to_date') }} as received_to_date,
        {{ money('totals.settled_to_date') }} as settled_to_date,
        {{ money('totals.received_to_date - totals.settled_to_date') }} as in_transit
    from totals
    inner join int_portfolio__entities as entities on entities.entity_key = totals.entity_key
    inner join days
        on days.day >= totals.moved_on
        and (totals.next_on is null or days.day < totals.next_on)
    where days.day = totals.moved_on or totals.received_to_date <> totals.settled_to_date
)

select * from int_tie_outs__funds_in_transit
