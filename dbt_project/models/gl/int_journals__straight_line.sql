-- The journals that the straight-line book has beside those of the accrual book: concessions put off and earned.

{{ journal_lines(ref('int_journals__straight_line_postings'), 'straight_line') }}
