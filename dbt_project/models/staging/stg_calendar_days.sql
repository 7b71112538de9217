-- Closed days of calendars that rules name.
-- Reference data keeps every version: what was decided by it is read with the one that was known then.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.calendar_id,
    {{ day('landed.day') }} as day,
    landed.name,
    landed.source,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'calendar_days') }} as landed
