-- Who lives where: the names on each lease, for ledgers that keep a customer per household.
select source_system, lease_id, resident_names
from leases
order by source_system, lease_id
