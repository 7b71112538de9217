-- Money that a claim for rent does not count, with the reason.
-- A rent deposit that is left out stands here, and what a payer designated to something other than rent.
{{ config(post_hook="{{ publish_as_of('arrears_excluded_money_as_of', chains().arrears + ['int_arrears__exclusions']) }}") }}
select
    forum,
    source_system,
    lease_id,
    property_id,
    as_of,
    source_table,
    source_id,
    kind as source_kind,
    business_on as entry_on,
    amount,
    reason,
    citation
from {{ ref('int_arrears__exclusions') }}
where arrears_class in ('money_for_other', 'rent_deposit')
