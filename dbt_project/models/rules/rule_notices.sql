-- What a notice needs, on two axes: the days on which a rule is in force, and the days on which it was known so.
-- A rule that never took effect and one that is pending are kept and never eligible.
-- What could go wrong: a notice of the past judged by what was learned later.
with stg_notice_rules as (
    select * from {{ ref('stg_notice_rules') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_notice_rules group by row_key
),

rule_notices as (
    select
        rules.rule_id,
        cast(rules.version as integer) as version,
        rules.jurisdiction,
        rules.program,
        rules.kind,
        rules.restricted_event,
        cast(rules.period_n as integer) as notice_days,
        rules.counting,
        rules.content,
        rules.status,
        rules.status in ('in_force', 'superseded') as is_eligible,
        rules.citation,
        rules.valid_from,
        rules.valid_to,
        rules.known_from as known_from_on,
        rules.known_to as known_to_on,
        rules.source_system
    from stg_notice_rules as rules
    inner join latest on rules.row_key = latest.row_key and rules.version_no = latest.version_no
)

select * from rule_notices
