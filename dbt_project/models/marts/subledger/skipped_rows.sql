-- Rows of files read through a profile that are no data: title lines, blank rows, totals, each under its rule.
-- What could go wrong: a rule that is too wide sets aside a charge. So every such row stands here as it was read.
select
    skipped_rows.batch_id,
    batches.source_system,
    skipped_rows.file,
    cast(skipped_rows.row_number as bigint) as row_number,
    batches.profile,
    batches.profile_hash,
    skipped_rows.rule,
    skipped_rows.raw
from {{ source('landing', 'skipped_rows') }} as skipped_rows
inner join {{ source('landing', 'batches') }} as batches
    on skipped_rows.batch_id = batches.batch_id
