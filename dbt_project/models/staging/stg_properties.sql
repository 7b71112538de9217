-- Properties, a row for every owner, jurisdiction and time zone they had.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.property_key,
    landed.property_id,
    landed.entity_key,
    landed.entity_id,
    landed.name,
    landed.jurisdiction,
    landed.time_zone,
    {{ whole('landed.structure_units') }} as structure_units,
    {{ flag('landed.federally_covered') }} as federally_covered,
    {{ flag('landed.has_local_office') }} as has_local_office,
    landed.thirty_day_month_days,
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
from {{ source('landing', 'properties') }} as landed
