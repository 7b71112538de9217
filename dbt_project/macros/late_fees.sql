{#-
  Words of late fee law that more than one model needs. A closed day is a Saturday, a Sunday or a day of the calendar
  that the rule names; the last day of a period of grace that is closed is put off to the next open one.
-#}

{#- Whether a day is a Saturday or a Sunday: 2000-01-03 was a Monday. -#}
{% macro is_weekend(d) -%}
    ((({{ days_between("date '2000-01-03'", d) }}) % 7 + 7) % 7 >= 5)
{%- endmacro %}

{#- A later day of two where one of them may not exist. -#}
{% macro later_of(a, b) -%}
    greatest(coalesce({{ a }}, {{ b }}), coalesce({{ b }}, {{ a }}))
{%- endmacro %}

{#- An earlier day of two where one of them may not exist. -#}
{% macro earlier_of(a, b) -%}
    least(coalesce({{ a }}, {{ b }}), coalesce({{ b }}, {{ a }}))
{%- endmacro %}
