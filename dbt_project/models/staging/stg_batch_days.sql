-- The days that the rows of a file count on, by source system, property and entity, as they landed.
-- Every landed row counts, whatever was decided about it: a row that waits in quarantine did come.
-- What could go wrong: reading accepted rows instead, where a full export that repeats a month would not be seen.
select
    landed.batch_id,
    landed.source_system,
    {{ day('landed.business_on') }} as business_on,
    landed.property_key,
    landed.entity_key,
    landed.is_dated,
    {{ whole('landed.rows') }} as rows_landed
from {{ source('landing', 'batch_days') }} as landed
