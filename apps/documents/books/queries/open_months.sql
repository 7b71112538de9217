-- The months of the range that are not closed: their figures may still move.
select source_system, entity_id, period
from close_status
where not is_closed
    and period between $from_period and $to_period
    and ($entity_id::varchar is null or entity_id = $entity_id)
    and ($source_system::varchar is null or source_system = $source_system)
order by source_system, entity_id, period
