-- What is missing that a household's figures may depend on, up to a day. What is only compared with the books (a bank's
-- deposits, the books' own balances) moves no account. Where a column is empty, every household may be touched.
select distinct
    cause,
    table_name,
    entity_id,
    property_id,
    lease_id,
    period_from,
    period_to
from incomplete_data
where (period_from is null or period_from <= $through_on)
    and (table_name is null or table_name not in (
        'bank_deposits', 'gl_balances', 'gl_journal_lines', 'control_totals', 'source_applications'
    ))
order by all
