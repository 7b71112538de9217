-- What an account would owe on the build's day under each order, beside what was in fact applied and what each forum
-- hears. Rent, other charges and what is not due yet stand apart, and waiting money beside them, so that every order but a
-- forum's comes to the same balance.
-- What could go wrong: an order that seems to matter because one row counts rent that is not due yet.
with int_allocation__journal as (
    select * from {{ ref('int_allocation__journal') }} where row_kind = 'application' and what_if_key is not null
),

int_events__entries as (
    select * from {{ ref('int_events__entries') }} where ledger_party = 'resident' and not is_future
),

int_what_ifs__events as (
    select
        account_key,
        event_key,
        policy_rule_key as what_if_key
    from {{ ref('int_what_ifs__events') }}
),

rule_what_ifs as (
    select * from {{ ref('rule_what_ifs') }}
),

int_open_items__charges as (
    select * from {{ ref('int_open_items__charges') }} where ledger_party = 'resident'
),

int_arrears__periods as (
    select * from {{ ref('int_arrears__periods') }}
),

int_portfolio__accounts as (
    select * from {{ ref('int_portfolio__accounts') }}
),

int_build__settings as (
    select * from {{ ref('int_build__settings') }}
),

asked as (
    select distinct account_key from int_what_ifs__events where what_if_key = 1
),

balances as (
    select
        entries.account_key,
        sum(entries.amount) as balance
    from int_events__entries as entries
    group by entries.account_key
),

targets as (
    select
        entries.account_key,
        entries.event_key,
        entries.due_on,
        entries.is_claimable_rent as is_rent,
        entries.amount + coalesce(undone.amount, 0) as owed
    from int_events__entries as entries
    left join (
        select names_event_key, sum(amount) as amount from int_events__entries where is_undoing group by names_event_key
    ) as undone on entries.event_key = undone.names_event_key
    where
        entries.amount >= 0
        and not entries.is_undoing
        and entries.kind in ('opening_balance', 'charge', 'correction', 'transfer', 'refund_of_credit')
),

tried as (
    select
        cast((target_event_key - what_if_key) / 1000 as bigint) as event_key,
        what_if_key,
        sum({{ minor_to_money('amount_minor') }}) as paid
    from int_allocation__journal
    group by 1, 2
),

tried_items as (
    select
        targets.account_key,
        'what_if' as order_kind,
        what_ifs.what_if as order_name,
        targets.due_on,
        targets.is_rent,
        targets.owed - coalesce(tried.paid, 0) as open_amount
    from targets
    inner join asked on (targets.account_key * 1000 + 1) = asked.account_key
    cross join rule_what_ifs as what_ifs
    left join tried on targets.event_key = tried.event_key and what_ifs.what_if_key = tried.what_if_key
),

applied_items as (
    select
        charges.account_key,
        'applied' as order_kind,
        'as_applied' as order_name,
        charges.due_on,
        entries.is_claimable_rent as is_rent,
        charges.open_amount
    from int_open_items__charges as charges
    inner join int_events__entries as entries on charges.event_key = entries.event_key
    inner join asked on (charges.account_key * 1000 + 1) = asked.account_key
),

items as (
    select * from tried_items
    union all
    select * from applied_items
),

ledger_orders as (
    select
        items.account_key,
        items.order_kind,
        items.order_name,
        sum(case when items.is_rent and items.due_on <= settings.as_of_on then items.open_amount else 0 end) as rent_owing,
        sum(case when not items.is_rent and items.due_on <= settings.as_of_on then items.open_amount else 0 end) as other_owing,
        sum(case when items.due_on > settings.as_of_on then items.open_amount else 0 end) as not_yet_due,
        sum(items.open_amount) - max(balances.balance) as unapplied_credit,
        max(balances.balance) as balance
    from items
    inner join balances on items.account_key = balances.account_key
    cross join int_build__settings as settings
    group by items.account_key, items.order_kind, items.order_name
),

forum_orders as (
    select
        periods.account_key,
        'forum' as order_kind,
        periods.forum as order_name,
        sum(periods.rent_owing) as rent_owing,
        cast(null as decimal(18, 2)) as other_owing,
        cast(null as decimal(18, 2)) as not_yet_due,
        cast(null as decimal(18, 2)) as unapplied_credit,
        max(balances.balance) as balance
    from int_arrears__periods as periods
    inner join balances on periods.account_key = balances.account_key
    inner join asked on (periods.account_key * 1000 + 1) = asked.account_key
    group by periods.account_key, periods.forum
),

orders as (
    select * from ledger_orders
    union all
    select * from forum_orders
),

int_what_ifs__results as (
    select
        orders.account_key,
        accounts.source_system,
        accounts.lease_id,
        accounts.property_id,
        settings.as_of_on as as_of,
        orders.order_kind,
        orders.order_name,
        {{ money('orders.rent_owing') }} as rent_owing,
        {{ money('orders.other_owing') }} as other_owing,
        {{ money('orders.not_yet_due') }} as not_yet_due,
        {{ money('orders.unapplied_credit') }} as unapplied_credit,
        {{ money('orders.balance') }} as balance,
        min(orders.rent_owing) over (partition by orders.account_key) <> max(orders.rent_owing) over (partition by orders.account_key) as depends_on_order
    from orders
    inner join int_portfolio__accounts as accounts on orders.account_key = accounts.account_key
    cross join int_build__settings as settings
)

select * from int_what_ifs__results
