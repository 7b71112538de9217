-- Rental assistance awarded to a lease; an award may name the payment that paid it.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.award_key,
    landed.award_id,
    landed.lease_key,
    landed.lease_id,
    landed.payment_key,
    landed.payment_id,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'rental_assistance_awards') }} as landed
