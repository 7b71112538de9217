{#- A grain of several columns holds: no two rows share them, and none of them is null unless `nullable` names it. -#}
{% test unique_together(model, columns, nullable=[]) %}
select
    {% for column in columns %}{{ column }},{% endfor %}
    count(*) as rows_found,
    'several rows share one key, or a key column is null' as message
from {{ model }}
group by {% for column in columns %}{{ column }}{{ ',' if not loop.last }}{% endfor %}
having count(*) > 1
{% for column in columns if column not in nullable %}
    or {{ column }} is null
{% endfor %}
{% endtest %}
