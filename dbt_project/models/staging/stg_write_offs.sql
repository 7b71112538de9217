-- Debt given up as bad, and write-offs taken back.
-- A fact keeps the values of its first accepted row for ever; what may change without moving money is read from the latest.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'write_offs') }} where version_no = 1
),

latest_row as (
    select later.*
    from {{ source('landing', 'write_offs') }} as later
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'write_offs') }}
        where version_no > 1
        group by row_key
    ) as newest on later.row_key = newest.row_key and later.version_no = newest.version_no
)

select
    first_row.write_off_key,
    first_row.write_off_id,
    first_row.lease_key,
    first_row.lease_id,
    first_row.ledger_party,
    {{ money('first_row.amount') }} as amount,
    {{ day('first_row.written_off_on') }} as written_off_on,
    first_row.charge_key,
    first_row.charge_id,
    {{ flag('first_row.is_forgiven') }} as is_forgiven,
    first_row.reverses_write_off_key,
    first_row.reverses_write_off_id,
    case when latest_row.row_key is null then first_row.approved_by else latest_row.approved_by end as approved_by,
    case when latest_row.row_key is null then first_row.reason else latest_row.reason end as reason,
    {{ written_instant('first_row.recorded_at') }} as written_at,
    {{ is_written_in_utc('first_row.recorded_at') }} as is_written_in_utc,
    first_row.row_key,
    first_row.source_system,
    first_row.batch_id,
    first_row.file,
    first_row.row_number,
    first_row.accepted_at
from first_row
left join latest_row on first_row.row_key = latest_row.row_key
