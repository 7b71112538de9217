"""Yardi Voyager: journal entries in the layout of the financial journal import.

One property a line, debits positive, POSTMONTH `mm/yyyy`; what is imported becomes a batch that a person reviews before
it posts. TRANNUM counts the entries of the file; REF carries the document's number, which stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.documents.books.target import Posting, Target, csv_file, us_day

HEADER = (
    "TRANNUM", "PROPERTY", "ACCOUNT", "DATE", "POSTMONTH", "BOOKNUM", "AMOUNT", "REMARK", "REF", "DESC", "FROMDATE",
    "TODATE", "SEGMENT1", "DISPLAYTYPE", "ReverseNextMonth",
)  # fmt: skip


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of the file."""
    return csv_file(
        HEADER,
        (
            (
                str(number), line.property, line.account, us_day(posting.on),
                f"{posting.on.month:02}/{posting.on.year:04}", settings["book"], f"{line.amount:.2f}", line.memo,
                posting.number, line.memo, "", "", "", "", "",
            )
            for number, posting in enumerate(postings, start=1)
            for line in posting.lines
        ),
    )  # fmt: skip


TARGET = Target(
    key="yardi",
    title="Yardi Voyager",
    suffix=".csv",
    write=write,
    fields={"number": "REF", "account": "ACCOUNT", "property": "PROPERTY"},
    account_style="number",
    property_style="id",
    needs_property=True,
    settings={"book": "1"},
)
