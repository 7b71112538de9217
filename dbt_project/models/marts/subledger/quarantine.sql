-- Rows that were not let into the books, why, and what became of them.
-- The row stands here as it was read; nothing of it is in any figure until it is released.
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
    {{ whole(days_between('cast(first_seen_at as date)', 'case when status = \'open\' then cast(settings.loaded_at as date) else cast(decided_at as date) end')) }}
        as age_days
from {{ source('landing', 'quarantine') }}
cross join {{ ref('int_build__settings') }} as settings
