-- The balances of a month as they stood when it was closed, kept by the publisher.
-- They are evidence, never recomputed: the comparison of a closed month reads its old figure here and nowhere else.
select
    landed.entity_key,
    landed.period,
    landed.property_key,
    landed.account,
    landed.book,
    {{ money('landed.closing') }} as closing,
    landed.build_no,
    landed.recorded_at
from {{ source('landing', 'closed_balances') }} as landed
