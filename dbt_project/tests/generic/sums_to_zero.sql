{#- A signed amount sums to zero within every group: what was opened is closed, what a trial balance holds nets out. -#}
{% test sums_to_zero(model, column_name, group_by) %}
select
    {% for column in group_by %}{{ column }},{% endfor %}
    sum({{ column_name }}) as remainder,
    '{{ column_name }} leaves ' || cast(sum({{ column_name }}) as {{ dbt.type_string() }}) || ' in'
        {% for column in group_by %}
        || ' {{ column }} ' || coalesce(cast({{ column }} as {{ dbt.type_string() }}), '(none)')
        {% endfor %} as message
from {{ model }}
group by {% for column in group_by %}{{ column }}{{ ',' if not loop.last }}{% endfor %}
having sum({{ column_name }}) <> 0
{% endtest %}
