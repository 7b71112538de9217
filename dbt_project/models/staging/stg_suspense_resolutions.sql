-- Payments in suspense whose lease became known in a later run: the door found the lease that the payment had named.
-- What could go wrong: treating one as a match by hand, which would let the order of loading change the books.
select
    landed.row_key,
    landed.payment_key,
    landed.lease_key,
    landed.lease_id,
    landed.resolved_at
from {{ source('landing', 'suspense_resolutions') }} as landed
