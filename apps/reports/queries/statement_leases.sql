-- The accounts that have something to say in a month: entries in it, or a balance carried into it.
select
    ledger.source_system,
    ledger.lease_id
from resident_ledger as ledger
where ledger.ledger_party = $ledger_party
    and ledger.entry_on <= $through_on
group by ledger.source_system, ledger.lease_id
having max(ledger.entry_on) >= $from_on
    or arg_max(ledger.running_balance, ledger.entry_seq) <> 0
order by ledger.source_system, ledger.lease_id
