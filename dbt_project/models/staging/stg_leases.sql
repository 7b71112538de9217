-- Leases with their terms.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.lease_key,
    landed.lease_id,
    landed.property_key,
    landed.property_id,
    landed.unit_key,
    landed.unit_id,
    landed.program,
    landed.billing,
    {{ day('landed.start_on') }} as start_on,
    {{ day('landed.end_on') }} as end_on,
    {{ day('landed.move_in_on') }} as move_in_on,
    {{ day('landed.move_out_on') }} as move_out_on,
    {{ day('landed.notice_on') }} as notice_on,
    {{ whole('landed.rent_due_day') }} as rent_due_day,
    landed.proration_method,
    {{ day('landed.signed_on') }} as signed_on,
    landed.tenancy,
    landed.prorated_month,
    {{ flag('landed.charges_move_in_day') }} as charges_move_in_day,
    {{ flag('landed.charges_move_out_day') }} as charges_move_out_day,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'leases') }} as landed
