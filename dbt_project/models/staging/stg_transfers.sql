-- Money that crosses between accounts, or to and from a repayment agreement.
-- A fact keeps the values of its first accepted row for ever.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'transfers') }} where version_no = 1
)

select
    first_row.transfer_key,
    first_row.transfer_id,
    first_row.kind,
    first_row.from_lease_key,
    first_row.from_lease_id,
    first_row.from_party,
    first_row.to_lease_key,
    first_row.to_lease_id,
    first_row.to_party,
    first_row.agreement_key,
    first_row.agreement_id,
    first_row.charge_key,
    first_row.charge_id,
    {{ money('first_row.amount') }} as amount,
    {{ day('first_row.transferred_on') }} as transferred_on,
    {{ written_instant('first_row.recorded_at') }} as written_at,
    {{ is_written_in_utc('first_row.recorded_at') }} as is_written_in_utc,
    first_row.row_key,
    first_row.source_system,
    first_row.batch_id,
    first_row.file,
    first_row.row_number,
    first_row.accepted_at
from first_row
