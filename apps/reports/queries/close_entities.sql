-- Where each entity stands: its last closed month, finished months that wait for their close, and what stands in the way.
select
    source_system,
    entity_id,
    max(entity_name) as entity_name,
    max(period) filter (where is_closed) as last_closed,
    min(period) filter (where is_over and not is_closed) as next_to_close,
    count(*) filter (where is_over and not is_closed) as months_to_close,
    sum(tie_outs_that_differ)::bigint as tie_outs_that_differ,
    sum(late_arrivals)::bigint as late_arrivals
from close_status
group by source_system, entity_id
order by entity_name, entity_id, source_system
