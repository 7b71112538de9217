-- Rows of files that could not be used yet, by what is wrong with them.
select
    reason,
    count(*) as rows_waiting,
    sum(amount) as amount,
    count(*) filter (where amount is null) as rows_without_amount,
    min(detail) as example
from quarantine
where status = 'open'
group by reason
order by rows_waiting desc, reason
