-- Every comparison as published: both sides, the difference, and the rows to look at first where they differ.
-- Selected, not computed: the rows stand here as evidence whether they tie or not.

select
    tie_out, tie_out_no, as_of, source_system, entity_id, property_id, ledger_party, subject, left_label, left_amount, right_label,
    right_amount, difference, status, look_at
from {{ ref('int_tie_outs__all') }}
