{#- A layer is a schema: the name is taken as it is, without the target's schema in front. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}
