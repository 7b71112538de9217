{#- Both sides of a comparison agree on every day. The failure row names the day, the property, the entity and the
    entry to look at first; the model keeps both sides as evidence either way. -#}
{% test ties(model, column_name='difference') %}
select
    *,
    tie_out || ' differs by ' || cast({{ column_name }} as {{ dbt.type_string() }})
        || ' on ' || cast(as_of as {{ dbt.type_string() }})
        || ', property ' || coalesce(property_id, '(none)')
        || ', entity ' || coalesce(entity_id, '(none)')
        || coalesce(', party ' || ledger_party, '')
        || coalesce(', ' || subject, '')
        || ': ' || left_label || ' ' || cast(left_amount as {{ dbt.type_string() }})
        || ', ' || right_label || ' ' || cast(right_amount as {{ dbt.type_string() }})
        || '; look at ' || coalesce(look_at, '(no single entry explains it)') as message
from {{ model }}
where {{ column_name }} <> 0 or {{ column_name }} is null
order by as_of, property_id, entity_id
{% endtest %}
