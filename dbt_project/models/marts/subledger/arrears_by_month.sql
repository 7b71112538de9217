-- Rent owing by rent period, as a forum computes it from the same facts, on the build's day.
-- It selects; the order in which the forum applies money was played in the subledger.
{{ config(post_hook="{{ publish_as_of('arrears_by_month_as_of', chains().arrears) }}") }}
select
    forum,
    source_system,
    lease_id,
    property_id,
    as_of,
    period_from,
    period_to,
    due_on,
    rent_billed,
    rent_credits,
    rent_charged,
    rent_paid,
    rent_owing,
    excluded_charges,
    is_in_window,
    claimable
from {{ ref('int_arrears__periods') }}
