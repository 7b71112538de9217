-- Entries dated before the window that the books knew only in or after it, by the property's own calendar: the opening
-- balance holds them, an earlier statement may not. Entries without a recorded time are known from their day.
select
    ledger.source_system,
    ledger.lease_id,
    ledger.entry_on,
    ledger.kind,
    ledger.description,
    ledger.amount,
    timezone(leases.time_zone, timezone('UTC', ledger.recorded_at))::date as known_on
from resident_ledger as ledger
inner join leases
    on ledger.source_system = leases.source_system
    and ledger.lease_id = leases.lease_id
where ledger.lease_id between $first_lease and $last_lease
    and ledger.ledger_party = $ledger_party
    and ledger.entry_on < $from_on
    and not ledger.recorded_assumed
    and timezone(leases.time_zone, timezone('UTC', ledger.recorded_at))::date >= $from_on
order by ledger.lease_id, ledger.source_system, ledger.entry_seq
