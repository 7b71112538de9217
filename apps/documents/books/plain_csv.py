"""The journal as plain CSV, a row per line with everything that the build knows of it.

UTF-8 with a byte order mark, because spreadsheets need it; amounts in major units; text that a spreadsheet would run
is defused; the file and row that caused a line stand at its end.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from apps.documents.books.target import Posting, Target
from apps.documents.formulas import defused

HEADER = (
    "document", "date", "entity_id", "currency", "property_id", "lease_id", "ledger_party", "account", "account_name",
    "account_type", "debit", "credit", "memo", "event", "source_table", "source_id", "file", "row_number",
)  # fmt: skip


def write(postings: Sequence[Posting], settings: Mapping[str, str]) -> bytes:
    """The bytes of the file."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(HEADER)
    for posting in postings:
        document = posting.ours
        for line in document.lines:
            source = line.source
            caused = (source.event, source.source_table, source.source_id, source.file) if source else ("",) * 4
            writer.writerow(
                [
                    document.number, document.on.isoformat(),
                    *_texts(document.entity.entity_id, document.entity.currency, document.property_id, line.lease_id,
                            source.ledger_party if source else "", line.account, line.account_name, line.account_type),
                    f"{line.debit:.2f}", f"{line.credit:.2f}", *_texts(document.memo, *caused),
                    source.row_number if source and source.row_number is not None else "",
                ]
            )  # fmt: skip
    return stream.getvalue().encode("utf-8-sig")


def _texts(*values: str | None) -> list[str]:
    return [defused(value or "") for value in values]


TARGET = Target(key="csv", title="CSV", suffix=".csv", write=write, fields={"number": "document"})
