-- Security deposits received, applied, refunded, forfeited, and the interest on them.
-- A fact keeps the values of its first accepted row for ever.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'deposit_movements') }} where version_no = 1
)

select
    first_row.movement_key,
    first_row.movement_id,
    first_row.lease_key,
    first_row.lease_id,
    first_row.kind,
    {{ money('first_row.amount') }} as amount,
    {{ day('first_row.occurred_on') }} as occurred_on,
    first_row.ledger_party,
    first_row.charge_key,
    first_row.charge_id,
    {{ flag('first_row.is_rent_deposit') }} as is_rent_deposit,
    first_row.reverses_movement_key,
    first_row.reverses_movement_id,
    {{ written_instant('first_row.recorded_at') }} as written_at,
    {{ is_written_in_utc('first_row.recorded_at') }} as is_written_in_utc,
    first_row.row_key,
    first_row.source_system,
    first_row.batch_id,
    first_row.file,
    first_row.row_number,
    first_row.accepted_at
from first_row
