-- Concessions promised with a lease: what they are worth, and the term they are earned over.
-- Reference data keeps every version: what is spread is spread by the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.concession_key,
    landed.concession_id,
    landed.lease_key,
    landed.lease_id,
    landed.kind,
    {{ money('landed.total_amount') }} as total_amount,
    landed.schedule_key,
    landed.schedule_id,
    {{ day('landed.term_from') }} as term_from,
    {{ day('landed.term_to') }} as term_to,
    {{ flag('landed.repayable_on_early_termination') }} as is_repayable,
    landed.lease_clause,
    landed.approved_by,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'concessions') }} as landed
