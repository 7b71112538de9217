{#-
  Groups of the contract's words that the rules for applying money speak of. The kernel has the same groups (words.py); a
  test holds the two against each other.
-#}

{#- What money designated to `fees` may pay. -#}
{% macro fee_categories() %}
    {{ return(['fee', 'late_fee', 'nsf_fee', 'legal']) }}
{% endmacro %}

{#- Credits of these lower the rent of their period, whatever their code says of itself. -#}
{% macro lowering_categories() %}
    {{ return(['concession', 'subsidy']) }}
{% endmacro %}
