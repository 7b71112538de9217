{#- Opening and closing balances of every month net to zero within each property of each entity. -#}
{% test trial_balance_nets(model) %}
select
    book,
    entity_id,
    property_id,
    period,
    sum(opening) as opening,
    sum(closing) as closing,
    'the trial balance of ' || period || ' does not net to zero in entity ' || coalesce(entity_id, '(none)')
        || ', property ' || coalesce(property_id, '(none)')
        || ': opening ' || cast(sum(opening) as {{ dbt.type_string() }})
        || ', closing ' || cast(sum(closing) as {{ dbt.type_string() }}) as message
from {{ model }}
group by book, entity_id, property_id, period
having sum(opening) <> 0 or sum(closing) <> 0
{% endtest %}
