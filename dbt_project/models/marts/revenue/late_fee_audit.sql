-- Every late fee posted, with its verdict, and every rent period in which one could have been and none was.
-- Nothing is judged here. A period without a fee has no verdict.
with int_late_fees__verdicts as (
    select * from {{ ref('int_late_fees__verdicts') }}
),

fees as (
    select distinct
        lease_key,
        period_from
    from int_late_fees__verdicts
    where charge_key is not null
),

late_fee_audit as (
    select
        verdicts.case_key as late_fee_key,
        verdicts.source_system,
        verdicts.property_id,
        verdicts.jurisdiction,
        verdicts.lease_id,
        verdicts.ledger_party,
        verdicts.period_from,
        verdicts.period_to,
        verdicts.due_on,
        verdicts.paid_on,
        verdicts.charge_id,
        verdicts.posted,
        verdicts.posted_on,
        verdicts.first_eligible_on,
        verdicts.lenient_first_eligible_on,
        verdicts.base_amount,
        verdicts.base,
        verdicts.monthly_rent,
        verdicts.period_rent,
        verdicts.past_due_rent,
        verdicts.charged_before,
        verdicts.running_total,
        verdicts.lawful_maximum,
        verdicts.policy_maximum,
        verdicts.law_rule_id,
        verdicts.law_rule_version,
        verdicts.policy_rule_id,
        verdicts.policy_rule_version,
        verdicts.verdict,
        verdicts.is_unproven,
        verdicts.overcharge,
        verdicts.unproven_amount,
        verdicts.overcharge_left,
        verdicts.unproven_left,
        verdicts.reason,
        verdicts.is_waived,
        verdicts.waived_amount,
        verdicts.waived_on,
        verdicts.waived_by,
        verdicts.waiver_approved_by,
        verdicts.waiver_reason,
        verdicts.waiver_charge_id,
        verdicts.posted_by,
        verdicts.postable_amount,
        verdicts.batch_id,
        verdicts.file,
        verdicts.row_number
    from int_late_fees__verdicts as verdicts
    left join fees on verdicts.lease_key = fees.lease_key and verdicts.period_from = fees.period_from
    where verdicts.charge_key is not null or fees.lease_key is null
)

select * from late_fee_audit
