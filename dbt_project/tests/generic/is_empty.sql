{#- The model lists what is wrong; a build with rows in it stops. The model brings its own column `message`. -#}
{% test is_empty(model) %}
select * from {{ model }}
{% endtest %}
