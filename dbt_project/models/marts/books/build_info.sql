-- What this build is: its number, the day it stands on and the load that it holds.
-- The manifest beside the file says the rest: batches, rule versions, code version, table hashes.

select build_no, as_of_on as as_of, loaded_at as built_at
from {{ ref('int_build__settings') }}
