{#-
  Published functions: a figure as of any day and as known at any moment, by the very text that makes the published table.
  A function is the chain of models from the ledger to the table, with two things put in the place of the build's own: the
  day it stands on, and the moment up to which anything is known. So there is one definition of the figure, and a changed
  model changes the table and the function alike. What may not hold: a model of the chain that reads what was recorded
  without saying when, for then the function would know what the books did not.
-#}

{#- The hook of a mart: publishes `name(day, moment)`, whose rows have the columns of the mart. `chain` lists the models on
    the way to it, in order; what they read beside each other is read from the build as it stands. -#}
{% macro publish_as_of(name, chain) %}
    {%- if execute %}{{ adapter.dispatch('create_as_of')(name, as_of_text(chain + [model.name], model.name)) }}{% endif -%}
{% endmacro %}

{#- The names in the text are those of a reader, who has the build open and no other database: no file's name is in them,
    so they are looked up in the build while the function is made. -#}
{% macro default__create_as_of(name, text) %}
    {%- set before = run_query('select current_database(), current_schema()').rows[0] -%}
    use {{ model.database }};
    create or replace macro {{ model.schema }}.{{ name }}(as_of_day, as_known_at := null) as table
    {{ text }};
    use {{ before[0] }}.{{ before[1] }}
{% endmacro %}
{% macro spark__create_as_of(name, text) %}
    create or replace function {{ model.schema }}.{{ name }}(as_of_day date, as_known_at timestamp default null) returns table return
    {{ text }}
{% endmacro %}

{#- The models on the way to the two groups of figures, in the order in which they read each other. -#}
{% macro chains() %}
    {{ return({
        'aging': ['int_aging__items', 'int_aging__owners', 'int_aging__month_ends'],
        'arrears': [
            'int_arrears__forums', 'int_arrears__entries', 'int_arrears__rents', 'int_arrears__money',
            'int_arrears__directions', 'int_arrears__periods'
        ]
    }) }}
{% endmacro %}

{#- A moment that a person or a page gives, as naive UTC; null is everything the build knows. -#}
{% macro given_moment(x) %}{{ adapter.dispatch('given_moment')(x) }}{% endmacro %}
{% macro default__given_moment(x) %}timezone('UTC', cast({{ x }} as timestamptz)){% endmacro %}
{% macro spark__given_moment(x) %}cast({{ x }} as timestamp){% endmacro %}

{#- One SELECT with the parameters as_of_day and as_known_at. -#}
{% macro as_of_text(chain, last) %}
    {%- set nodes = {} -%}
    {%- for node in graph.nodes.values() if node.resource_type == 'model' %}{% do nodes.update({node.name: node}) %}{% endfor -%}
    {%- set placed = {
        'int_build__settings': as_of_settings('core.int_build__settings'),
        'int_aging__points': as_of_points(),
    } -%}
    {%- set parts = [] -%}
    {%- set given = [] -%}
    {%- for step in chain -%}
        {%- for read in modules.re.findall("ref\\('(\\w+)'\\)", nodes[step].raw_code) if read not in given -%}
            {%- if read in placed -%}
                {%- do parts.append('asked__' ~ read ~ ' as (' ~ placed[read] ~ ')') -%}
                {%- do given.append(read) -%}
            {%- elif 'recorded_at' in nodes[read].columns and read not in chain -%}
                {%- do parts.append('asked__' ~ read ~ ' as (' ~ as_of_known(nodes[read].schema ~ '.' ~ read) ~ ')') -%}
                {%- do given.append(read) -%}
            {%- elif nodes[read].schema == 'subledger' and read not in chain -%}
                {{- exceptions.raise_compiler_error(step ~ ' reads ' ~ read ~ ', which says not when it was known: name it in the chain of ' ~ last) -}}
            {%- endif -%}
        {%- endfor -%}
        {%- do parts.append('asked__' ~ step ~ ' as (' ~ as_of_body(nodes, step, given + chain) ~ ')') -%}
    {%- endfor -%}
    with {{ parts | join(',\n') }}
    select * from asked__{{ last }}
{% endmacro %}

{#- The text of a model that reads its inputs from the parts before it where there is one, else from the build. -#}
{% macro as_of_body(nodes, step, given) %}
    {%- set text = {'raw': modules.re.sub('(?m)^\\{\\{ config\\(.*$', '', nodes[step].raw_code)} -%}
    {%- for read in modules.re.findall("\\{\\{\\s*ref\\('(\\w+)'\\)\\s*\\}\\}", text.raw) | unique -%}
        {%- set source = 'asked__' ~ read if read in given else nodes[read].schema ~ '.' ~ read -%}
        {%- do text.update({'raw': modules.re.sub("\\{\\{\\s*ref\\('" ~ read ~ "'\\)\\s*\\}\\}", source, text.raw)}) -%}
    {%- endfor -%}
    {{ render(text.raw) }}
{% endmacro %}

{% macro as_of_settings(relation) %}
    select
        cast(as_of_day as date) as as_of_on,
        settings.build_no,
        coalesce({{ given_moment('as_known_at') }}, settings.loaded_at) as loaded_at
    from {{ relation }} as settings
{% endmacro %}

{#- One day to report, in the place of every month end. -#}
{% macro as_of_points() %}
    select cast(as_of_day as date) as as_of, cast(1 as bigint) as point_no, true as is_as_of_day
{% endmacro %}

{% macro as_of_known(relation) %}
    select * from {{ relation }} as known
    where as_known_at is null or known.recorded_at <= {{ given_moment('as_known_at') }}
{% endmacro %}
