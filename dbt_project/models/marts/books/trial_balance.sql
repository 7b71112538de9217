-- The trial balance as published, a row per account and accounting month, months without movement included.
-- Selected, not computed: a page that shows a quarter adds up debits and credits and takes the first opening.

select
    book, source_system, entity_id, property_id, account, account_name, account_type, period, opening, debits, credits, closing
from {{ ref('int_trial_balance__periods') }}
