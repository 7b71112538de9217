-- Units of the properties.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.unit_key,
    landed.unit_id,
    landed.property_key,
    landed.property_id,
    landed.unit_number,
    {{ money('landed.market_rent') }} as market_rent,
    {{ whole('landed.structure_units') }} as structure_units,
    {{ written_instant('landed.recorded_at') }} as written_at,
    landed.row_key,
    landed.source_system,
    landed.batch_id,
    landed.file,
    landed.row_number,
    landed.accepted_at,
    landed.version_no
from {{ source('landing', 'units') }} as landed
