-- Charts of accounts with the role each account plays.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.chart_key,
    landed.chart_id,
    landed.account,
    landed.name,
    landed.type,
    landed.role,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'gl_accounts') }} as landed
