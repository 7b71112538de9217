-- From what the ledger says to what may be claimed, line by line to the cent.
-- Whoever asks why the two figures differ reads the lines between them.
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
