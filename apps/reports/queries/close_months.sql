-- The months of one entity, newest first.
select
    period,
    is_closed,
    is_over,
    closed_at,
    closed_by,
    tie_outs,
    tie_outs_that_differ,
    late_arrivals,
    late_arrivals_amount,
    incomplete_causes
from close_status
where source_system = $source_system
    and entity_id = $entity_id
order by period desc
