-- Where money of a property is collected, for whom, and who bears returns.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.arrangement_key,
    landed.arrangement_id,
    landed.property_key,
    landed.property_id,
    landed.payee_entity_key,
    landed.payee_entity_id,
    landed.model,
    landed.settlement_account,
    {{ flag('landed.is_trust_account') }} as is_trust_account,
    landed.returns_borne_by,
    landed.agreement_reference,
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
from {{ source('landing', 'collection_arrangements') }} as landed
