-- The rows behind the counts, oldest file first.
select
    quarantine_id,
    source_system,
    file,
    row_number,
    "table" as table_name,
    reason,
    detail,
    amount
from quarantine
where status = 'open'
order by file, row_number, quarantine_id
limit 200
