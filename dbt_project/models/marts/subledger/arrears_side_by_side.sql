-- One account under many orders: what was applied, what other settings would have said, and what forums hear.
-- Where the figures of rent owing differ, the answer is the order's and not the ledger's.
select
    source_system,
    lease_id,
    property_id,
    as_of,
    order_kind,
    order_name,
    rent_owing,
    other_owing,
    not_yet_due,
    unapplied_credit,
    balance,
    depends_on_order
from {{ ref('int_what_ifs__results') }}
