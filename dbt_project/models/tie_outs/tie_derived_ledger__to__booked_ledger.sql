-- Tie-out 6: what the derived ledger holds on an account against what the books themselves say, wherever balances of the
-- books were loaded: by account, day and property, or by entity where the books keep no properties apart. An account that
-- one of the two does not have counts as zero there. It is a comparison with somebody else's books, so a difference is
-- a finding for the close and stops no build. int_tie_outs__booked_differences says, line by line, what it is made of.

with stg_gl_balances as (
    select * from {{ ref('stg_gl_balances') }}
),

int_trial_balance__periods as (
    select * from {{ ref('int_trial_balance__periods') }}
),

int_journals__books as (
    select * from {{ ref('int_journals__books') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

booked as (
    select
        balances.entity_key,
        balances.entity_id,
        balances.property_key,
        balances.property_id,
        balances.account,
        balances.as_of,
        balances.basis,
        balances.balance
    from stg_gl_balances as balances
    cross join int_build__settings
    where balances.as_of <= int_build__settings.as_of_on
),

scopes as (
    select distinct entity_key, entity_id, property_key, property_id, as_of, basis
    from booked
),

derived_parts as (
    select
        scopes.entity_key,
        scopes.property_key,
        scopes.as_of,
        scopes.basis,
        balances.account,
        balances.opening as amount
    from scopes
    inner join int_trial_balance__periods as balances
        on balances.entity_key = scopes.entity_key
        and balances.book = scopes.basis
        and balances.period = {{ period_of('scopes.as_of') }}
    where scopes.property_key is null or balances.property_key = scopes.property_key
    union all
    select
        scopes.entity_key,
        scopes.property_key,
        scopes.as_of,
        scopes.basis,
        journal.account,
        journal.debit - journal.credit
    from scopes
    inner join int_journals__books as journal
        on journal.entity_key = scopes.entity_key
        and journal.book = scopes.basis
        and journal.accounting_on >= {{ month_start('scopes.as_of') }}
        and journal.accounting_on <= scopes.as_of
    where scopes.property_key is null or journal.property_key = scopes.property_key
),

sides as (
    select entity_key, property_key, as_of, basis, account, amount as left_amount, cast(0 as decimal(18, 2)) as right_amount
    from derived_parts
    union all
    select entity_key, property_key, as_of, basis, account, 0, balance
    from booked
),

sums as (
    select
        entity_key,
        property_key,
        as_of,
        basis,
        account,
        sum(left_amount) as left_amount,
        sum(right_amount) as right_amount
    from sides
    group by entity_key, property_key, as_of, basis, account
),

names as (
    select
        entity_key,
        property_key,
        min(entity_id) as entity_id,
        min(property_id) as property_id
    from booked
    group by entity_key, property_key
),

suspects as (
    select
        sums.entity_key,
        sums.property_key,
        sums.as_of,
        sums.basis,
        sums.account,
        items.entry,
        row_number() over (
            partition by sums.entity_key, sums.property_key, sums.as_of, sums.basis, sums.account
            order by items.first_on, items.entry
        ) as rank_in_account
    from sums
    inner join {{ ref('int_tie_outs__booked_items') }} as items
        on items.entity_key = sums.entity_key
        and coalesce(items.property_key, '') = coalesce(sums.property_key, '')
        and items.basis = sums.basis
        and items.account = sums.account
        and items.first_on <= sums.as_of
        and (items.last_on is null or sums.as_of < items.last_on)
    where sums.left_amount <> sums.right_amount
),

looks as (
    select
        entity_key,
        property_key,
        as_of,
        basis,
        account,
        {{ dbt.listagg('entry', "', '", 'order by rank_in_account') }} as look_at
    from suspects
    where rank_in_account <= 5
    group by entity_key, property_key, as_of, basis, account
),

compared as (
    select
        'derived_ledger__to__booked_ledger' as tie_out,
        6 as tie_out_no,
        sums.as_of,
        sums.entity_key,
        names.entity_id,
        sums.property_key,
        names.property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        sums.basis || ' account ' || sums.account as subject,
        'derived ledger' as left_label,
        {{ money('sums.left_amount') }} as left_amount,
        'balance in the books' as right_label,
        {{ money('sums.right_amount') }} as right_amount,
        {{ money('sums.left_amount - sums.right_amount') }} as difference,
        case when sums.left_amount = sums.right_amount then 'ties' else 'differs' end as status,
        looks.look_at
    from sums
    inner join names
        on names.entity_key = sums.entity_key
        and coalesce(names.property_key, '') = coalesce(sums.property_key, '')
    left join looks
        on looks.entity_key = sums.entity_key
        and coalesce(looks.property_key, '') = coalesce(sums.property_key, '')
        and looks.as_of = sums.as_of
        and looks.basis = sums.basis
        and looks.account = sums.account
)

select * from compared
