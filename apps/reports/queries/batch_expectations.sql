-- What was promised and whether it came; what is missing first, then the newest periods.
select source_system, table_name, period_grain, period_from, period_to, entity_id, property_id, due_on, arrived_on, batches, status
from batch_expectations
order by status = 'missing' desc, status = 'refused' desc, period_from desc, source_system, table_name, entity_id, property_id
limit 200
