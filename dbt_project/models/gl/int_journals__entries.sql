-- The journal of every event, line by line: postings as debit and credit lines with an account, netted where one event
-- touches an account twice on a date. What residents owe, and what is held for them, belongs to the owner on the
-- accounting date and moves to a new owner on the first day; the other side stays with the owner of the business date,
-- and both meet in intercompany. Line numbers never shift when something becomes known later, because a later fact has
-- a journal of its own. What could go wrong: a role that no account has, or two have; int_journals__unmapped lists it.

{{ journal_lines(ref('int_journals__postings'), 'accrual') }}
