-- The journals of the cash book: money as it comes and goes, and income as money is applied to what it pays.

{{ journal_lines(ref('int_journals__cash_postings'), 'cash') }}
