-- Figures of the source's own reports, to compare with.
-- A fact keeps the values of its first accepted row for ever.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'control_totals') }} where version_no = 1
)

select
    first_row.source_report,
    {{ day('first_row.as_of') }} as as_of,
    first_row.property_key,
    first_row.property_id,
    first_row.lease_key,
    first_row.lease_id,
    first_row.measure,
    {{ money('first_row.amount') }} as amount,
    {{ written_instant('first_row.recorded_at') }} as written_at,
    {{ is_written_in_utc('first_row.recorded_at') }} as is_written_in_utc,
    first_row.row_key,
    first_row.source_system,
    first_row.batch_id,
    first_row.file,
    first_row.row_number,
    first_row.accepted_at
from first_row
