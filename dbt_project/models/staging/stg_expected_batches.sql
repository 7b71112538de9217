-- What source systems have promised to send: which table, for which periods, for whom, by when.
-- Reference data keeps every version; what is expected is read from the latest.
-- What could go wrong: reading a promise of one system as another's; the row's own source system must send.
select
    landed.table_name,
    landed.period_grain,
    {{ whole('landed.due_days') }} as due_days,
    landed.entity_key,
    landed.entity_id,
    landed.property_key,
    landed.property_id,
    {{ day('landed.valid_from') }} as valid_from,
    {{ day('landed.valid_to') }} as valid_to,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'expected_batches') }} as landed
