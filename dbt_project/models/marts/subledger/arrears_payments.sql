-- Which rent period each payment cleared in the forum's order.
-- A payment that cleared two periods has two rows; one that cleared none has none.
{{ config(post_hook="{{ publish_as_of('arrears_payments_as_of', chains().arrears + ['int_arrears__payments']) }}") }}
select
    forum,
    source_system,
    lease_id,
    source_kind,
    source_table,
    source_id,
    received_on,
    amount,
    kept_amount,
    period_from,
    period_to,
    cleared_amount
from {{ ref('int_arrears__payments') }}
