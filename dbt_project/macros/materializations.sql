{#-
  A build is a new file, so nothing has to be built beside what is there and swapped in: a table or view is made straight
  under its name, in one transaction. dbt-duckdb's own materializations make each one under a temporary name, move the
  old one away, rename and drop, and describe every contract twice: a third of the time of a small build.
  The contract is checked as strictly as dbt does. Where the columns that a query returns are, by name and type, those
  of the contract, there is nothing to say; anything else goes to dbt's own check, which words the refusal.
-#}

{% materialization table, adapter="duckdb", supported_languages=['sql', 'python'] %}
  {%- set target_relation = this.incorporate(type='table') -%}
  {{ clear_the_name(pre_hooks) }}
  {% if model['language'] == 'python' %}
    {% call statement('main', language='python') -%}{{ py_write_table(False, target_relation, compiled_code) }}{%- endcall %}
  {% elif config.get('contract').enforced %}
    {{ check_contract(compiled_code) }}
    {% call statement('main') -%}
      create table {{ target_relation }} {{ get_table_columns_and_constraints() }};
      {% for part in in_parts(compiled_code) -%}
      insert into {{ target_relation }} {{ get_column_names() }} ({{ get_select_subquery(part) }});
      {% endfor %}
    {%- endcall %}
  {% else %}
    {% call statement('main') -%}create table {{ target_relation }} as ({{ compiled_code }});{%- endcall %}
  {% endif %}
  {{ end_of_the_relation(post_hooks) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#-
  A model whose rows fall into groups that never meet may be made a share of them at a time, so that its memory and what it
  sets down on disk are those of a share: it marks the one place where its rows are filtered with `in_this_part`. How
  many shares there are follows from the rows of the relation it reads; of a small portfolio there is one.
-#}
{% macro rows_of_a_part() %}{{ env_var('TIEOUT_ROWS_OF_A_PART', '5000000') }}{% endmacro %}

{% macro in_this_part(relation, key) -%}
    (true /* part of {{ relation }} by {{ key }} */)
{%- endmacro %}

{% macro in_parts(query) %}
  {%- set found = modules.re.search('\\(true /\\* part of (.+?) by (.+?) \\*/\\)', query) -%}
  {%- if not found %}{{ return([query]) }}{% endif -%}
  {%- set rows = run_query('select count(*) from ' ~ found.group(1)).rows[0][0] | int -%}
  {%- set parts = 1 + rows // (rows_of_a_part() | int) -%}
  {%- set queries = [] -%}
  {%- for part in range(parts) if parts > 1 -%}
    {%- do queries.append(query | replace(found.group(0), 'hash(' ~ found.group(2) ~ ') % ' ~ parts ~ ' = ' ~ part)) -%}
  {%- endfor -%}
  {{ return(queries or [query]) }}
{% endmacro %}


{% materialization view, adapter="duckdb" %}
  {%- set target_relation = this.incorporate(type='view') -%}
  {{ clear_the_name(pre_hooks) }}
  {% if config.get('contract').enforced %}{{ check_contract(compiled_code) }}{% endif %}
  {% call statement('main') -%}create view {{ target_relation }} as ({{ compiled_code }});{%- endcall %}
  {{ end_of_the_relation(post_hooks) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#- Where somebody runs dbt by hand, twice into one file, the relation of the first time stands in the way. -#}
{% macro clear_the_name(hooks) %}
  {%- set existing = load_cached_relation(this) -%}
  {%- if existing is not none %}{% do adapter.drop_relation(existing) %}{% endif -%}
  {%- if hooks %}{{ run_hooks(hooks, inside_transaction=False) }}{{ run_hooks(hooks) }}{% endif -%}
{% endmacro %}


{% macro end_of_the_relation(hooks) %}
  {%- if hooks %}{{ run_hooks(hooks) }}{% endif -%}
  {%- if config.persist_relation_docs() or config.persist_column_docs() %}{% do persist_docs(this, model) %}{% endif -%}
  {{ adapter.commit() }}
  {%- if hooks %}{{ run_hooks(hooks, inside_transaction=False) }}{% endif -%}
{% endmacro %}


{% macro check_contract(query) %}
  {%- set declared = [] -%}
  {%- for column in model['columns'].values() -%}
    {%- do declared.append(column['name'] | lower ~ ' ' ~ column['data_type'] | upper) -%}
  {%- endfor -%}
  {%- set found = [] -%}
  {%- for column in adapter.get_column_schema_from_query(get_empty_subquery_sql(query)) -%}
    {%- do found.append(column.name | lower ~ ' ' ~ column.dtype | upper) -%}
  {%- endfor -%}
  {%- if not declared or declared | sort != found | sort %}{{ get_assert_columns_equivalent(query) }}{% endif -%}
{% endmacro %}
