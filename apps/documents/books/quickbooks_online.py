"""QuickBooks Online: the journal entry import as CSV.

Entries are the rows of one JournalNo; dates are MM/DD/YYYY; accounts are known by name, with account numbers turned off
over there. Lengths: journal number 21, account, name, location and class 100, description 4,000 characters; an amount
up to 99,999,999,999. A line on accounts receivable or payable needs a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.documents.books.target import Posting, Target, csv_file, plain, us_day

HEADER = (
    "JournalNo", "JournalDate", "AccountName", "Debits", "Credits", "Description", "Name", "Location", "Class",
)  # fmt: skip


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of the file."""
    return csv_file(
        HEADER,
        (
            (
                posting.number, us_day(posting.on), line.account, plain(line.debit), plain(line.credit), line.memo,
                line.name, line.property, "",
            )
            for posting in postings
            for line in posting.lines
        ),
    )  # fmt: skip


TARGET = Target(
    key="qbo",
    title="QuickBooks Online",
    suffix=".csv",
    write=write,
    fields={
        "number": "JournalNo", "account": "AccountName", "property": "Location", "name": "Name",
    },
    longest={"number": 21, "account": 100, "property": 100, "name": 100, "line_memo": 4000},
    separator=":",
    is_of_one_entity=True,
    named_kinds=frozenset({"receivable", "payable"}),
)  # fmt: skip
