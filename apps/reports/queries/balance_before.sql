-- The opening balance of a window: the running balance of the last entry dated before it. The balance is taken from
-- the whole ledger and never summed inside the window, or a window would open at zero.
select running_balance
from resident_ledger
where source_system = $source_system
    and lease_id = $lease_id
    and ledger_party = $ledger_party
    and entry_on < $from_on
order by entry_seq desc
limit 1
