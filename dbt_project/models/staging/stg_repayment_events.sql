-- Agreements that defaulted or were cancelled.
-- A fact keeps the values of its first accepted row for ever; what may change without moving money is read from the latest.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'repayment_events') }} where version_no = 1
),

latest_row as (
    select later.*
    from {{ source('landing', 'repayment_events') }} as later
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'repayment_events') }}
        where version_no > 1
        group by row_key
    ) as newest on later.row_key = newest.row_key and later.version_no = newest.version_no
)

select
    first_row.agreement_key,
    first_row.agreement_id,
    first_row.event,
    {{ day('first_row.occurred_on') }} as occurred_on,
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
