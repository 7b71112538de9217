-- Every rule for applying money: laws, operators' policies, and the built-in policy that holds where nobody set one.
-- A rule is effective-dated on two axes, in force and known. Only eligible rows are ever chosen: a pending law, or one
-- that never came into effect, stands here to be seen and is passed by.
with stg_application_rules as (
    select
        *,
        coalesce(rule_id, '') as thing
    from {{ ref('stg_application_rules') }}
),

effective_closes as (
    select * from {{ ref('rule_closes') }} where refused_because is null
),

{{ known_versions('stg_application_rules', 'effective_closes', ['thing'], falls_back=false) }},

-- The last resort, as a row like any other: rent first, oldest due first, then everything else, oldest due first.
built_in as (
    select
        'built_in.rent_first' as rule_id,
        cast(1 as bigint) as version,
        'built_in' as source,
        'default' as scope,
        cast(null as string) as scope_id,
        '[{"match": {"counts_as_rent": true}, "order": "oldest_due"}, {"match": "any", "order": "oldest_due"}]' as steps,
        false as yields_to_designation
),

all_rules as (
    select
        rule_id,
        version,
        source,
        scope,
        scope_id,
        steps,
        coalesce(yields_to_designation, false) as yields_to_designation,
        authority,
        citation,
        coalesce(valid_from, date '0001-01-01') as valid_from,
        valid_to,
        known_from,
        known_to,
        coalesce(status, 'in_force') as status,
        source_system,
        row_key,
        version_no
    from known_versions
    union all
    select
        rule_id,
        version,
        source,
        scope,
        scope_id,
        steps,
        yields_to_designation,
        cast(null as string),
        cast(null as string),
        date '0001-01-01',
        cast(null as date),
        cast(null as timestamp),
        cast(null as timestamp),
        'in_force',
        'built_in',
        'built_in',
        1
    from built_in
),

rule_application as (
    select
        cast(row_number() over (order by source, rule_id, version, source_system, row_key, version_no) as integer) as rule_key,
        rule_id,
        cast(version as integer) as version,
        source,
        scope,
        scope_id,
        steps,
        yields_to_designation,
        authority,
        citation,
        valid_from,
        valid_to,
        known_from,
        known_to,
        status,
        status in ('in_force', 'policy') or (status = 'superseded' and valid_to is not null) as is_eligible,
        source_system
    from all_rules
)

select * from rule_application
