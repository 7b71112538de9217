-- The roll-forward of receivables of the months of a range.
select
    period, source_system, entity_id, property_id, ledger_party, charge_code, opening, charges, credits, receipts,
    returns, write_offs, transfers, closing
from receivable_roll_forward
where period between $from_period and $to_period
    and ($entity_id::varchar is null or entity_id = $entity_id)
    and ($source_system::varchar is null or source_system = $source_system)
order by period, entity_id, property_id, ledger_party, charge_code
