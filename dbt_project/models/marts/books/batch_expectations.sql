-- Every batch that a source system promised, period by period, and whether it came: what is missing stands here by name.
-- Selected, not computed: the completeness page and the manifest read the same rows.

select
    source_system, table_name, period_grain, period_from, period_to, entity_id, property_id, due_on, arrived_on, batches, status
from {{ ref('int_completeness__batches') }}
