-- Charges and credits: amount, code, lease and dates are facts; words around them may be corrected later.
-- A fact keeps the values of its first accepted row for ever; what may change without moving money is read from the latest.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'charges') }} where version_no = 1
),

latest_row as (
    select later.*
    from {{ source('landing', 'charges') }} as later
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'charges') }}
        where version_no > 1
        group by row_key
    ) as newest on later.row_key = newest.row_key and later.version_no = newest.version_no
)

select
    first_row.charge_key,
    first_row.charge_id,
    first_row.lease_key,
    first_row.lease_id,
    first_row.code_key,
    first_row.charge_code,
    {{ money('first_row.amount') }} as amount,
    {{ day('first_row.posted_on') }} as posted_on,
    {{ day('first_row.due_on') }} as due_on,
    {{ day('first_row.service_from') }} as service_from,
    {{ day('first_row.service_to') }} as service_to,
    first_row.ledger_party,
    first_row.responsible_person_key,
    first_row.responsible_person_id,
    first_row.reverses_charge_key,
    first_row.reverses_charge_id,
    first_row.corrects_charge_key,
    first_row.corrects_charge_id,
    -- The concession and the schedule that the row named when it came: money was booked by them, so a later word moves none.
    first_row.concession_key as first_concession_key,
    first_row.schedule_key as first_schedule_key,
    case when latest_row.row_key is null then first_row.schedule_id else latest_row.schedule_id end as schedule_id,
    case when latest_row.row_key is null then first_row.posting_run_id else latest_row.posting_run_id end as posting_run_id,
    case when latest_row.row_key is null then first_row.work_order_id else latest_row.work_order_id end as work_order_id,
    case when latest_row.row_key is null then first_row.concession_id else latest_row.concession_id end as concession_id,
    case when latest_row.row_key is null then first_row.proration_method else latest_row.proration_method end as proration_method,
    case when latest_row.row_key is null then first_row.reason else latest_row.reason end as reason,
    case when latest_row.row_key is null then first_row.posted_by else latest_row.posted_by end as posted_by,
    case when latest_row.row_key is null then first_row.approved_by else latest_row.approved_by end as approved_by,
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
