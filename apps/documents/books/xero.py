"""Xero: manual journals as CSV.

Rows of one narration and date are a journal, so the narration begins with the document's number; a debit is positive;
dates are dd/mm/yyyy; an account is its code, ten characters at most. A file holds 300 lines: a larger export is several
files. Xero refuses lines on its own receivable and payable accounts and on bank accounts: such accounts are mapped to
ordinary ones. The names of the tax rate and of the tracking category are those of the organisation over there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.documents.books.target import Posting, Target, csv_file

HEADER = (
    "*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount", "TrackingName1", "TrackingOption1",
    "TrackingName2", "TrackingOption2",
)  # fmt: skip


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of one file."""
    return csv_file(
        HEADER,
        (
            (
                f"{posting.number} {posting.memo}", f"{posting.on.day:02}/{posting.on.month:02}/{posting.on.year:04}",
                line.memo, line.account, settings["tax_rate"], f"{line.amount:.2f}",
                settings["tracking"] if line.property else "", line.property, "", "",
            )
            for posting in postings
            for line in posting.lines
        ),
    )  # fmt: skip


TARGET = Target(
    key="xero",
    title="Xero",
    suffix=".csv",
    write=write,
    fields={
        "number": "Narration", "account": "AccountCode", "property": "TrackingOption1",
    },
    account_style="number",
    longest={"account": 10, "property": 100},
    is_of_one_entity=True,
    refused_kinds=frozenset({"receivable", "payable", "bank"}),
    lines_per_file=300,
    settings={"tax_rate": "Tax Exempt (0%)", "tracking": "Property"},
)  # fmt: skip
