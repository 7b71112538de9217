-- The days for which an entity has an aging, newest first: the build's as-of day and the month ends before it.
select distinct as_of
from aging_month_end
where entity_id = $entity_id
order by as_of desc
