-- The two column totals of a statement: the same rows as its entries with no group at all.
select
    coalesce(sum(amount) filter (where amount >= 0), 0)::decimal(18, 2) as charges,
    coalesce(-sum(amount) filter (where amount < 0), 0)::decimal(18, 2) as credits
from resident_ledger
where source_system = $source_system
    and lease_id = $lease_id
    and ledger_party = $ledger_party
    and entry_on between $from_on and $through_on
