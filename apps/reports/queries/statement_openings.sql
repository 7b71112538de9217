-- The opening balance of a window: the running balance of the last entry dated before it. The balance is taken from
-- the whole ledger and never summed inside the window, or a window would open at zero.
select
    source_system,
    lease_id,
    arg_max(running_balance, entry_seq) as opening
from resident_ledger
where lease_id between $first_lease and $last_lease
    and ledger_party = $ledger_party
    and entry_on < $from_on
group by source_system, lease_id
