-- The two column totals of a statement: the same rows as its entries, added up.
select
    source_system,
    lease_id,
    coalesce(sum(amount) filter (where amount >= 0), 0)::decimal(18, 2) as charges,
    coalesce(-sum(amount) filter (where amount < 0), 0)::decimal(18, 2) as credits
from resident_ledger
where lease_id between $first_lease and $last_lease
    and ledger_party = $ledger_party
    and entry_on between $from_on and $through_on
group by source_system, lease_id
