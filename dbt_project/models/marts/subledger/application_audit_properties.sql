-- The audit of the system of record, by property: how much rent arrears, fees and overdue money its order moved.
-- It selects; the sum was made in the subledger and a test adds the payments up to it again.
select
    source_system,
    property_id,
    payments,
    payments_that_differ,
    payments_never_applied,
    kept_amount,
    system_applied,
    rule_applied,
    system_unapplied,
    rule_unapplied,
    system_rent,
    rule_rent,
    system_fees,
    rule_fees,
    rent_arrears_effect,
    fees_effect,
    overdue_effect
from {{ ref('int_application_audit__properties') }}
