-- Which books, entities and months are published.
select book, source_system, entity_id, min(period) as first_period, max(period) as last_period
from trial_balance
group by all
order by all
