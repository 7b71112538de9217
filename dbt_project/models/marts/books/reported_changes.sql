-- What each late arrival would change in a month that was closed when it came, as published: a row per closed month, account
-- and late fact. Selected, not computed: as reported plus these rows is as known now.

select
    source_system, entity_id, property_id, closed_period, account, account_name, event, source_table, source_id, entry_on,
    accounting_on, days_after_month, recorded_at, cause, amount, batch_id, file, row_number
from {{ ref('int_tie_outs__reported_changes') }}
