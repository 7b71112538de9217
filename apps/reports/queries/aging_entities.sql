-- The entities that have something to age, with the one currency that each keeps its books in.
select
    aging.entity_id,
    coalesce(max(properties.entity_name), aging.entity_id) as entity_name,
    max(properties.currency) as currency
from (select distinct entity_id from aging_month_end) as aging
left join properties
    on aging.entity_id = properties.entity_id
group by aging.entity_id
order by entity_name, aging.entity_id
