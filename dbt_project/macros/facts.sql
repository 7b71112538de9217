{#-
  The one shape of a fact. Every fact says where it stands, what it is, whose account it moves, by how much and when it
  became known; the rest is said by some kinds of facts only. Here is that rest, so that a branch of int_events__facts
  names what its table says and nothing else.
-#}

{#- The columns that not every fact has, in their order, each with what it holds where a fact does not say it. -#}
{% macro columns_of_some_facts() %}
    {{ return([
        ('names_table', text('null')),
        ('names_key', text('null')),
        ('counts_from_named', 'false'),
        ('is_back_rent', 'false'),
        ('code_key', text('null')),
        ('due_on', day('null')),
        ('service_from', day('null')),
        ('service_to', day('null')),
        ('responsible_person_key', text('null')),
        ('payer_person_key', text('null')),
        ('payer_kind', text('null')),
        ('designation', text('null')),
        ('covers_from', day('null')),
        ('covers_to', day('null')),
        ('is_forgiven', 'false'),
        ('settlement_account', text('null')),
        ('settlement_role', text('null')),
        ('method', text('null')),
        ('detail_kind', text('null')),
        ('entity_key', text('null')),
        ('unplaced_at', 'cast(null as timestamp)'),
    ]) }}
{% endmacro %}

{#- A branch in the full shape. `own` names those of the columns above that the branch has; another name stops the build. -#}
{% macro as_facts(branch, own) %}
    {%- set known = columns_of_some_facts() | map('first') | list -%}
    {%- for column in own if column not in known -%}
        {{ exceptions.raise_compiler_error(column ~ ' of ' ~ branch ~ ' is no column of a fact') }}
    {%- endfor -%}
    select
        source_table,
        source_key,
        source_id,
        kind,
        lease_key,
        stated_party,
        amount,
        own_on,
        {%- for column, unsaid in columns_of_some_facts() %}
        {% if column in own %}{{ column }}{% else %}{{ unsaid }} as {{ column }}{% endif %},
        {%- endfor %}
        source_system,
        written_at,
        is_written_in_utc,
        accepted_at,
        batch_id,
        file,
        row_number
    from {{ branch }}
{%- endmacro %}
