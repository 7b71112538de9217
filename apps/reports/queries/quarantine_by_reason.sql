-- What waits, by reason and by how long it has waited; the oldest first.
select
    reason,
    age_bucket,
    sum(rows_waiting)::bigint as rows_waiting,
    sum(amount) as amount,
    sum(rows_without_amount)::bigint as rows_without_amount,
    max(waiting_days) as waiting_days
from quarantine_summary
group by reason, age_bucket
order by waiting_days desc, reason, age_bucket
