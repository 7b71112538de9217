-- The parts of each version of a late fee rule: parts of a group are summed and capped, groups are combined.
-- A rule without parts gives no maximum.
-- What could go wrong: a part of one version put under another.
with stg_late_fee_components as (
    select * from {{ ref('stg_late_fee_components') }}
),

rule_late_fees as (
    select * from {{ ref('rule_late_fees') }}
),

latest as (
    select row_key, max(version_no) as version_no from stg_late_fee_components group by row_key
),

rule_late_fee_components as (
    select
        rules.late_fee_rule_key,
        cast(parts.group_no as integer) as group_no,
        parts.group_cap as group_limit,
        cast(parts.comp_no as integer) as component_no,
        parts.kind,
        parts.amount as unit_amount,
        parts.rate,
        parts.base,
        parts.base_minus as base_less_amount,
        cast(parts.from_day as integer) as days_late_from,
        cast(parts.block_days as integer) as block_days,
        parts.band_field,
        parts.band_min,
        parts.band_max
    from stg_late_fee_components as parts
    inner join latest on parts.row_key = latest.row_key and parts.version_no = latest.version_no
    inner join rule_late_fees as rules
        on parts.rule_id = rules.rule_id and parts.version = rules.version and parts.source_system = rules.source_system
)

select * from rule_late_fee_components
