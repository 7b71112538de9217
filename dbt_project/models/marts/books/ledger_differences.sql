-- What each difference against the books' own ledger is made of, as published: a row per line that stands on one side only.
-- Selected, not computed: the rows of an account and day add up to the difference of its comparison in tie_outs.

select
    book, source_system, entity_id, property_id, account, as_of, line_no, class, amount, first_on, entry
from {{ ref('int_tie_outs__booked_differences') }}
