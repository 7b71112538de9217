{#-
  Everything that engines spell differently lives in this file, dispatched by adapter, so that the models stay one
  text for DuckDB and for Spark. A model that needs a new spelling adds a macro here and never writes it in place.
  Dates go in and come out as DATE, instants as naive TIMESTAMP in UTC, money as DECIMAL(18,2).
-#}

{#- After `as` of a name that is used twice: DuckDB otherwise copies all its rows and columns before anything filters them. -#}
{% macro read_in_place() %}{{ adapter.dispatch('read_in_place')() }}{% endmacro %}
{% macro default__read_in_place() %}not materialized{% endmacro %}
{% macro spark__read_in_place() %}{% endmacro %}

{% macro text(x) %}cast({{ x }} as {{ dbt.type_string() }}){% endmacro %}
{% macro money(x) %}cast({{ x }} as decimal(18, 2)){% endmacro %}
{% macro day(x) %}cast({{ x }} as date){% endmacro %}
{% macro whole(x) %}cast({{ x }} as bigint){% endmacro %}
{% macro flag(x) %}cast({{ x }} as boolean){% endmacro %}

{#- First day of the month that holds a day. -#}
{% macro month_start(d) %}cast(date_trunc('month', {{ d }}) as date){% endmacro %}

{#- The Monday of the week that holds a day. -#}
{% macro week_start(d) %}cast(date_trunc('week', {{ d }}) as date){% endmacro %}

{#- Last day of the month that holds a day. -#}
{% macro month_end(d) %}last_day({{ d }}){% endmacro %}

{% macro add_days(d, n) %}{{ adapter.dispatch('add_days')(d, n) }}{% endmacro %}
{% macro default__add_days(d, n) %}cast({{ d }} + cast({{ n }} as integer) as date){% endmacro %}
{% macro spark__add_days(d, n) %}date_add({{ d }}, cast({{ n }} as int)){% endmacro %}

{% macro add_months(d, n) %}{{ adapter.dispatch('add_months')(d, n) }}{% endmacro %}
{% macro default__add_months(d, n) %}cast({{ d }} + to_months(cast({{ n }} as integer)) as date){% endmacro %}
{% macro spark__add_months(d, n) %}add_months({{ d }}, cast({{ n }} as int)){% endmacro %}

{#- Days from the first date to the second. -#}
{% macro days_between(d0, d1) %}{{ adapter.dispatch('days_between')(d0, d1) }}{% endmacro %}
{% macro default__days_between(d0, d1) %}date_diff('day', {{ d0 }}, {{ d1 }}){% endmacro %}
{% macro spark__days_between(d0, d1) %}datediff({{ d1 }}, {{ d0 }}){% endmacro %}

{% macro day_of_month(d) %}{{ adapter.dispatch('day_of_month')(d) }}{% endmacro %}
{% macro default__day_of_month(d) %}extract(day from {{ d }}){% endmacro %}

{#- `2026-10` of a day. -#}
{% macro period_of(d) %}{{ adapter.dispatch('period_of')(d) }}{% endmacro %}
{% macro default__period_of(d) %}strftime({{ d }}, '%Y-%m'){% endmacro %}
{% macro spark__period_of(d) %}date_format({{ d }}, 'yyyy-MM'){% endmacro %}

{#- First day of a period written `2026-10`. -#}
{% macro period_start(p) %}cast({{ p }} || '-01' as date){% endmacro %}

{#- A wall-clock time in a time zone, as an instant in UTC. -#}
{% macro local_to_utc(ts, zone) %}{{ adapter.dispatch('local_to_utc')(ts, zone) }}{% endmacro %}
{% macro default__local_to_utc(ts, zone) %}timezone('UTC', timezone({{ zone }}, {{ ts }})){% endmacro %}
{% macro spark__local_to_utc(ts, zone) %}convert_timezone({{ zone }}, 'UTC', {{ ts }}){% endmacro %}

{#- The calendar day that an instant in UTC falls on in a time zone. -#}
{% macro local_day(ts, zone) %}{{ adapter.dispatch('local_day')(ts, zone) }}{% endmacro %}
{% macro default__local_day(ts, zone) %}cast(timezone({{ zone }}, timezone('UTC', {{ ts }})) as date){% endmacro %}
{% macro spark__local_day(ts, zone) %}cast(convert_timezone('UTC', {{ zone }}, {{ ts }}) as date){% endmacro %}

{#- An instant as text, to the microsecond: the same text on every engine, because ids are made of it. -#}
{% macro instant_text(ts) %}{{ adapter.dispatch('instant_text')(ts) }}{% endmacro %}
{% macro default__instant_text(ts) %}strftime({{ ts }}, '%Y-%m-%dT%H:%M:%S.%f'){% endmacro %}
{% macro spark__instant_text(ts) %}concat_ws('T', date_format({{ ts }}, 'yyyy-MM-dd'), date_format({{ ts }}, 'HH:mm:ss.SSSSSS')){% endmacro %}

{#- A landed instant (`...Z` is UTC, without it the property's wall clock) as the naive timestamp that was written. -#}
{% macro written_instant(x) %}cast(replace({{ x }}, 'Z', '') as timestamp){% endmacro %}
{% macro is_written_in_utc(x) %}coalesce({{ x }} like '%Z', false){% endmacro %}

{#- Words as the list of an `in`. -#}
{% macro listed(words) %}('{{ words | join("', '") }}'){% endmacro %}

{% macro sha256_hex(x) %}{{ adapter.dispatch('sha256_hex')(x) }}{% endmacro %}
{% macro default__sha256_hex(x) %}sha256({{ x }}){% endmacro %}
{% macro spark__sha256_hex(x) %}sha2({{ x }}, 256){% endmacro %}

{#- A day for every day from `first` to `last`, both included, as column `day`. -#}
{% macro day_series(first, last) %}{{ return(adapter.dispatch('day_series')(first, last)) }}{% endmacro %}
{% macro default__day_series(first, last) %}
    select cast(series.day as date) as day
    from (select unnest(generate_series({{ first }}, {{ last }}, interval 1 day)) as day) as series
{% endmacro %}
{% macro spark__day_series(first, last) %}
    select explode(sequence({{ first }}, {{ last }}, interval 1 day)) as day
{% endmacro %}

{#- A row per first of month from one to another, both inclusive, in a column `month_start`. -#}
{% macro month_series(first, last) %}{{ adapter.dispatch('month_series')(first, last) }}{% endmacro %}
{% macro default__month_series(first, last) %}
    select cast(unnest(generate_series({{ first }}, {{ last }}, interval 1 month)) as date) as month_start
{%- endmacro %}
{% macro spark__month_series(first, last) %}
    select explode(sequence({{ first }}, {{ last }}, interval 1 month)) as month_start
{%- endmacro %}

{#- The parts of a text, one row each, with their position from 1, in columns `part` and `part_no`. -#}
{% macro split_to_rows(relation, keep, column, separator=',') %}
    {{- adapter.dispatch('split_to_rows')(relation, keep, column, separator) -}}
{% endmacro %}
{% macro default__split_to_rows(relation, keep, column, separator) %}
    select {{ keep }}, trim(unnest(string_split({{ column }}, '{{ separator }}'))) as part,
        generate_subscripts(string_split({{ column }}, '{{ separator }}'), 1) as part_no
    from {{ relation }}
{%- endmacro %}
{% macro spark__split_to_rows(relation, keep, column, separator) %}
    select {{ keep }}, trim(part) as part, position + 1 as part_no
    from {{ relation }} lateral view posexplode(split({{ column }}, '{{ separator }}')) as position, part
{%- endmacro %}

{#- Texts of a group joined in their own order. -#}
{% macro joined_texts(x, separator=', ') %}{{ adapter.dispatch('joined_texts')(x, separator) }}{% endmacro %}
{% macro default__joined_texts(x, separator) %}string_agg(distinct {{ x }}, '{{ separator }}' order by {{ x }}){% endmacro %}
{% macro spark__joined_texts(x, separator) %}concat_ws('{{ separator }}', sort_array(collect_set({{ x }}))){% endmacro %}

{#- The texts of a window's rows from the first up to this one (or up to the one before it), joined in their order. -#}
{% macro texts_so_far(x, partition_by, order_by, up_to='current row') %}
    {{- adapter.dispatch('texts_so_far')(x, partition_by, order_by, up_to) -}}
{% endmacro %}
{% macro default__texts_so_far(x, partition_by, order_by, up_to) -%}
    coalesce(string_agg({{ x }}, '') over (
        partition by {{ partition_by }} order by {{ order_by }} rows between unbounded preceding and {{ up_to }}
    ), '')
{%- endmacro %}
{% macro spark__texts_so_far(x, partition_by, order_by, up_to) -%}
    concat_ws('', collect_list({{ x }}) over (
        partition by {{ partition_by }} order by {{ order_by }} rows between unbounded preceding and {{ up_to }}
    ))
{%- endmacro %}

{#- Minor units of the kernel (whole cents) as money, exactly. -#}
{% macro minor_to_money(x) %}cast(cast({{ x }} as decimal(20, 0)) * cast(0.01 as decimal(3, 2)) as decimal(18, 2)){% endmacro %}

{#- Whole division of whole numbers that are not negative; what is left over is dropped. -#}
{% macro whole_quotient(a, b) %}{{ adapter.dispatch('whole_quotient')(a, b) }}{% endmacro %}
{% macro default__whole_quotient(a, b) %}(({{ a }}) // ({{ b }})){% endmacro %}
{% macro spark__whole_quotient(a, b) %}(({{ a }}) div ({{ b }})){% endmacro %}

{#- The share of an amount that falls to `part` of `whole` days (or cents), rounded once to the cent, half away from zero. The
    cents are whole numbers all the way, because a quotient of decimals is a float on one engine and not on the other. -#}
{% macro share_of(amount, part, whole) -%}
    {{ minor_to_money(
        'case when ' ~ amount ~ ' < 0 then -1 else 1 end * '
        ~ whole_quotient(
            '2 * cast(abs(' ~ amount ~ ') * 100 as bigint) * cast(' ~ part ~ ' as bigint) + cast(' ~ whole ~ ' as bigint)',
            '2 * cast(' ~ whole ~ ' as bigint)'
        )
    ) }}
{%- endmacro %}

{#- A row per whole number from `first` up to but not including `last`, in a column `name`, beside the columns kept. -#}
{% macro expand_range(relation, keep, first, last, name) %}{{ adapter.dispatch('expand_range')(relation, keep, first, last, name) }}{% endmacro %}
{% macro default__expand_range(relation, keep, first, last, name) %}
    select {{ keep }}, unnest(range({{ first }}, {{ last }})) as {{ name }}
    from {{ relation }}
{%- endmacro %}
{% macro spark__expand_range(relation, keep, first, last, name) %}
    select {{ keep }}, explode(sequence({{ first }}, {{ last }} - 1)) as {{ name }}
    from {{ relation }}
    where {{ last }} > {{ first }}
{%- endmacro %}

{#- Values of a group as a list, in the order of a whole number. -#}
{% macro ordered_list(x, place) %}{{ adapter.dispatch('ordered_list')(x, place) }}{% endmacro %}
{% macro default__ordered_list(x, place) %}list({{ x }} order by {{ place }}){% endmacro %}
{% macro spark__ordered_list(x, place) %}transform(sort_array(collect_list(struct({{ place }} as place, {{ x }} as item))), one -> one.item){% endmacro %}

{#- The n-th item of a list, counted from 1. -#}
{% macro item_of(items, n) %}{{ adapter.dispatch('item_of')(items, n) }}{% endmacro %}
{% macro default__item_of(items, n) %}{{ items }}[{{ n }}]{% endmacro %}
{% macro spark__item_of(items, n) %}element_at({{ items }}, {{ n }}){% endmacro %}

{#- What is left open of a list of amounts after an amount was put on the items from the first place to the last, in turn. -#}
{% macro left_open(items, amount, first, last) %}{{ adapter.dispatch('left_open')(items, amount, first, last) }}{% endmacro %}
{% macro default__left_open(items, amount, first, last) -%}
    list_transform(
        range(1, len({{ items }}) + 1),
        lambda n: cast(
            case
                when n between {{ first }} and {{ last }}
                    then greatest({{ items }}[n] - greatest({{ amount }} - coalesce(list_sum({{ items }}[{{ first }}:n - 1]), 0), 0), 0)
                else {{ items }}[n]
            end as decimal(18, 2)
        )
    )
{%- endmacro %}
{% macro spark__left_open(items, amount, first, last) -%}
    transform(
        sequence(1, size({{ items }})),
        n -> cast(
            case
                when n between {{ first }} and {{ last }}
                    then greatest(
                        element_at({{ items }}, n) - greatest(
                            {{ amount }} - aggregate(
                                slice({{ items }}, {{ first }}, n - {{ first }}), cast(0 as decimal(38, 2)), (total, item) -> cast(total + item as decimal(38, 2))
                            ), 0
                        ), 0
                    )
                else element_at({{ items }}, n)
            end as decimal(18, 2)
        )
    )
{%- endmacro %}

{#- A row per condition in a JSON list of {field, op, value}, beside the columns kept. -#}
{% macro condition_rows(relation, keep, column) %}{{ adapter.dispatch('condition_rows')(relation, keep, column) }}{% endmacro %}
{% macro default__condition_rows(relation, keep, column) %}
    select {{ keep }}, found.field, found.op, found.value
    from (
        select {{ keep }}, unnest(from_json({{ column }}, '[{"field": "VARCHAR", "op": "VARCHAR", "value": "VARCHAR"}]')) as found
        from {{ relation }}
    ) as conditions
{%- endmacro %}
{% macro spark__condition_rows(relation, keep, column) %}
    select {{ keep }}, found.field, found.op, found.value
    from (
        select {{ keep }}, explode(from_json({{ column }}, 'array<struct<field:string,op:string,value:string>>')) as found
        from {{ relation }}
    ) as conditions
{%- endmacro %}
