-- The accounts on which this build plays the money a second time, by the simple twin of the kernel.
-- First those that something new was accepted for, then others; within both by a hash that another build draws anew, so
-- that every account has its turn and one build always draws the same. The twin plays an account again for every moment of
-- its books, so an account costs the square of its events: accounts are taken until these squares come to a million, which
-- is some twenty seconds, however long the books are; the first one drawn is always taken.
-- What could go wrong: a draw that never changes.
{% set most_squares = 1000000 %}

with int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_events__facts as (
    select * from {{ ref('int_events__facts') }}
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

news as (
    select
        facts.source_table,
        facts.source_key
    from int_events__facts as facts
    cross join int_build__settings as settings
    where facts.accepted_at >= settings.loaded_at
),

changed as (
    select distinct entries.account_key
    from int_events__entries as entries
    inner join news on entries.source_table = news.source_table and entries.source_key = news.source_key
),

sizes as (
    select
        account_key,
        count(*) * count(*) as squares
    from int_events__entries
    group by account_key
),

drawn as (
    select
        accounts.account_key,
        accounts.lease_id,
        accounts.ledger_party,
        changed.account_key is not null as is_changed,
        row_number() over (
            order by
                case when changed.account_key is null then 1 else 0 end,
                {{ sha256_hex("cast(settings.build_no as string) || '|' || accounts.lease_key || '|' || accounts.ledger_party") }},
                accounts.account_key
        ) as place,
        coalesce(sizes.squares, 0) as squares,
        settings.twin_accounts
    from int_portfolio__accounts as accounts
    cross join int_build__settings as settings
    left join changed on accounts.account_key = changed.account_key
    left join sizes on accounts.account_key = sizes.account_key
),

budgeted as (
    select
        drawn.*,
        sum(squares) over (order by place) as squares_so_far
    from drawn
),

int_allocation__compared_accounts as (
    select
        account_key,
        lease_id,
        ledger_party,
        is_changed
    from budgeted
    where place <= twin_accounts and (place = 1 or squares_so_far <= {{ most_squares }})
)

select * from int_allocation__compared_accounts
