-- Rows that were not let into the books, why, and what became of them.
-- The row stands here as it was read; nothing of it is in any figure until it is released.
with landed as (
    select
        landing.*,
        case
            when landing.status = 'open' then cast(settings.loaded_at as date)
            else cast(landing.decided_at as date)
        end as aged_until_on
    from {{ source('landing', 'quarantine') }} as landing
    cross join {{ ref('int_build__settings') }} as settings
)

select
    quarantine_id,
    batch_id,
    source_system,
    file,
    cast(row_number as bigint) as row_number,
    table_name as {{ adapter.quote('table') }},
    reason,
    detail,
    raw,
    cast(amount as decimal(18, 2)) as amount,
    status,
    resolved_by,
    cast(first_seen_at as timestamp) as first_seen_at,
    cast(decided_at as timestamp) as decided_at,
    {{ whole(days_between('cast(first_seen_at as date)', 'aged_until_on')) }} as waiting_days
from landed
