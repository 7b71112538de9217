"""Sage Intacct: general ledger journal entries as CSV.

The fields of the entry (journal, date, description, reference) stand on its first line only, and LINE_NO begins at 1
again. A description has 30 characters. The header is the one of the plain template: a company's own template adds its
dimensions, and Intacct asks for the template of the company.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from apps.documents.books.target import Posting, Target, csv_file, plain, us_day

HEADER = (
    "DONOTIMPORT", "JOURNAL", "DATE", "REVERSEDATE", "DESCRIPTION", "REFERENCE_NO", "LINE_NO", "ACCT_NO",
    "LOCATION_ID", "DEPT_ID", "DOCUMENT", "MEMO", "DEBIT", "CREDIT", "SOURCEENTITY",
)  # fmt: skip


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of the file."""
    return csv_file(HEADER, (row for posting in postings for row in _rows(posting, settings["journal"])))


def _rows(posting: Posting, journal: str) -> Iterator[Sequence[str]]:
    for number, line in enumerate(posting.lines, start=1):
        head = (journal, us_day(posting.on), "", posting.memo, posting.number) if number == 1 else ("", "", "", "", "")
        yield (
            "", *head, str(number), line.account, line.property, "", posting.number, line.memo,
            plain(line.debit), plain(line.credit), "",
        )  # fmt: skip


TARGET = Target(
    key="intacct",
    title="Sage Intacct",
    suffix=".csv",
    write=write,
    fields={"number": "REFERENCE_NO", "account": "ACCT_NO", "property": "LOCATION_ID"},
    account_style="number",
    property_style="id",
    longest={"memo": 30},
    settings={"journal": "GJ"},
)
