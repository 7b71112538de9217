-- Money under way by owner, settlement account and day, as published.
-- Selected, not computed: received to date less settled to date, where the bank of the account was heard.

select source_system, entity_id, settlement_account, as_of, received_to_date, settled_to_date, in_transit
from {{ ref('int_tie_outs__funds_in_transit') }}
