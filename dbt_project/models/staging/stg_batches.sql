-- Every file that was read, or refused whole and not yet put right.
-- A refused file counts until it is gone from its folder or one of its name was loaded.
-- What could go wrong: a refused file that was corrected still called missing.
select
    landed.batch_id,
    landed.source_system,
    landed.table_name,
    landed.file,
    landed.named_period,
    landed.status,
    landed.message,
    cast(landed.loaded_at as timestamp) as loaded_at
from {{ source('landing', 'batches') }} as landed
where landed.status in ('loaded', 'refused')
