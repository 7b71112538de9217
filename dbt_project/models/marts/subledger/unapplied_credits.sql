-- Money that waits on the build's day, by the payment or credit it came with.
-- It is a liability until used and is never netted into what is open.
{{ config(post_hook="{{ publish_as_of('unapplied_credits_as_of', ['int_open_items__waiting']) }}") }}
select
    source_system,
    lease_id,
    ledger_party,
    entity_id,
    property_id,
    source_kind,
    source_table,
    source_id,
    description,
    source_amount,
    amount,
    waiting_since,
    is_over_written_off
from {{ ref('int_open_items__waiting') }}
