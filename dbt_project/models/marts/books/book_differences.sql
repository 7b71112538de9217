-- What the books say differently of a month, as published: a row per entity, month and pair of books, with a memo in words.
-- Selected, not computed: the results are those of the trial balances.

select
    source_system, entity_id, period, left_book, right_book, left_result, right_result, difference, difference_to_date,
    is_asked_about, memo
from {{ ref('int_books__differences') }}
