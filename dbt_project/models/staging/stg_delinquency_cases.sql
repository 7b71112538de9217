-- Episodes of delinquency of leases.
-- Reference data keeps every version: what was decided by it is read with the one that was known then.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.case_key,
    landed.case_id,
    landed.lease_key,
    landed.lease_id,
    {{ day('landed.opened_on') }} as opened_on,
    landed.stage,
    {{ money('landed.balance_at_open') }} as balance_at_open,
    landed.holds,
    {{ day('landed.resolved_on') }} as resolved_on,
    landed.resolution,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'delinquency_cases') }} as landed
