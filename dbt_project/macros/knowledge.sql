{#-
  When the books knew a version of reference data. The first version that was accepted before any close it can reach
  counts as always known; a version with a recorded time is known from it; one that reaches a month closed before it was
  accepted here is known no earlier than it was accepted. Yields the CTE `known_versions`: the relation's columns with
  known_from (null: always) and known_to (null: still).

  relation    a CTE with written_at, accepted_at, version_no, row_key, row_number and the columns named below
  closes      a CTE of effective closes: closed_at, registered_at, period_end
  thing       columns that name the thing described; its first version is the one that everything earlier falls back on
  valid_from  column (or null) from which the version is valid: a close of an earlier month is out of its reach
  falls_back  false where there may be no answer at all before the first version was known (a law); `unless_reached` where
              the first version makes bookings of its own, and a month that it reaches was closed before it came
-#}
{% macro known_versions(relation, closes, thing, valid_from='valid_from', falls_back=true) %}
reached as (
    select
        version.row_key,
        version.version_no,
        max(1) as is_reached
    from {{ relation }} as version
    inner join {{ closes }} as closes
        on
            closes.registered_at < version.accepted_at
            and closes.period_end >= coalesce({{ 'version.' ~ valid_from if valid_from else 'null' }}, date '0001-01-01')
            and closes.closed_at >= coalesce(version.written_at, timestamp '0001-01-01 00:00:00')
    group by version.row_key, version.version_no
),

placed as (
    select
        version.*,
        coalesce(reached.is_reached, 0) as is_reached,
        row_number() over (
            partition by {% for column in thing %}version.{{ column }}{{ ', ' if not loop.last }}{% endfor %}
            order by
                coalesce(reached.is_reached, 0), coalesce(version.written_at, timestamp '0001-01-01 00:00:00'),
                version.version_no{% if valid_from %}, coalesce(version.{{ valid_from }}, date '0001-01-01'){% endif %}, version.row_key
        ) as place
    from {{ relation }} as version
    left join reached on version.row_key = reached.row_key and version.version_no = reached.version_no
),

known_since as (
    select
        placed.*,
        case
            {% if falls_back == 'unless_reached' %}when place = 1 and is_reached = 0 then null
            {%- elif falls_back %}when place = 1 then null{% endif %}
            when is_reached = 1 then greatest(coalesce(written_at, accepted_at), accepted_at)
            when written_at is not null then written_at
            when version_no = 1 then null
            else accepted_at
        end as known_from
    from placed
),

known_versions as (
    select
        known_since.*,
        min(coalesce(known_from, timestamp '0001-01-01 00:00:00')) over (
            partition by row_key order by version_no rows between 1 following and unbounded following
        ) as known_to
    from known_since
)
{%- endmacro %}

{#- A version is the one in the books: valid on a day, known at an instant. Both ranges are half-open, open ends null. -#}
{% macro holds_on(version, d) -%}
    ({{ version }}.valid_from is null or {{ version }}.valid_from <= {{ d }}) and ({{ version }}.valid_to is null or {{ d }} < {{ version }}.valid_to)
{%- endmacro %}
{% macro known_when(version, k) -%}
    ({{ version }}.known_from is null or {{ version }}.known_from <= {{ k }}) and ({{ version }}.known_to is null or {{ k }} < {{ version }}.known_to)
{%- endmacro %}

{#- How well a version answers a question of a day and a moment, for max_by: valid and known, the latest start first; else
    valid on the day; else the first of the thing. Something always answers, because a fact must be classified. -#}
{% macro version_fit(version, d, k) -%}
    case
        when {{ holds_on(version, d) }} and {{ known_when(version, k) }}
            then 2000000 + {{ days_between("date '0001-01-01'", version ~ '.valid_from') }}
        when {{ holds_on(version, d) }} then 1000000 - {{ version }}.place
        else -{{ version }}.place
    end
{%- endmacro %}

{#- How well a version of a property says who owned it on a day, for max_by among those known then: of those that had begun
    the latest start, else the earliest start, because somebody always did. So an earlier owner's row that is landed later
    never answers for the days of the owner after it. -#}
{% macro owner_fit(owner, d) -%}
    case
        when {{ owner }}.valid_from <= {{ d }} then {{ days_between("date '0001-01-01'", owner ~ '.valid_from') }}
        else -1 - {{ days_between("date '0001-01-01'", owner ~ '.valid_from') }}
    end
{%- endmacro %}

{#- The step of a stair of closes on which something stands that became known at `k`: what was closed before it. -#}
{% macro stands_on(closes, k) -%}
    {{ closes }}.known_after < {{ k }} and ({{ closes }}.known_until is null or {{ k }} <= {{ closes }}.known_until)
{%- endmacro %}

{#- A jurisdiction covers a place: the place itself or one of its ancestors (`US-WA` covers `US-WA-Seattle`). -#}
{% macro covers_place(jurisdiction, place) -%}
    ({{ place }} = {{ jurisdiction }} or {{ place }} like {{ jurisdiction }} || '-%')
{%- endmacro %}

{#- Each thing as its latest version describes it: a row per `key`, of its versions by `valid_from`, with these columns. -#}
{% macro latest_of(relation, key, columns) -%}
    select
        {{ key }},
        {%- for column in columns %}
        max_by({{ column }}, valid_from) as {{ column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ relation }}
    group by {{ key }}
{%- endmacro %}
