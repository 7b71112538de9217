-- What a subsidy program certified as contract rent and resident rent.
-- A fact keeps the values of its first accepted row for ever.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'rent_certifications') }} where version_no = 1
)

select
    first_row.certification_key,
    first_row.certification_id,
    first_row.lease_key,
    first_row.lease_id,
    {{ money('first_row.contract_rent') }} as contract_rent,
    {{ money('first_row.base_rent') }} as base_rent,
    {{ money('first_row.tenant_rent') }} as tenant_rent,
    {{ money('first_row.utility_reimbursement') }} as utility_reimbursement,
    {{ day('first_row.effective_on') }} as effective_on,
    {{ written_instant('first_row.recorded_at') }} as written_at,
    {{ is_written_in_utc('first_row.recorded_at') }} as is_written_in_utc,
    first_row.row_key,
    first_row.source_system,
    first_row.batch_id,
    first_row.file,
    first_row.row_number,
    first_row.accepted_at
from first_row
