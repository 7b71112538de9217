-- Every entry of an account in the order of the ledger, with what of a charge is open and what of a payment or credit
-- still waits. An id is unique only within its own table: a payment and a charge may bear the same one.
select
    ledger.entry_seq,
    ledger.entry_on,
    ledger.accounting_on,
    ledger.recorded_at,
    ledger.recorded_assumed,
    ledger.kind,
    ledger.source_table,
    ledger.source_id,
    ledger.charge_code,
    ledger.description,
    ledger.service_from,
    ledger.service_to,
    ledger.due_on,
    case when ledger.amount >= 0 then ledger.amount end as charge,
    case when ledger.amount < 0 then -ledger.amount end as credit,
    ledger.amount,
    ledger.running_balance,
    ledger.reverses_id,
    ledger.is_future,
    case when ledger.amount >= 0 then open_charges.open_amount end as open_amount,
    case when ledger.amount < 0 then waiting.amount end as waiting_amount
from resident_ledger as ledger
left join open_charges
    on ledger.source_system = open_charges.source_system
    and ledger.lease_id = open_charges.lease_id
    and ledger.ledger_party = open_charges.ledger_party
    and ledger.source_table = open_charges.source_table
    and ledger.source_id = open_charges.charge_id
left join unapplied_credits as waiting
    on ledger.source_system = waiting.source_system
    and ledger.lease_id = waiting.lease_id
    and ledger.ledger_party = waiting.ledger_party
    and ledger.source_table = waiting.source_table
    and ledger.source_id = waiting.source_id
where ledger.source_system = $source_system
    and ledger.lease_id = $lease_id
    and ledger.ledger_party = $ledger_party
order by ledger.entry_seq
