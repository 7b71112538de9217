{#- Debits equal credits within every group; the failure row says which group and by how much. -#}
{% test debits_equal_credits(model, group_by, debit='debit', credit='credit') %}
select
    {% for column in group_by %}{{ column }},{% endfor %}
    sum({{ debit }}) as debits,
    sum({{ credit }}) as credits,
    'debits ' || cast(sum({{ debit }}) as {{ dbt.type_string() }})
        || ' and credits ' || cast(sum({{ credit }}) as {{ dbt.type_string() }}) || ' differ in'
        {% for column in group_by %}
        || ' {{ column }} ' || coalesce(cast({{ column }} as {{ dbt.type_string() }}), '(none)')
        {% endfor %} as message
from {{ model }}
group by {% for column in group_by %}{{ column }}{{ ',' if not loop.last }}{% endfor %}
having sum({{ debit }}) <> sum({{ credit }})
{% endtest %}
