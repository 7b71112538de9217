-- Payments, matched to a lease or not: amount, day received, payer and designation are facts; the method and the settled day may be corrected later.
-- A fact keeps the values of its first accepted row for ever; what may change without moving money is read from the latest.
-- What could go wrong: a later row of the same key leaking an amount or a date into the books.
with first_row as (
    select * from {{ source('landing', 'payments') }} where version_no = 1
),

latest_row as (
    select later.*
    from {{ source('landing', 'payments') }} as later
    inner join (
        select row_key, max(version_no) as version_no
        from {{ source('landing', 'payments') }}
        where version_no > 1
        group by row_key
    ) as newest on later.row_key = newest.row_key and later.version_no = newest.version_no
)

select
    first_row.payment_key,
    first_row.payment_id,
    first_row.lease_key,
    first_row.lease_id,
    first_row.entity_key,
    first_row.entity_id,
    {{ money('first_row.amount') }} as amount,
    {{ day('first_row.received_on') }} as received_on,
    first_row.payer_kind,
    first_row.payer_person_key,
    first_row.payer_person_id,
    first_row.ledger_party,
    first_row.designation,
    {{ day('first_row.covers_from') }} as covers_from,
    {{ day('first_row.covers_to') }} as covers_to,
    first_row.represents_payment_key,
    first_row.represents_payment_id,
    first_row.settlement_account,
    case when latest_row.row_key is null then first_row.channel else latest_row.channel end as channel,
    case when latest_row.row_key is null then first_row.method else latest_row.method end as method,
    case when latest_row.row_key is null then first_row.designated_by else latest_row.designated_by end as designated_by,
    case when latest_row.row_key is null then first_row.source_reference else latest_row.source_reference end as source_reference,
    {{ day('case when latest_row.row_key is null then first_row.settled_on else latest_row.settled_on end') }} as settled_on,
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
