-- The parts that a late fee rule adds up.
-- Reference data keeps every version: what was decided by it is read with the one that was known then.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.rule_id,
    {{ whole('landed.version') }} as version,
    {{ whole('landed.group_no') }} as group_no,
    {{ money('landed.group_cap') }} as group_cap,
    {{ whole('landed.comp_no') }} as comp_no,
    landed.kind,
    {{ money('landed.amount') }} as amount,
    cast(landed.rate as decimal(18, 6)) as rate,
    landed.base,
    {{ money('landed.base_minus') }} as base_minus,
    {{ whole('landed.from_day') }} as from_day,
    {{ whole('landed.block_days') }} as block_days,
    landed.band_field,
    cast(landed.band_min as decimal(18, 6)) as band_min,
    cast(landed.band_max as decimal(18, 6)) as band_max,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'late_fee_components') }} as landed
