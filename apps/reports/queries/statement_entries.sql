-- Every entry of the window in the order of the ledger, charges apart from credits, with the balance after each.
select
    source_system,
    lease_id,
    entry_seq,
    entry_on,
    kind,
    source_id,
    charge_code,
    description,
    service_from,
    service_to,
    due_on,
    case when amount >= 0 then amount end as charge,
    case when amount < 0 then -amount end as credit,
    amount,
    running_balance
from resident_ledger
where lease_id between $first_lease and $last_lease
    and ledger_party = $ledger_party
    and entry_on between $from_on and $through_on
order by lease_id, source_system, entry_seq
