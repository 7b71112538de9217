-- The conditions under which a version of a late fee rule applies, a row each: all of them must hold.
-- A condition on something that no file says is neither true nor false: it leaves the rule unproven.
-- What could go wrong: a condition that is read as met because nobody knows.
with rule_late_fees as (
    select * from {{ ref('rule_late_fees') }} where predicates is not null
),

rule_late_fee_conditions as (
    {{ condition_rows('rule_late_fees', 'late_fee_rule_key', 'predicates') }}
)

select
    late_fee_rule_key,
    field,
    op,
    value
from rule_late_fee_conditions
