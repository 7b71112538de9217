-- Charges that are no rent and that the forum lets be claimed beside it, with what is left of them to claim.
-- They are stated apart: no figure of rent holds them.
{{ config(post_hook="{{ publish_as_of('arrears_claimable_charges_as_of', chains().arrears + ['int_arrears__extras']) }}") }}
select
    forum,
    source_system,
    lease_id,
    property_id,
    as_of,
    source_table,
    charge_id,
    charge_code,
    category,
    due_on,
    charged_amount,
    paid_amount,
    claimable,
    reason,
    citation
from {{ ref('int_arrears__extras') }}
