-- The name of each property as it is called now.
select source_system, property_id, name
from properties
qualify row_number() over (partition by source_system, property_id order by valid_from desc) = 1
order by source_system, property_id
