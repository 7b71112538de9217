{#- The parts of each group add up to the figure that another model gives for it. Groups without parts stand for zero;
    an empty key is a group like any other. -#}
{% test parts_add_up(model, part, whole, whole_column, key) %}
select
    {% for column in key %}whole.{{ column }},{% endfor %}
    'the parts add up to ' || cast(coalesce(parts.total, 0) as {{ dbt.type_string() }}) || ', the whole is '
    || cast(whole.{{ whole_column }} as {{ dbt.type_string() }}) as message
from {{ whole }} as whole
left join (
    select
        {% for column in key %}{{ column }},{% endfor %}
        sum({{ part }}) as total
    from {{ model }}
    group by {% for column in key %}{{ column }}{{ ',' if not loop.last }}{% endfor %}
) as parts
    on {% for column in key %}whole.{{ column }} is not distinct from parts.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
where coalesce(parts.total, 0) <> whole.{{ whole_column }}
{% endtest %}
