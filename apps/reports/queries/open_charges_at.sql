-- The charges behind an aging row: each with what has been paid on it by the end of that day and what is open.
select
    charge_id,
    charge_code,
    description,
    due_on,
    amount,
    applied_amount,
    open_amount,
    bucket
from open_charges_month_end
where source_system = $source_system
    and lease_id = $lease_id
    and ledger_party = $ledger_party
    and as_of = $as_of
    and basis = 'business'
order by due_on, charge_id
