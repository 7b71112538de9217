"""NetSuite: journal entries for the CSV import.

Rows of one External ID are an entry, and NetSuite refuses the entry whole where it does not balance; a posting period
is written `Oct 2026` and must be open over there; an account is written with its number, as where account numbers are
turned on. At most 10,000 lines an entry, and 25,000 entries a file: a larger export is several files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.documents.books.target import Posting, Target, csv_file, plain, us_day

HEADER = (
    "External ID", "Date", "Posting Period", "Subsidiary", "Currency", "Memo", "Account", "Debit", "Credit",
    "Line Memo", "Name", "Location",
)  # fmt: skip
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of the file."""
    return csv_file(
        HEADER,
        (
            (
                f"{settings['prefix']}{posting.number}", us_day(posting.on),
                f"{MONTHS[posting.on.month - 1]} {posting.on.year:04}", posting.entity, posting.currency, posting.memo,
                line.account, plain(line.debit), plain(line.credit), line.memo, line.name, line.property,
            )
            for posting in postings
            for line in posting.lines
        ),
    )  # fmt: skip


TARGET = Target(
    key="netsuite",
    title="NetSuite",
    suffix=".csv",
    write=write,
    fields={
        "number": "External ID", "account": "Account", "property": "Location", "entity": "Subsidiary", "name": "Name",
    },
    account_style="number name",
    separator=":",
    named_kinds=frozenset({"receivable", "payable"}),
    lines_per_document=10_000,
    documents_per_file=25_000,
    settings={"prefix": "TIEOUT-"},
)  # fmt: skip
