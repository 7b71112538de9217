{#- A condition that is true of every row. A null counts as broken: what cannot be told does not hold. -#}
{% test holds(model, condition, message='') %}
select
    *,
    '{{ (message or condition) | replace("'", "''") }}' as message
from {{ model }}
where not coalesce({{ condition }}, false)
{% endtest %}
