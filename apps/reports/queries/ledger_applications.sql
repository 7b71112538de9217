-- What paid what on an account, application by application in order of the day, undone ones and their reversals
-- included. An id is unique only within its own kind of entry: a payment and a charge may bear the same one.
select
    applications.source_kind,
    applications.source_id,
    applications.charge_id,
    applications.target_kind,
    applications.amount,
    applications.applied_on,
    applications.rule_id,
    applications.rule_version,
    applications.law_rule_id,
    applications.law_rule_version,
    applications.reason,
    charges.description as charge_description,
    charges.due_on as charge_due_on,
    sources.description as source_description
from payment_applications as applications
left join resident_ledger as charges
    on applications.source_system = charges.source_system
    and applications.lease_id = charges.lease_id
    and applications.ledger_party = charges.ledger_party
    and applications.charge_id = charges.source_id
    and applications.target_kind = charges.kind
    and charges.amount > 0
left join resident_ledger as sources
    on applications.source_system = sources.source_system
    and applications.lease_id = sources.lease_id
    and applications.ledger_party = sources.ledger_party
    and applications.source_id = sources.source_id
    and applications.source_kind = sources.kind
    and sources.amount < 0
where applications.source_system = $source_system
    and applications.lease_id = $lease_id
    and applications.ledger_party = $ledger_party
order by applications.applied_on, applications.recorded_at, applications.application_id
