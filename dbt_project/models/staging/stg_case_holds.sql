-- What stops every path of collection on a case, and when.
-- Reference data keeps every version: what was decided by it is read with the one that was known then.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.hold_key,
    landed.hold_id,
    landed.case_key,
    landed.case_id,
    landed.kind,
    landed.reason,
    landed.set_by,
    {{ day('landed.valid_from') }} as valid_from,
    {{ day('landed.valid_to') }} as valid_to,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'case_holds') }} as landed
