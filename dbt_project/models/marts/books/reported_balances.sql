-- Closed months as they were reported and as they are known now, account by account, as published.
-- Selected, not computed: the rows of reported_changes add up to what came late.

select
    source_system, entity_id, property_id, closed_period, account, account_name, as_reported, came_late, as_now, late_rows
from {{ ref('int_tie_outs__reported_balances') }}
