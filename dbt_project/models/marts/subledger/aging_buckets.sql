-- Aging in the long form, in the buckets that each entity chose.
-- Only buckets that hold something have a row; waiting money has none, it stands in aging_month_end.
{{ config(post_hook="{{ publish_as_of('aging_buckets_as_of', chains().aging + ['int_aging__edges', 'int_aging__buckets']) }}") }}
select
    as_of,
    basis,
    entity_id,
    property_id,
    source_system,
    lease_id,
    ledger_party,
    bucket_no,
    bucket,
    age_from,
    age_to,
    open_amount,
    rent_open,
    other_open
from {{ ref('int_aging__buckets') }}
