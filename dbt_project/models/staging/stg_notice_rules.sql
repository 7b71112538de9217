-- What a notice needs, and how its days are counted.
-- Reference data keeps every version: what was decided by it is read with the one that was known then.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.rule_id,
    {{ whole('landed.version') }} as version,
    landed.jurisdiction,
    landed.program,
    landed.kind,
    landed.restricted_event,
    {{ whole('landed.period_n') }} as period_n,
    landed.counting,
    landed.calendar_id,
    landed.service_extra,
    landed.content,
    landed.status,
    landed.citation,
    {{ day('landed.valid_from') }} as valid_from,
    {{ day('landed.valid_to') }} as valid_to,
    {{ day('landed.known_from') }} as known_from,
    {{ day('landed.known_to') }} as known_to,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'notice_rules') }} as landed
