{#- On every day and on both bases, what was applied to a charge (or from a payment) is between nothing and what it stands
    for that day: its amount, less what was reversed or returned of it. So nothing stays applied to a reversed charge. -#}
{% test open_within_amount(model, entries) %}
with on_bases as (
    select item_key, side, 'business' as basis, business_on as on_date, change, is_application from {{ model }}
    union all
    select item_key, side, 'books' as basis, accounting_on as on_date, change, is_application from {{ model }}
),

daily as (
    select
        item_key,
        side,
        basis,
        on_date,
        sum(case when is_application then 0 else change end) as own_change,
        sum(case when is_application then -change else 0 end) as applied_change
    from on_bases
    group by item_key, side, basis, on_date
),

running as (
    select
        item_key,
        side,
        basis,
        on_date,
        sum(own_change) over (partition by item_key, side, basis order by on_date rows unbounded preceding) as stands_for,
        sum(applied_change) over (partition by item_key, side, basis order by on_date rows unbounded preceding) as applied
    from daily
)

select
    entries.lease_id,
    running.*,
    'lease ' || entries.lease_id || ', ' || entries.kind || ' ' || entries.source_id || ' on '
    || cast(running.on_date as {{ dbt.type_string() }}) || ' (' || running.basis || '): it stands for '
    || cast(running.stands_for as {{ dbt.type_string() }}) || ' and ' || cast(running.applied as {{ dbt.type_string() }})
    || ' is applied' as message
from running
inner join {{ entries }} as entries on running.item_key = entries.event_key
where running.applied < 0 or running.applied > running.stands_for
{% endtest %}
