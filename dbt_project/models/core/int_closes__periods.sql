-- The closes that count: a month of an entity's books, closed for good from an instant on.
-- Closing a month closes all earlier ones, so there may be months closed without a row of their own.
select
    entity_key,
    entity_id,
    period,
    period_start,
    period_end,
    closed_at,
    registered_at,
    closed_by
from {{ ref('rule_closes') }}
where refused_because is null
