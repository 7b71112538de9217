{#- The contracted applications say what the kernel's journal says: per account as many rows and as much money. -#}
{% test journal_is_whole(model, journal) %}
with kernel as (
    select
        account_key,
        count(*) as row_count,
        sum(amount_minor) as amount_minor
    from {{ journal }}
    where row_kind = 'application' and what_if_key is null
    group by account_key
),

named as (
    select
        account_key,
        count(*) as row_count,
        cast(sum(amount) * 100 as bigint) as amount_minor
    from {{ model }}
    group by account_key
)

select
    coalesce(kernel.account_key, named.account_key) as account_key,
    'account ' || cast(coalesce(kernel.account_key, named.account_key) as {{ dbt.type_string() }})
    || ': the kernel returned ' || cast(coalesce(kernel.row_count, 0) as {{ dbt.type_string() }})
    || ' rows, ' || cast(coalesce(named.row_count, 0) as {{ dbt.type_string() }}) || ' were booked' as message
from kernel
full outer join named on kernel.account_key = named.account_key
where
    coalesce(kernel.row_count, 0) <> coalesce(named.row_count, 0)
    or coalesce(kernel.amount_minor, 0) <> coalesce(named.amount_minor, 0)
{% endtest %}
