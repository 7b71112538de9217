-- The role of every account of the charts.
select source_system, entity_id, account, role
from gl_accounts
order by source_system, entity_id, account
