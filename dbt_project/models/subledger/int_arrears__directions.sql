-- What money that is meant for certain months pays of their rent, before any other money looks for rent: months that the
-- payer named, or the month of the payment where the forum puts that first. Sources come in turn, each on the earliest of
-- its months that is still open; a list of open months per account is handed from one to the next.
-- What could go wrong: two directions to one month that both find it open.
with recursive int_arrears__rents as (
    select * from {{ ref('int_arrears__rents') }}
),

directed_money as (
    select * from {{ ref('int_arrears__money') }} where directed_from is not null and counted_amount > 0
),

directed as (
    select
        money.forum,
        money.account_key,
        money.place as money_place,
        money.counted_amount,
        min(rents.place) as first_place,
        max(rents.place) as last_place,
        row_number() over (partition by money.forum, money.account_key order by money.place) as turn
    from directed_money as money
    inner join int_arrears__rents as rents
        on
            money.forum = rents.forum
            and money.account_key = rents.account_key
            and rents.period_from between money.directed_from and money.directed_to
    group by money.forum, money.account_key, money.place, money.counted_amount
),

months as (
    select
        rents.forum,
        rents.account_key,
        {{ ordered_list('rents.rent_charged', 'rents.place') }} as open_months
    from int_arrears__rents as rents
    inner join (select distinct forum, account_key from directed) as accounts
        on rents.forum = accounts.forum and rents.account_key = accounts.account_key
    group by rents.forum, rents.account_key
),

turns as (
    select
        forum,
        account_key,
        cast(0 as bigint) as turn,
        cast(0 as integer) as money_place,
        open_months as open_before,
        open_months as open_after
    from months
    union all
    select
        turns.forum,
        turns.account_key,
        directed.turn,
        directed.money_place,
        turns.open_after as open_before,
        {{ left_open('turns.open_after', 'directed.counted_amount', 'directed.first_place', 'directed.last_place') }} as open_after
    from turns
    inner join directed
        on turns.forum = directed.forum and turns.account_key = directed.account_key and turns.turn + 1 = directed.turn
),

int_arrears__directions as (
    select
        rents.forum,
        rents.account_key,
        turns.money_place,
        rents.place as period_place,
        {{ money(item_of('turns.open_before', 'rents.place') ~ ' - ' ~ item_of('turns.open_after', 'rents.place')) }} as cleared_amount
    from turns
    inner join int_arrears__rents as rents on turns.forum = rents.forum and turns.account_key = rents.account_key
    where turns.turn > 0 and {{ item_of('turns.open_before', 'rents.place') }} > {{ item_of('turns.open_after', 'rents.place') }}
)

select * from int_arrears__directions
