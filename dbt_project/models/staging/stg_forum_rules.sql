-- How a forum computes arrears.
-- Reference data keeps every version: an entry is played with the one that was known when it was known.
-- What could go wrong: reading the latest version where an earlier one was in the books.
select
    landed.forum,
    {{ whole('landed.version') }} as version,
    landed.jurisdiction,
    landed.purpose,
    landed.{{ adapter.quote('order') }},
    {{ whole('landed.window_months') }} as window_months,
    landed.rent_deposit,
    landed.citation,
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
from {{ source('landing', 'forum_rules') }} as landed
