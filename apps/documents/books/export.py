"""An export, from the published build to the bytes of its files: select, make documents, check, write.

`export_books` is what the command and a page call. It either gives files, or what the target would refuse, never both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from apps.documents.books import (
    beancount,
    hledger,
    intacct,
    netsuite,
    plain_csv,
    quickbooks_desktop,
    quickbooks_online,
    workbook,
    xero,
    yardi,
)
from apps.documents.books.documents import Document, documents_of
from apps.documents.books.mapping import NOTHING_MAPPED, Names
from apps.documents.books.selection import ZERO, Books, ExportRefused, Scope, read_books
from apps.documents.books.target import Finding, Target, files_of, postings_of, refusals, starting_names
from apps.reports.published import Published, Reader

TARGETS: dict[str, Target] = {
    module.TARGET.key: module.TARGET
    for module in (quickbooks_desktop, quickbooks_online, xero, intacct, netsuite, yardi, plain_csv)
}
LEDGERS = {"hledger": (hledger, ".journal"), "beancount": (beancount, ".beancount")}
FORMATS = ("hledger", "beancount", "iif", "qbo", "xero", "intacct", "netsuite", "yardi", "csv", "xlsx")


@dataclass(frozen=True)
class Export:
    """What was made. Where `findings` are, there are no files. `about` says what the files are, as (label, value).

    `names` is a mapping file to begin with, for a format that takes one and was given none.
    """

    format: str
    stem: str
    suffix: str
    files: Sequence[bytes]
    findings: Sequence[Finding]
    about: Sequence[tuple[str, str]]
    names: bytes | None = None

    def about_text(self, names: Sequence[str]) -> str:
        """The facts as text, with the hash of every file under its name."""
        hashes = [
            (f"sha256 of {name}", hashlib.sha256(content).hexdigest())
            for name, content in zip(names, self.files, strict=True)
        ]
        return "".join(f"{label}: {value}\n" for label, value in [*self.about, *hashes])


def export_books(
    published: Published, format: str, scope: Scope, *, detail: bool = True, names: Names = NOTHING_MAPPED
) -> Export:
    """Make the files of a format, or say what the target would refuse of them.

    Raises ExportRefused for a format, scope or mapping that cannot be, BooksDiffer where journal and trial balance
    disagree, NothingPublished where the home has no build.
    """
    if format not in FORMATS:
        raise ExportRefused(f"Format {format!r} is not known; expected one of {', '.join(FORMATS)}.")
    if names.entries and (format not in TARGETS or format == "csv"):
        raise ExportRefused(f"{format} takes no mapping file: its accounts are named after the books.")
    reader = published.reader()
    books = read_books(reader, scope)
    documents = documents_of(books, detail=detail)
    files, findings, suffix = _made(reader, format, books, documents, names)
    about = _about(format, books, documents, detail)
    begin = (
        starting_names(TARGETS[format], books) if format in TARGETS and format != "csv" and not names.entries else None
    )
    return Export(format, _stem(format, books), suffix, [] if findings else files(), findings, about, begin)


def _stem(format: str, books: Books) -> str:
    """What a file of an export is called where nobody named it: `xero-birchline-2026-10-to-2026-10`."""
    parts = [format, books.scope.entity_id or "", books.scope.from_period, "to", books.scope.to_period]
    return quote("-".join(part for part in parts if part), safe="")


def _made(
    reader: Reader, format: str, books: Books, documents: Sequence[Document], names: Names
) -> tuple[Callable[[], list[bytes]], list[Finding], str]:
    if format in LEDGERS:
        ledger, suffix = LEDGERS[format]
        return lambda: [ledger.write(books, documents)], ledger.pre_flight(books, documents), suffix
    if format == "xlsx":
        sheets = workbook.sheets_of(reader, books, documents)
        made_at = reader.build.loaded_at or datetime(books.as_of.year, books.as_of.month, books.as_of.day, tzinfo=UTC)
        return lambda: [workbook.write(books, sheets, made_at)], workbook.pre_flight(sheets, books), ".xlsx"
    target = TARGETS[format]
    postings = postings_of(target, books, documents, names)
    settings = {**target.settings, **names.settings}
    return (
        lambda: [target.write(each, settings) for each in files_of(target, postings)],
        refusals(target, books, postings, names),
        target.suffix,
    )


def _about(format: str, books: Books, documents: Sequence[Document], detail: bool) -> list[tuple[str, str]]:
    totals = []
    for currency in sorted({entity.currency for entity in books.entities}):
        mine = [document for document in documents if document.entity.currency == currency]
        debits = sum((document.debits for document in mine), ZERO)
        credits = sum((document.credits for document in mine), ZERO)
        totals.append((f"Total {currency}", f"debits {debits:.2f}, credits {credits:.2f}"))
    return [
        ("Format", format),
        *books.facts(),
        ("Documents", f"{len(documents)}, {'in detail' if detail else 'a summary by property, day and account'}"),
        ("Lines", str(sum(len(document.lines) for document in documents))),
        *totals,
    ]
