-- What a posting run selected, line by line, and what became of it.
-- Reference data keeps every version: a run that was started again writes the same lines.
-- What could go wrong: a line of a run that stopped half way read beside the one that finished.
select
    landed.posting_run_key,
    landed.posting_run_id,
    landed.line_key,
    landed.lease_key,
    landed.lease_id,
    landed.charge_code,
    {{ day('landed.period_from') }} as period_from,
    {{ money('landed.amount') }} as amount,
    landed.outcome,
    landed.reason,
    landed.charge_id,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'posting_run_lines') }} as landed
