{#-
  Part of a rent period. The share of a piece is a number of counted days over a denominator, both kept on the line;
  money is rounded once, half away from zero, in whole cents (`share_of`).
-#}

{#- Days counted up to and with the n-th day of a period when a month is 30 days long: its last day completes the 30. -#}
{% macro thirtieths_to(n, period_days) -%}
    case when {{ n }} >= {{ period_days }} then 30 else least({{ n }}, 30) end
{%- endmacro %}

{#- What a piece counts: the numerator of its share. `first_no` and `last_no` are the places of its days in the period. -#}
{% macro counted_days(method, first_no, last_no, period_days, is_filled, is_thirty_long) -%}
    case
        when {{ method }} = 'thirty_day_month' and ({{ is_filled }} or {{ is_thirty_long }})
            then {{ thirtieths_to(last_no, period_days) }} - {{ thirtieths_to('(' ~ first_no ~ ' - 1)', period_days) }}
        when {{ method }} = 'thirty_day_month' then least({{ last_no }} - {{ first_no }} + 1, 30)
        when {{ method }} = 'actual_days_year' and not {{ is_filled }} then ({{ last_no }} - {{ first_no }} + 1) * 12
        else {{ last_no }} - {{ first_no }} + 1
    end
{%- endmacro %}

{#- What it is counted against: the denominator of its share. -#}
{% macro counted_against(method, period_days, is_filled, year_days) -%}
    case
        when {{ method }} = 'thirty_day_month' then 30
        when {{ method }} = 'actual_days_year' and not {{ is_filled }} then {{ year_days }}
        else {{ period_days }}
    end
{%- endmacro %}

{#- Days in the calendar year of a day. -#}
{% macro year_days(d) -%}
    {{ days_between("cast(date_trunc('year', " ~ d ~ ") as date)", add_months("cast(date_trunc('year', " ~ d ~ ") as date)", 12)) }}
{%- endmacro %}
