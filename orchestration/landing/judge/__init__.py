"""Judging rows, set by set, in SQL inside DuckDB: typed, then keyed, then against each other.

`canonical.py` turns text into canonical text and `row_faults.py` finds what is wrong with a row by itself; `rows.py`
reads a landed row and `work.py` keeps the rows that are judged; `keys.py` finds duplicates, changed facts and versions;
`between_rows.py` checks what a row names and what must hold between rows, against the rows accepted so far.
`accept.py` plays the last until nothing more enters: the order of files, names and rows never matters, because every
choice between rows is made by their content (recorded_at, then the canonical text itself).

All SQL is generated from the contract; values from files never become SQL.
"""
