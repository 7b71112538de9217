{% test no_difference(model) %}
select * from {{ model }} where difference <> 0
{% endtest %}
