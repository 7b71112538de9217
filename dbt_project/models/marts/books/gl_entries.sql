-- The journals as published: an accrual line per account, date, lease and party of each event.
-- Selected, not computed: every figure was made in the layer below and is walked back by source_table and source_id.

select
    journal_id, line_no, book, entity_id, property_id, source_system, lease_id, ledger_party, account, account_name,
    account_type, debit, credit, accounting_on, entry_on, recorded_at, event, source_table, source_id, charge_code, batch_id,
    file, row_number
from {{ ref('int_journals__books') }}
