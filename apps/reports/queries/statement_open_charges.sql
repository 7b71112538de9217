-- The charges behind the aging of an account: each with what has been paid on it by the end of that day and what is
-- open.
select
    source_system,
    lease_id,
    charge_id,
    charge_code,
    description,
    due_on,
    amount,
    applied_amount,
    open_amount,
    bucket
from open_charges_month_end
where lease_id between $first_lease and $last_lease
    and ledger_party = $ledger_party
    and as_of = $as_of
    and basis = 'business'
order by lease_id, source_system, due_on, charge_id
