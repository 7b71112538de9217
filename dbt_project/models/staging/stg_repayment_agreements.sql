-- Agreements to pay old debt in instalments.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.agreement_key,
    landed.agreement_id,
    landed.lease_key,
    landed.lease_id,
    landed.kind,
    {{ money('landed.total') }} as total,
    {{ money('landed.monthly_amount') }} as monthly_amount,
    {{ day('landed.first_month') }} as first_month,
    {{ day('landed.signed_on') }} as signed_on,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'repayment_agreements') }} as landed
