-- What a lease is billed each month, by date.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.schedule_key,
    landed.schedule_id,
    landed.lease_key,
    landed.lease_id,
    landed.code_key,
    landed.charge_code,
    {{ money('landed.amount') }} as amount,
    landed.ledger_party,
    landed.responsible_person_key,
    landed.responsible_person_id,
    landed.proration_method,
    {{ flag('landed.prorates') }} as prorates,
    landed.concession_id,
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
from {{ source('landing', 'charge_schedules') }} as landed
