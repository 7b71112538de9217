-- The accounts that have something to say in a month: entries in it, or a balance carried into it.
select
    source_system,
    lease_id
from resident_ledger
where ledger_party = $ledger_party
    and entry_on <= $through_on
group by source_system, lease_id
having max(entry_on) >= $from_on
    or arg_max(running_balance, entry_seq) <> 0
order by lease_id, source_system
