-- The journals of the cash book: money as it comes and goes, and income as money is applied to what it pays.
-- What is posted says int_journals__cash_postings; lines, accounts and owners are made as in every book.

{{ journal_lines(ref('int_journals__cash_postings'), 'cash') }}
