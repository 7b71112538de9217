{#- For every account and day, on both bases: what the items say was opened less what they say waits is what the ledger says
    was owed more. Equal on each day means equal running balances; the last one is compared with the ledger's own. -#}
{% test balance_is_open_less_waiting(model, entries) %}
with from_items as (
    select account_key, 'business' as basis, business_on as on_date, case when side = 'open' then change else -change end as amount from {{ model }}
    union all
    select account_key, 'books' as basis, accounting_on as on_date, case when side = 'open' then change else -change end as amount from {{ model }}
),

from_ledger as (
    select account_key, 'business' as basis, business_on as on_date, amount from {{ entries }}
    union all
    select account_key, 'books' as basis, accounting_on as on_date, amount from {{ entries }}
),

items as (
    select account_key, basis, on_date, sum(amount) as amount from from_items group by account_key, basis, on_date
),

ledger as (
    select account_key, basis, on_date, sum(amount) as amount from from_ledger group by account_key, basis, on_date
),

last_balances as (
    select
        account_key,
        max_by(running_balance, entry_seq) as last_balance
    from {{ entries }}
    group by account_key
),

totals as (
    select account_key, sum(amount) as amount from from_items where basis = 'business' group by account_key
)

select
    coalesce(items.account_key, ledger.account_key) as account_key,
    'account ' || cast(coalesce(items.account_key, ledger.account_key) as {{ dbt.type_string() }})
    || ' on ' || cast(coalesce(items.on_date, ledger.on_date) as {{ dbt.type_string() }})
    || ' (' || coalesce(items.basis, ledger.basis) || '): open less waiting moved by '
    || cast(coalesce(items.amount, 0) as {{ dbt.type_string() }}) || ', the ledger by '
    || cast(coalesce(ledger.amount, 0) as {{ dbt.type_string() }}) as message
from items
full outer join ledger
    on items.account_key = ledger.account_key and items.basis = ledger.basis and items.on_date = ledger.on_date
where coalesce(items.amount, 0) <> coalesce(ledger.amount, 0)
union all
select
    last_balances.account_key,
    'account ' || cast(last_balances.account_key as {{ dbt.type_string() }}) || ': the last running balance is '
    || cast(last_balances.last_balance as {{ dbt.type_string() }}) || ', open less waiting is '
    || cast(coalesce(totals.amount, 0) as {{ dbt.type_string() }}) as message
from last_balances
left join totals on last_balances.account_key = totals.account_key
where last_balances.last_balance <> coalesce(totals.amount, 0)
{% endtest %}
