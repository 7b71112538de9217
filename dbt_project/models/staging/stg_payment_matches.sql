-- Suspense items that found their lease.
-- A fact keeps the values of its first accepted row for ever; what may change without moving money is read from the latest.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'payment_matches') }} where version_no = 1
),

latest_row as (
    select later.*
    from {{ source('landing', 'payment_matches') }} as later
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'payment_matches') }}
        where version_no > 1
        group by row_key
    ) as newest on later.row_key = newest.row_key and later.version_no = newest.version_no
)

select
    first_row.payment_key,
    first_row.payment_id,
    first_row.lease_key,
    first_row.lease_id,
    {{ day('first_row.matched_on') }} as matched_on,
    case when latest_row.row_key is null then first_row.matched_by else latest_row.matched_by end as matched_by,
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
