-- Totals of the sources' own reports beside ours; what differs first.
select as_of, subject, left_amount, right_amount, difference, status, look_at
from tie_outs
where tie_out = 'control_totals__to__ledger'
order by status = 'differs' desc, as_of desc, subject
limit 200
