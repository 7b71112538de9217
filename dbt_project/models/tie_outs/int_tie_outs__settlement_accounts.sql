-- The settlement accounts whose bank was heard: those for which deposits were loaded, with the entity where it is one alone,
-- and since when. Without the bank's own file there is no other side to compare with, and nothing is claimed.

with stg_bank_deposits as (
    select * from {{ ref('stg_bank_deposits') }}
),

int_events__settled as (
    select * from {{ ref('int_events__settled') }}
),

int_portfolio__entities as (
    select * from {{ ref('int_portfolio__entities') }}
),

heard as (
    select
        settlement_account,
        min(deposited_on) as first_on
    from stg_bank_deposits
    group by settlement_account
),

used as (
    select
        settlement_account,
        min(entity_key) as entity_key,
        count(distinct entity_key) as entities,
        min(received_on) as first_on
    from int_events__settled
    group by settlement_account
),

int_tie_outs__settlement_accounts as (
    select
        heard.settlement_account,
        case when used.entities = 1 then used.entity_key end as entity_key,
        case when used.entities = 1 then entities.entity_id end as entity_id,
        least(heard.first_on, coalesce(used.first_on, heard.first_on)) as first_on
    from heard
    left join used on used.settlement_account = heard.settlement_account
    left join int_portfolio__entities as entities on entities.entity_key = used.entity_key
)

select * from int_tie_outs__settlement_accounts
