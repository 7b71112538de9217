-- What waits, by the file that brought it; the file with most rows first.
select
    source_system,
    "table" as table_name,
    file,
    sum(rows_waiting)::bigint as rows_waiting,
    sum(amount) as amount,
    sum(rows_without_amount)::bigint as rows_without_amount,
    max(waiting_days) as waiting_days
from quarantine_summary
group by source_system, "table", file
order by rows_waiting desc, file
