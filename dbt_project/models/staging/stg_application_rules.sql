-- Rules for applying money, of law and of operators.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.rule_id,
    {{ whole('landed.version') }} as version,
    landed.source,
    landed.scope,
    landed.scope_id,
    landed.steps,
    landed.authority,
    landed.status,
    {{ flag('landed.yields_to_designation') }} as yields_to_designation,
    landed.citation,
    landed.note,
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
from {{ source('landing', 'application_rules') }} as landed
