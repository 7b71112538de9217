-- When a late fee may start and how its parts combine: law and policy, a row per version of a rule as the books knew it.
-- A pending version and one that never took effect are kept and never eligible; a superseded one rules its own days.
-- What could go wrong: a version read on a day, or at a moment, on which it did not hold.
with stg_late_fee_rules as (
    select * from {{ ref('stg_late_fee_rules') }}
),

effective_closes as (
    select * from {{ ref('rule_closes') }} where refused_because is null
),

{{ known_versions('stg_late_fee_rules', 'effective_closes', ['row_key'], falls_back=false) }},

rule_late_fees as (
    select
        cast(row_number() over (order by source, rule_id, version, row_key, version_no) as integer) as late_fee_rule_key,
        rule_id,
        cast(version as integer) as version,
        source,
        jurisdiction,
        property_key,
        lease_key,
        program,
        status,
        status in ('in_force', 'superseded') as is_eligible,
        authority,
        citation,
        confidence,
        note,
        coalesce(start_unverified, false) as is_start_unverified,
        applies_by,
        valid_from,
        valid_to,
        known_from,
        known_to,
        combine,
        cast(grace_n as integer) as grace_days,
        grace_semantics,
        cast(alt_grace_n as integer) as lenient_grace_days,
        coalesce(roll, 'none') as roll,
        calendar_id,
        coalesce(accrual_from, 'first_eligible') as accrual_start,
        coalesce(accrue_payment_day, false) as is_payment_day_counted,
        coalesce(stops_at, 'paid') as accrual_end,
        max_total as total_limit,
        cast(max_count as integer) as count_limit,
        coalesce(needs_written_agreement, false) as is_agreement_needed,
        coalesce(needs_human_basis, false) as is_human_basis_needed,
        customary_flat as customary_flat_amount,
        predicates,
        source_system
    from known_versions
)

select * from rule_late_fees
