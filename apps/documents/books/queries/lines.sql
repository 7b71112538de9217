-- The journal lines of a book between two days, in the order of entity, property, day, journal and line.
select
    journal_id,
    line_no,
    coalesce(entity_id, '') as entity_id,
    property_id,
    source_system,
    lease_id,
    ledger_party,
    account,
    account_name,
    account_type,
    debit,
    credit,
    accounting_on,
    entry_on,
    event,
    source_table,
    source_id,
    charge_code,
    file,
    row_number
from gl_entries
where book = $book
    and accounting_on between $from_on and $to_on
    and ($entity_id::varchar is null or entity_id = $entity_id)
    and ($source_system::varchar is null or source_system = $source_system)
order by entity_id, source_system, property_id nulls first, accounting_on, journal_id, line_no
