-- The charges that a claim for rent leaves out, with the reason and where it is written.
-- They add up to the lines of the bridge that take them from the ledger balance.
{{ config(post_hook="{{ publish_as_of('arrears_excluded_charges_as_of', chains().arrears + ['int_arrears__exclusions']) }}") }}
select
    forum,
    source_system,
    lease_id,
    property_id,
    as_of,
    source_table,
    source_id as charge_id,
    kind,
    charge_code,
    category,
    due_on,
    amount,
    treatment,
    reason,
    citation
from {{ ref('int_arrears__exclusions') }}
where arrears_class in ('not_claimable', 'claimed_apart', 'rent_not_due')
