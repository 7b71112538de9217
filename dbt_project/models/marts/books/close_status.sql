-- Where each entity stands month by month, as published: over or not, closed by whom, what differs, what arrived late.
-- Selected, not computed: the close command and the close page read the same row.

select
    entity_id, source_system, entity_name, period, period_start, period_end, is_closed, closed_at, closed_by, is_over,
    tie_outs, tie_outs_that_differ, late_arrivals, late_arrivals_amount, incomplete_causes
from {{ ref('int_tie_outs__closes') }}
