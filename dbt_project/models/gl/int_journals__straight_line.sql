-- The journals that the straight-line book has beside those of the accrual book: concessions put off and earned.
-- What is posted says int_journals__straight_line_postings; lines, accounts and owners are made as in every book.

{{ journal_lines(ref('int_journals__straight_line_postings'), 'straight_line') }}
