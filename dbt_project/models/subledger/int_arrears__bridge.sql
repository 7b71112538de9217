-- From the ledger balance to the claim, line by line to the cent. Each line but the last is a sum of ledger entries of one
-- class; the last but one says what money or credit found no rent owing. The claim itself is read from the periods, so the
-- bridge closes only if both ways of adding up agree.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }}
),

int_arrears__periods as (
    select * from {{ ref('int_arrears__periods') }}
),

accounts as (
    select
        forum,
        account_key,
        source_system,
        lease_key,
        lease_id,
        property_id,
        max(as_of_on) as as_of,
        sum(amount) as balance,
        -sum(case when arrears_class = 'money' then amount else 0 end) as money
    from int_arrears__entries
    group by forum, account_key, source_system, lease_key, lease_id, property_id
),

claims as (
    select
        forum,
        account_key,
        sum(rent_charged) as rent_charged,
        sum(greatest(rent_credits - rent_billed, 0)) as credit_excess,
        sum(rent_owing) as claim
    from int_arrears__periods
    group by forum, account_key
),

named_lines as (
    select
        forum,
        account_key,
        amount,
        case arrears_class
            when 'rent_not_due' then 200
            when 'not_claimable' then 300
            when 'money_for_other' then 400
            when 'rent_deposit' then 500
            when 'write_off' then 600
            else 700
        end as line_group,
        case arrears_class
            when 'rent_not_due' then 'Less rent not yet due'
            when 'not_claimable' then 'Less charges that may not be claimed: ' || replace(category, '_', ' ')
            when 'money_for_other' then 'Plus money that the payer designated to something other than rent'
            when 'rent_deposit' then 'Plus the rent deposit, left out'
            when 'write_off' then 'Plus write-offs, which do not lower a claim'
            else 'Transfers and repayment agreements, which do not lower a claim'
        end as line
    from int_arrears__entries
    where arrears_class not in ('rent_due', 'money')
),

class_lines as (
    select
        forum,
        account_key,
        line_group,
        line,
        -sum(amount) as amount
    from named_lines
    group by forum, account_key, line_group, line
),

leftovers as (
    select
        accounts.forum,
        accounts.account_key,
        800 as line_group,
        'Plus money and credits counted beyond the rent owing' as line,
        (accounts.money + coalesce(claims.credit_excess, 0))
        - least(greatest(accounts.money + coalesce(claims.credit_excess, 0), 0), coalesce(claims.rent_charged, 0)) as amount
    from accounts
    left join claims on accounts.forum = claims.forum and accounts.account_key = claims.account_key
),

lines as (
    select forum, account_key, 100 as line_group, 'Ledger balance' as line, balance as amount from accounts
    union all
    select * from class_lines where amount <> 0
    union all
    select * from leftovers where amount <> 0
    union all
    select
        accounts.forum,
        accounts.account_key,
        900 as line_group,
        'Rent claimed' as line,
        coalesce(claims.claim, 0) as amount
    from accounts
    left join claims on accounts.forum = claims.forum and accounts.account_key = claims.account_key
),

int_arrears__bridge as (
    select
        lines.forum,
        accounts.account_key,
        accounts.source_system,
        accounts.lease_key,
        accounts.lease_id,
        accounts.property_id,
        accounts.as_of,
        cast(row_number() over (partition by lines.forum, lines.account_key order by lines.line_group, lines.line) as integer) as line_no,
        case lines.line_group when 100 then 'ledger_balance' when 900 then 'claim' else 'step' end as line_kind,
        lines.line,
        {{ money('lines.amount') }} as amount
    from lines
    inner join accounts on lines.forum = accounts.forum and lines.account_key = accounts.account_key
)

select * from int_arrears__bridge
