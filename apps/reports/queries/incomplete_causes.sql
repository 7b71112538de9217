-- Why the build is incomplete, cause by cause; the widest first.
select cause, source_system, table_name, entity_id, property_id, lease_id, period_from, period_to, due_on, file, message
from incomplete_data
order by cause, period_from nulls first, source_system, table_name, entity_id, property_id, message
