-- Deposits three ways for each trust account and month end, as published: by lease, by the ledger, and by its bank.
-- Selected, not computed; a house by itself is in trust_reconciliation.

select
    settlement_account, period, properties, held_by_leases, trust_cash, trust_cash_in_books, at_bank,
    not_in_trust, not_at_bank
from {{ ref('int_tie_outs__trust_accounts') }}
