{#- Two models hold the same keys, each once: nothing was lost on the way from one to the other, and nothing was made up. -#}
{% test same_rows(model, other, key, other_where='1 = 1') %}
select
    coalesce(left_side.{{ key }}, right_side.{{ key }}) as {{ key }},
    'a row stands on one side only' as message
from (select {{ key }} from {{ model }}) as left_side
full outer join (select {{ key }} from {{ other }} where {{ other_where }}) as right_side on left_side.{{ key }} = right_side.{{ key }}
where left_side.{{ key }} is null or right_side.{{ key }} is null
{% endtest %}
