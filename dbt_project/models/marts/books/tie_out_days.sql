-- The comparisons of each entity day by day, as published: how many, how many differ, and a hash that covers all days before.
-- Selected, not computed: the hashes are taken over the rows of tie_outs that go by accounting date.

select source_system, entity_id, as_of, comparisons, comparisons_that_differ, day_hash, chain_hash
from {{ ref('int_tie_outs__days') }}
