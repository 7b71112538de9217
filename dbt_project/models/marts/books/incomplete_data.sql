-- Why figures of this build may lack something, as published: for whom, for which period and table, and in words.
-- Selected, not computed: no other list of what is missing exists.

select
    cause, source_system, table_name, entity_id, property_id, lease_id, period_from, period_to, due_on, file, message
from {{ ref('int_tie_outs__incomplete') }}
