{#-
  The two calendars of the product. A rent period runs from one rent due day to the eve of the next and is anchored on
  the lease; an accounting month is the calendar month. A due day past the end of a short month means its last day.
-#}

{#- The rent due day of the month that holds `d`. -#}
{% macro rent_anchor(d, due_day) -%}
    least({{ add_days(month_start(d), '(' ~ due_day ~ ') - 1') }}, {{ month_end(d) }})
{%- endmacro %}

{#- First day of the rent period that holds `d`. -#}
{% macro rent_period_from(d, due_day) -%}
    case
        when {{ d }} >= {{ rent_anchor(d, due_day) }} then {{ rent_anchor(d, due_day) }}
        else {{ rent_anchor(add_months(month_start(d), -1), due_day) }}
    end
{%- endmacro %}

{#- Last day (inclusive) of the rent period that starts on `period_from`. -#}
{% macro rent_period_to(period_from, due_day) -%}
    {{ add_days(rent_anchor(add_months(month_start(period_from), 1), due_day), -1) }}
{%- endmacro %}

{#- The day an entry is booked on: its own, unless its month was closed when it was known; `open_from` is the first day
    of the first open month at that moment (null: nothing was closed). -#}
{% macro accounting_day(d, open_from) -%}
    greatest({{ d }}, coalesce({{ open_from }}, {{ d }}))
{%- endmacro %}

{#- The first reported day on which something of `d` shows: the end of its month, no earlier than the first day that is
    reported and no later than the last. `bounds` has both; with one reported day, that day. -#}
{% macro report_day(d, bounds) -%}
    least(greatest({{ month_end(d) }}, {{ bounds }}.first_as_of), {{ bounds }}.as_of_on)
{%- endmacro %}

{#- Whole months from `d0` to `d1`: the month is full on the day of the month on which it began. -#}
{% macro whole_months(d0, d1) -%}
    cast(
        12 * (extract(year from {{ d1 }}) - extract(year from {{ d0 }})) + extract(month from {{ d1 }}) - extract(month from {{ d0 }})
        - case when {{ day_of_month(d1) }} < {{ day_of_month(d0) }} then 1 else 0 end as bigint
    )
{%- endmacro %}
