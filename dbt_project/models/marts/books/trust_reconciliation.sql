-- Deposits three ways, as published: by lease, by the ledger, and where the money lies, for each property and month end.
-- Selected, not computed: the first two tie on every day (tie-out 4); what is not in trust is a finding.

select
    source_system, entity_id, property_id, period, held_by_leases, held_by_ledger, trust_cash, trust_cash_in_books,
    not_in_trust
from {{ ref('int_tie_outs__trust') }}
