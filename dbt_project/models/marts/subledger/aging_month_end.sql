-- Aging per account at every month end and on the build's day, by business dates and by the books.
-- It selects; the buckets were worked out in the subledger from due dates, never stored on a charge.
{{ config(post_hook="{{ publish_as_of('aging_as_of', chains().aging) }}") }}
select
    as_of,
    basis,
    is_as_of_day,
    entity_id,
    property_id,
    source_system,
    lease_id,
    ledger_party,
    not_yet_due,
    days_0_30,
    days_31_60,
    days_61_90,
    days_over_90,
    open_total,
    rent_open,
    other_open,
    unapplied_credit,
    balance
from {{ ref('int_aging__month_ends') }}
