"""QuickBooks Desktop: an IIF file of general journal entries.

Tab-delimited, a TRNS line, SPL lines and ENDTRNS an entry; debits positive; Windows-1252, because that is what the
program reads. Lengths: reference number 11, account 159 with its parents, name 41, class 159, memo 209 characters. An
entry may have one line on accounts receivable or payable, and that line needs a name. An import cannot be undone there:
back the company file up first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.documents.books.target import Posting, Target, us_day

COLUMNS = ("TRNSTYPE", "DATE", "ACCNT", "NAME", "CLASS", "AMOUNT", "DOCNUM", "MEMO")


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of the file."""
    rows = [("!TRNS", "TRNSID", *COLUMNS), ("!SPL", "SPLID", *COLUMNS), ("!ENDTRNS",)]
    for posting in postings:
        for number, line in enumerate(posting.lines):
            rows.append(
                (
                    "SPL" if number else "TRNS", "", "GENERAL JOURNAL", us_day(posting.on), line.account, line.name,
                    line.property, f"{line.amount:.2f}", posting.number, line.memo,
                )
            )  # fmt: skip
        rows.append(("ENDTRNS",))
    return "".join("\t".join(row) + "\r\n" for row in rows).encode("cp1252")


TARGET = Target(
    key="iif",
    title="QuickBooks Desktop",
    suffix=".iif",
    write=write,
    fields={"number": "DOCNUM", "account": "ACCNT", "property": "CLASS", "name": "NAME"},
    longest={"number": 11, "account": 159, "property": 159, "name": 41, "memo": 209, "line_memo": 209},
    forbidden='\t"',
    separator=":",
    encoding="cp1252",
    is_of_one_entity=True,
    named_kinds=frozenset({"receivable", "payable"}),
    has_one_control_line=True,
)
