-- The trust reconciliation of each trust account at each month end: the deposits of the leases whose houses it serves, trust
-- cash by the ledger, and what its bank has booked, where the bank was heard. An account may serve houses of several owners
-- and of several source systems (its name is the bank's), so that what one lacks is not seen in the account alone;
-- int_tie_outs__trust has the houses apart.
-- What could go wrong: a house counted at two accounts; where several arrangements are in force the latest one names it.

with int_tie_outs__trust as (
    select * from {{ ref('int_tie_outs__trust') }}
),

stg_collection_arrangements as (
    select * from {{ ref('stg_collection_arrangements') }}
),

stg_bank_deposits as (
    select * from {{ ref('stg_bank_deposits') }}
),

latest as (
    select row_key, max(version_no) as version_no
    from stg_collection_arrangements
    group by row_key
),

arrangements as (
    select arranged.*
    from stg_collection_arrangements as arranged
    inner join latest
        on latest.row_key = arranged.row_key
        and latest.version_no = arranged.version_no
    where arranged.is_trust_account
),

houses as (
    select
        trust.*,
        {{ month_end("cast(trust.period || '-01' as date)") }} as as_of,
        arrangements.settlement_account,
        row_number() over (
            partition by trust.entity_key, trust.property_key, trust.period
            order by arrangements.valid_from desc, arrangements.settlement_account
        ) as rank_arrangement
    from int_tie_outs__trust as trust
    inner join arrangements
        on arrangements.property_key = trust.property_key
        and {{ holds_on('arrangements', month_end("cast(trust.period || '-01' as date)")) }}
),

accounts as (
    select
        settlement_account,
        period,
        as_of,
        count(distinct property_key) as properties,
        sum(held_by_leases) as held_by_leases,
        sum(trust_cash) as trust_cash,
        case when count(trust_cash_in_books) = count(*) then sum(trust_cash_in_books) end as trust_cash_in_books
    from houses
    where rank_arrangement = 1
    group by settlement_account, period, as_of
),

banks as (
    select
        accounts.settlement_account,
        accounts.period,
        sum(deposits.amount) as amount
    from accounts
    inner join stg_bank_deposits as deposits
        on deposits.settlement_account = accounts.settlement_account
        and deposits.deposited_on <= accounts.as_of
    group by accounts.settlement_account, accounts.period
),

int_tie_outs__trust_accounts as (
    select
        accounts.settlement_account,
        accounts.period,
        {{ whole('accounts.properties') }} as properties,
        {{ money('accounts.held_by_leases') }} as held_by_leases,
        {{ money('accounts.trust_cash') }} as trust_cash,
        {{ money('accounts.trust_cash_in_books') }} as trust_cash_in_books,
        {{ money('banks.amount') }} as at_bank,
        {{ money('accounts.held_by_leases - accounts.trust_cash') }} as not_in_trust,
        {{ money('accounts.trust_cash - banks.amount') }} as not_at_bank
    from accounts
    left join banks
        on banks.settlement_account = accounts.settlement_account
        and banks.period = accounts.period
)

select * from int_tie_outs__trust_accounts
