{#- An amount that may be zero but never below it. -#}
{% test not_negative(model, column_name) %}
select
    *,
    '{{ column_name }} is below zero' as message
from {{ model }}
where {{ column_name }} < 0
{% endtest %}
