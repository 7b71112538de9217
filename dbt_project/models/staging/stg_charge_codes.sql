-- Charge codes, classified on every axis, a row per range of dates.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.code_key,
    landed.charge_code,
    landed.name,
    landed.category,
    {{ flag('landed.is_mandatory') }} as is_mandatory,
    {{ flag('landed.is_recurring') }} as is_recurring,
    {{ flag('landed.in_advertised_price') }} as in_advertised_price,
    {{ flag('landed.counts_as_rent') }} as counts_as_rent,
    {{ flag('landed.prorates') }} as prorates,
    {{ whole('landed.application_priority') }} as application_priority,
    landed.tax_code,
    landed.classified_by,
    {{ day('landed.valid_from') }} as valid_from,
    {{ day('landed.valid_to') }} as valid_to,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'charge_codes') }} as landed
