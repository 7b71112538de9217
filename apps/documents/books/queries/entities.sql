-- The entities that own or owned a property, with their currency.
select distinct source_system, entity_id, entity_name, currency
from properties
order by all
