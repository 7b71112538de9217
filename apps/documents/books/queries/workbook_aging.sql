-- The aging of accounts in the books at the last day of a range, accounts that owe nothing and hold nothing left out.
select
    as_of, source_system, entity_id, property_id, lease_id, ledger_party, not_yet_due, days_0_30, days_31_60,
    days_61_90, days_over_90, open_total, unapplied_credit, balance
from aging_month_end
where basis = 'books'
    and as_of = $to_on
    and (open_total <> 0 or unapplied_credit <> 0)
    and ($entity_id::varchar is null or entity_id = $entity_id)
    and ($source_system::varchar is null or source_system = $source_system)
order by entity_id, property_id, lease_id, ledger_party
