-- From what the ledger says to what may be claimed, line by line to the cent.
-- Whoever asks why the two figures differ reads the lines between them.
{{ config(post_hook="{{ publish_as_of('arrears_bridge_as_of', chains().arrears + ['int_arrears__extras', 'int_arrears__bridge']) }}") }}
select
    forum,
    source_system,
    lease_id,
    property_id,
    as_of,
    line_no,
    line_kind,
    line,
    amount
from {{ ref('int_arrears__bridge') }}
