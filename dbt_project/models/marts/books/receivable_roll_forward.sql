-- The roll-forward of receivables as published, by accounting month, party and charge code.
-- Selected, not computed: opening plus the movements is closing in every row, each signed + where it raises what is owed.

select
    period, source_system, entity_id, property_id, ledger_party, charge_code, opening, charges, credits, receipts, returns, write_offs,
    transfers, closing
from {{ ref('int_receivables__periods') }}
