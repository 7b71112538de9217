-- Runs that turned schedules into charges.
-- Reference data keeps every version: what was decided by it is read with the one that was known then.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.posting_run_key,
    landed.posting_run_id,
    landed.property_key,
    landed.property_id,
    landed.kind,
    {{ day('landed.business_date') }} as business_date,
    landed.status,
    {{ whole('landed.selected') }} as selected,
    {{ whole('landed.posted') }} as posted,
    {{ whole('landed.skipped') }} as skipped,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'posting_runs') }} as landed
