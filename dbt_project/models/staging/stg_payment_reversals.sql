-- Whatever takes a payment back, in whole or in part: returns, chargebacks, refunds, corrections.
-- A fact keeps the values of its first accepted row for ever; what may change without moving money is read from the latest.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'payment_reversals') }} where version_no = 1
),

latest_row as (
    select later.*
    from {{ source('landing', 'payment_reversals') }} as later
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'payment_reversals') }}
        where version_no > 1
        group by row_key
    ) as newest on later.row_key = newest.row_key and later.version_no = newest.version_no
)

select
    first_row.reversal_key,
    first_row.reversal_id,
    first_row.payment_key,
    first_row.payment_id,
    first_row.kind,
    {{ money('first_row.amount') }} as amount,
    {{ day('first_row.reversed_on') }} as reversed_on,
    case when latest_row.row_key is null then first_row.return_code else latest_row.return_code end as return_code,
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
