-- From the ledger balance to the claim, line by line to the cent. Each line but the last few is a sum of ledger entries of
-- one class; those say what money found no rent owing and what fell due before the forum's window. The claim itself is
-- read from the periods, so the bridge closes only if both ways of adding up agree. What may be claimed beside the rent
-- stands below the claim, with the two together.
with int_arrears__entries as (
    select * from {{ ref('int_arrears__entries') }}
),

int_arrears__periods as (
    select * from {{ ref('int_arrears__periods') }}
),

int_arrears__extras as (
    select * from {{ ref('int_arrears__extras') }}
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
        sum(case when kind = 'deposit_held' then 0 else amount end) as balance,
        sum(case when kind = 'deposit_held' then amount else 0 end) as deposit_held,
        -sum(case when arrears_class = 'money' then amount else 0 end) as money
    from int_arrears__entries
    group by forum, account_key, source_system, lease_key, lease_id, property_id
),

claims as (
    select
        forum,
        account_key,
        sum(rent_paid) as rent_paid,
        sum(greatest(rent_credits - rent_billed, 0)) as credit_excess,
        sum(rent_owing - claimable) as before_window,
        sum(claimable) as claim
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
            when 'claimed_apart' then 310
            when 'money_for_other' then 400
            when 'rent_deposit' then 500
            when 'write_off' then 600
            else 700
        end as line_group,
        case arrears_class
            when 'rent_not_due' then 'Less rent not yet due'
            when 'not_claimable' then 'Less charges that may not be claimed: ' || replace(category, '_', ' ')
            when 'claimed_apart' then 'Less charges that may be claimed apart from rent: ' || replace(category, '_', ' ')
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

derived_lines as (
    select
        accounts.forum,
        accounts.account_key,
        550 as line_group,
        'Less the rent deposit held, deducted with its interest' as line,
        accounts.deposit_held as amount
    from accounts
    union all
    select
        accounts.forum,
        accounts.account_key,
        800 as line_group,
        'Plus money and credits counted beyond the rent owing' as line,
        accounts.money + coalesce(claims.credit_excess, 0) - coalesce(claims.rent_paid, 0) as amount
    from accounts
    left join claims on accounts.forum = claims.forum and accounts.account_key = claims.account_key
    union all
    select
        forum,
        account_key,
        850 as line_group,
        'Less rent that fell due before the forum looks back' as line,
        -before_window as amount
    from claims
),

extras as (
    select
        forum,
        account_key,
        category,
        sum(claimable) as amount
    from int_arrears__extras
    group by forum, account_key, category
),

lines as (
    select forum, account_key, 100 as line_group, 'ledger_balance' as line_kind, 'Ledger balance' as line, balance as amount from accounts
    union all
    select forum, account_key, line_group, 'step', line, amount from class_lines where amount <> 0
    union all
    select forum, account_key, line_group, 'step', line, amount from derived_lines where amount <> 0
    union all
    select accounts.forum, accounts.account_key, 900, 'claim', 'Rent claimed', coalesce(claims.claim, 0)
    from accounts
    left join claims on accounts.forum = claims.forum and accounts.account_key = claims.account_key
    union all
    select forum, account_key, 910, 'apart', 'Claimed apart from rent: ' || replace(category, '_', ' '), amount from extras
    union all
    select extras.forum, extras.account_key, 920, 'claimed_in_all', 'Claimed in all', sum(extras.amount) + coalesce(max(claims.claim), 0)
    from extras
    left join claims on extras.forum = claims.forum and extras.account_key = claims.account_key
    group by extras.forum, extras.account_key
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
        lines.line_kind,
        lines.line,
        {{ money('lines.amount') }} as amount
    from lines
    inner join accounts on lines.forum = accounts.forum and lines.account_key = accounts.account_key
)

select * from int_arrears__bridge
