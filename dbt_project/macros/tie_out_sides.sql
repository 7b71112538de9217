{#- What several tie-outs put on one of their sides, written once, so that none of them reads the books in a way of its own. -#}

{#- The right side of a comparison with accounts of the ledger: what moved on the accounts of these roles, by the journals
    alone. `roles` is a list of roles; `increase` is what raises the balance that the left side shows. -#}
{% macro journal_movements(roles, increase, party='journal.ledger_party') %}
    select
        journal.accounting_on,
        journal.entity_key,
        journal.entity_id,
        journal.property_key,
        journal.property_id,
        {{ party }},
        'right',
        {{ increase }},
        {{ entry_columns('journal') }}
    from {{ ref('int_journals__entries') }} as journal
    where journal.account_role in {{ listed(roles) }}
{% endmacro %}

{#- The left side's share of the applications: what was applied, taken off, found by the fact that caused it. -#}
{% macro applied_movements() %}
    select
        applications.accounting_on,
        applications.entity_key,
        applications.entity_id,
        applications.property_key,
        applications.property_id,
        applications.ledger_party,
        'left',
        -applications.amount,
        {{ entry_columns('causes') }}
    from {{ ref('int_allocation__applications') }} as applications
    left join {{ ref('int_ledger__entries') }} as causes
        on causes.event_key = applications.cause_event_key
{% endmacro %}

{#- Batch by batch, what the reader counted (`measure`: rows or amount) against what became of it. -#}
{% macro batch_comparison(measure, words) %}
{%- set landed = 'coalesce(batches.' ~ measure ~ '_landed, 0)' -%}
{%- set found = 'coalesce(outcomes.outcome_total, 0)' -%}
with batches as (
    select * from {{ source('landing', 'batches') }}
),

batch_outcomes as (
    select * from {{ source('landing', 'batch_outcomes') }}
),

outcomes as (
    select
        batch_id,
        sum({{ measure }}) as outcome_total
    from batch_outcomes
    group by batch_id
),

compared as (
    select
        'batch_{{ words }}__to__outcomes' as tie_out,
        9 as tie_out_no,
        cast(batches.loaded_at as date) as as_of,
        cast(null as {{ dbt.type_string() }}) as entity_key,
        cast(null as {{ dbt.type_string() }}) as entity_id,
        cast(null as {{ dbt.type_string() }}) as property_key,
        cast(null as {{ dbt.type_string() }}) as property_id,
        cast(null as {{ dbt.type_string() }}) as ledger_party,
        'batch ' || batches.batch_id as subject,
        '{{ words }} landed' as left_label,
        {{ money(landed) }} as left_amount,
        '{{ words }} loaded, duplicate, quarantined, rejected or skipped' as right_label,
        {{ money(found) }} as right_amount,
        {{ money(landed ~ ' - ' ~ found) }} as difference,
        case
            when {{ landed }} = {{ found }} then 'ties'
            else 'differs'
        end as status,
        case
            when {{ landed }} <> {{ found }}
                then 'file ' || batches.file || ' of ' || batches.table_name
        end as look_at
    from batches
    left join outcomes
        on outcomes.batch_id = batches.batch_id
    where batches.status = 'loaded'
)

select * from compared
{% endmacro %}
