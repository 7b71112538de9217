"""What a target ledger takes: how its file is written and what it would refuse. One instance a format.

`postings_of` turns documents into what the target is given: its names for accounts, properties and customers, memos cut
to its length. `refusals` is the pre-flight over them: all that the target would turn away, found before a file exists.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from apps.documents.books.documents import Document, DocumentLine
from apps.documents.books.mapping import COLUMNS, KINDS_OF_ROLES, NOTHING_MAPPED, Names
from apps.documents.books.selection import Balance, Books, Entity
from apps.documents.formulas import defused

FIRST_DAY = date(1901, 1, 1)  # no ledger here takes an earlier day; a year typed with two digits ends before it
CONTROL = ("receivable", "payable")
CONTROL_LETTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class PostingLine:
    """A line as the target is given it: texts are the target's, amounts in major units."""

    account: str
    kind: str
    property: str
    name: str
    memo: str
    debit: Decimal
    credit: Decimal
    ours: DocumentLine
    is_named_by_lease: bool = False

    @property
    def amount(self) -> Decimal:
        """Debit positive, credit negative."""
        return self.debit - self.credit


@dataclass(frozen=True)
class Posting:
    """A document as the target is given it."""

    number: str
    on: date
    memo: str
    entity: str
    currency: str
    property: str
    lines: Sequence[PostingLine]
    ours: Document


@dataclass(frozen=True)
class Finding:
    """What the target would refuse, for a person: where, what was found, what is allowed, what to do."""

    document: str
    line: str
    field: str
    found: str
    limit: str
    what_to_do: str
    lines: int = 1


@dataclass(frozen=True)
class Target:
    """A format: how things are named there, its limits, and the function that writes its file.

    `fields` names the target's own columns for number, account, property, entity and name, for messages.
    `longest` are the characters each may have, and those that `memo` (of an entry) and `line_memo` are cut to;
    `separator` parts a name from the one above it (`Parent:Sub`), so that a name of ours must not hold it.
    `write` turns postings and settings into the bytes of one file.
    """

    key: str
    title: str
    suffix: str
    write: Callable[[Sequence[Posting], Mapping[str, str]], bytes]
    fields: Mapping[str, str]
    account_style: str = "name"
    property_style: str = "name"
    longest: Mapping[str, int] = field(default_factory=dict)
    forbidden: str = ""
    separator: str = ""
    encoding: str = "utf-8"
    is_of_one_entity: bool = False
    refused_kinds: frozenset[str] = frozenset()
    named_kinds: frozenset[str] = frozenset()
    has_one_control_line: bool = False
    needs_property: bool = False
    lines_per_file: int | None = None
    lines_per_document: int | None = None
    documents_per_file: int | None = None
    largest: Decimal = Decimal("99999999999.99")
    settings: Mapping[str, str] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """What the target calls a field."""
        return self.fields.get(name, name)


def postings_of(target: Target, books: Books, documents: Iterable[Document], names: Names) -> list[Posting]:
    """The documents in the target's words. What has no name there keeps ours; the pre-flight says so."""
    made = []
    for document in documents:
        memo, line_memo = (_fitting(document.memo, target, of) for of in ("memo", "line_memo"))
        place = _property(target, books, document.entity, document.property_id, names)
        owner = names.find("entity", document.entity.entity_id)
        made.append(
            Posting(
                number=document.number,
                on=document.on,
                memo=memo,
                entity=owner.theirs if owner else document.entity.name,
                currency=document.entity.currency,
                property=place,
                lines=[_line(target, books, document, line, names, place, line_memo) for line in document.lines],
                ours=document,
            )
        )
    return made


def _line(
    target: Target, books: Books, document: Document, line: DocumentLine, names: Names, place: str, memo: str
) -> PostingLine:
    mapped = names.find("account", line.account, document.entity.entity_id)
    kind = (mapped.kind if mapped else "") or KINDS_OF_ROLES.get(line.role or "", "ordinary")
    name = mapped.name if mapped else ""
    is_named_by_lease = not name and line.lease_id is not None
    if kind in target.named_kinds and not name and line.lease_id:
        lease = names.find("lease", line.lease_id)
        name = lease.theirs if lease else books.residents.get((line.source_system, line.lease_id), "")
    return PostingLine(
        account=mapped.theirs if mapped else account_text(target.account_style, line),
        kind=kind,
        property=place,
        name=name if kind in target.named_kinds else "",
        memo=memo,
        debit=line.debit,
        credit=line.credit,
        ours=line,
        is_named_by_lease=is_named_by_lease,
    )


def account_text(style: str, line: DocumentLine | Balance) -> str:
    """An account as a ledger that knows it by `number`, by `name`, or by `number name` writes it."""
    return {"number": line.account, "name": line.account_name}.get(style, f"{line.account} {line.account_name}")


def _property(target: Target, books: Books, entity: Entity, property_id: str | None, names: Names) -> str:
    if property_id is None:
        none = names.find("property", "none", entity.entity_id)
        return none.theirs if none else ""
    mapped = names.find("property", property_id, entity.entity_id)
    if mapped:
        return mapped.theirs
    return property_id if target.property_style == "id" else books.property_name(entity, property_id)


def _fitting(memo: str, target: Target, of: str) -> str:
    """A memo in the target's letters and length: it says what an entry is and identifies nothing, so it may be cut."""
    plain = CONTROL_LETTERS.sub(" ", memo).replace('"', " ")
    plain = plain.encode(target.encoding, errors="replace").decode(target.encoding)
    longest = target.longest.get(of)
    return plain if longest is None or len(plain) <= longest else plain[: longest - 3] + "..."


class Findings:
    """What the pre-flight found. A name that is refused on many lines is one finding that counts them."""

    def __init__(self) -> None:
        self.fine: set[tuple[str, str]] = set()  # (field, text) that were looked at and have nothing wrong
        self._found: dict[tuple[str, ...], Finding] = {}
        self._lines: Counter[tuple[str, ...]] = Counter()

    def add(self, document: str, line: str, field: str, found: str, limit: str, what_to_do: str, *, once: bool) -> None:
        """Note a finding; `once`: the same field, value and limit in another document is the same finding."""
        key = (field, found, limit) if once else (document, line, field, found, limit)
        self._found.setdefault(key, Finding(document, line, field, found, limit, what_to_do))
        self._lines[key] += 1

    def all(self) -> list[Finding]:
        """Every finding, in the order found."""
        return [
            Finding(f.document, f.line, f.field, f.found, f.limit, f.what_to_do, self._lines[key])
            for key, f in self._found.items()
        ]


def refusals(target: Target, books: Books, postings: Sequence[Posting], names: Names = NOTHING_MAPPED) -> list[Finding]:
    """The pre-flight: what the target would refuse of these postings. Nothing found means a file may be written."""
    findings = Findings()
    _check_file(target, books, names, findings)
    _check_numbers(target, postings, findings)
    _check_customers(target, postings, findings)
    for posting in postings:
        _check_document(target, posting, names, findings)
        for number, line in enumerate(posting.lines, start=1):
            _check_line(target, posting, number, line, names, findings)
    return findings.all()


def _check_file(target: Target, books: Books, names: Names, findings: Findings) -> None:
    if target.is_of_one_entity and len(books.entities) > 1:
        found = ", ".join(entity.entity_id for entity in books.entities)
        findings.add(
            "(file)", "", "entity", found, "one entity a file: a company file holds one set of books",
            "Export one entity at a time with --entity ID.", once=True,
        )  # fmt: skip
    for entity in books.entities:
        if not entity.currency:
            findings.add(
                "(file)", "", "currency", entity.entity_id, "a currency",
                "Land the entity and a property of it: the build knows no currency for it.", once=True,
            )  # fmt: skip
    for name in names.settings:
        if name not in target.settings:
            findings.add(
                "(mapping)", "", "setting", name, ", ".join(target.settings) or "no setting",
                f"Take the row out of the mapping file: {target.title} has no such setting.", once=True,
            )  # fmt: skip


def _check_numbers(target: Target, postings: Sequence[Posting], findings: Findings) -> None:
    for number, count in Counter(posting.number for posting in postings).items():
        if count > 1:
            findings.add(
                number, "", target.label("number"), f"{count} documents", "one document a number",
                "Narrow the range so that they are not in one file, and report this build.", once=False,
            )  # fmt: skip


def _check_customers(target: Target, postings: Sequence[Posting], findings: Findings) -> None:
    """One name over there must not stand for two households here: their balances would be added together. These targets
    tell names apart by their letters alone, large or small."""
    households: dict[str, dict[tuple[str, str], tuple[Posting, int]]] = defaultdict(dict)
    for posting in postings:
        for number, line in enumerate(posting.lines, start=1):
            if line.name and line.is_named_by_lease:
                key = (line.ours.source_system, line.ours.lease_id or "")
                households[line.name.casefold()].setdefault(key, (posting, number))
    for leases in households.values():
        if len(leases) > 1:
            posting, number = next(iter(leases.values()))
            findings.add(
                posting.number, str(number), target.label("name"), posting.lines[number - 1].name,
                f"one lease a name; found leases {', '.join(sorted(lease for _, lease in leases))}",
                "Name each lease in the mapping file (what=lease), or give the account one name for all.", once=True,
            )  # fmt: skip


def _check_document(target: Target, posting: Posting, names: Names, findings: Findings) -> None:
    document = posting.ours

    def found(field: str, what: str, limit: str, what_to_do: str) -> None:
        findings.add(posting.number, "", field, what, limit, what_to_do, once=False)

    if document.debits != document.credits:
        found(
            "amount",
            f"debits {document.debits}, credits {document.credits}",
            "debits = credits",
            "Report this build: a journal that does not balance must not have been published.",
        )
    if len(posting.lines) < 2:
        found("lines", str(len(posting.lines)), "two lines or more", "Report this build: a journal has two sides.")
    most = min(target.lines_per_document or len(posting.lines), target.lines_per_file or len(posting.lines))
    if len(posting.lines) > most:
        found("lines", str(len(posting.lines)), f"{most} lines", "Export with --detail: its documents are smaller.")
    if document.on < FIRST_DAY:
        found("date", document.on.isoformat(), f"{FIRST_DAY.isoformat()} or later", "Correct the date in the source.")
    control = [line for line in posting.lines if line.kind in CONTROL]
    if target.has_one_control_line and len(control) > 1:
        found(
            target.label("account"),
            ", ".join(f"{line.account} {line.amount:+}" for line in control),
            "one line on accounts receivable or payable",
            "Map the account to an ordinary one (kind=ordinary): the households' balances stay in this ledger.",
        )
    _check_mapped("entity", document.entity.entity_id, names, posting, "", target, findings)
    _check_text("entity", posting.entity, target, posting, "", findings)
    _check_whole("entity", document.entity.entity_id, posting.entity, target, names, posting, "", findings)
    if document.property_id is not None:
        _check_mapped("property", document.property_id, names, posting, "", target, findings)
    elif target.needs_property and not posting.property:
        findings.add(
            posting.number, "", target.label("property"), "no property", "a property on every line",
            "Name the property that takes lines without one in the mapping file: what=property, ours=none.", once=True,
        )  # fmt: skip
    _check_text("property", posting.property, target, posting, "", findings)
    _check_whole("property", document.property_id or "none", posting.property, target, names, posting, "", findings)
    _check_text("number", posting.number, target, posting, "", findings)


def _check_line(
    target: Target, posting: Posting, number: int, line: PostingLine, names: Names, findings: Findings
) -> None:
    def found(field: str, what: str, limit: str, what_to_do: str, *, once: bool = False) -> None:
        findings.add(posting.number, str(number), field, what, limit, what_to_do, once=once)

    if line.debit == 0 and line.credit == 0:
        found("amount", "0.00", "an amount", "Report this build: a line that moves nothing must not be published.")
    if line.debit < 0 or line.credit < 0 or (line.debit and line.credit):
        found("amount", f"debit {line.debit}, credit {line.credit}", "one of them, above zero", "Report this build.")
    if max(line.debit, line.credit) > target.largest:
        found("amount", str(max(line.debit, line.credit)), str(target.largest), "Export with --detail, or split it.")
    _check_mapped("account", line.ours.account, names, posting, str(number), target, findings)
    _check_text("account", line.account, target, posting, str(number), findings)
    _check_whole("account", line.ours.account, line.account, target, names, posting, str(number), findings)
    if line.kind in target.refused_kinds:
        found(
            target.label("account"),
            f"{line.account} ({line.kind})",
            f"no line on a {' or '.join(sorted(target.refused_kinds))} account of its own",
            f"Map account {line.ours.account} to an ordinary account there, with kind=ordinary.",
            once=True,
        )
    if line.kind in target.named_kinds:
        if not line.name:
            found(
                target.label("name"),
                f"no name on {line.account}",
                "a customer or vendor on every line of a receivable or payable account",
                f"Give account {line.ours.account} a name in the mapping file, or map it to kind=ordinary.",
                once=True,
            )
        _check_text("name", line.name, target, posting, str(number), findings)
        if line.is_named_by_lease:
            lease_id = line.ours.lease_id or ""
            _check_whole("lease", lease_id, line.name, target, names, posting, str(number), findings)


def _check_whole(
    what: str, ours: str, value: str, target: Target, names: Names, posting: Posting, line: str, findings: Findings
) -> None:
    """A name of ours with the letter that parts names over there would arrive as a part of something else. Whoever
    names it in the mapping file means that."""
    field = "name" if what == "lease" else what
    if not target.separator or target.separator not in value or field not in target.fields:
        return
    if names.find(what, ours, posting.ours.entity.entity_id) is None:
        findings.add(
            posting.number, line, target.label(field), value,
            f"no {target.separator!r}: it parts a name from the one above",
            f"Name it in the mapping file as it is called there (what={what}, ours={ours}).", once=True,
        )  # fmt: skip


def _check_mapped(
    what: str, ours: str, names: Names, posting: Posting, line: str, target: Target, findings: Findings
) -> None:
    if names.names(what) and names.find(what, ours, posting.ours.entity.entity_id) is None:
        findings.add(
            posting.number, line, target.label(what), ours, f"every {what} named in the mapping file",
            f"Add a row what={what}, ours={ours} to the mapping file.", once=True,
        )  # fmt: skip


def _check_text(what: str, value: str, target: Target, posting: Posting, line: str, findings: Findings) -> None:
    """A name must arrive letter by letter, or it names something else: what does not fit is refused, not cut."""
    if what not in target.fields or not value or (what, value) in findings.fine:
        return
    is_fine = True

    def found(limit: str) -> None:
        nonlocal is_fine
        is_fine = False
        key = {"name": "lease"}.get(what, what)
        findings.add(
            posting.number, line, target.label(what), value, limit,
            f"Give it another name in the mapping file (what={key}).", once=True,
        )  # fmt: skip

    longest = target.longest.get(what)
    if longest is not None and len(value) > longest:
        found(f"{longest} characters; found {len(value)}")
    odd = sorted({*CONTROL_LETTERS.findall(value), *(letter for letter in target.forbidden if letter in value)})
    if odd:
        found(f"none of {' '.join(repr(letter) for letter in odd)}")
    try:
        value.encode(target.encoding)
    except UnicodeEncodeError:
        found(f"letters of {target.encoding}")
    if defused(value) != value:
        found("no first letter that a spreadsheet runs as a formula")
    if is_fine:
        findings.fine.add((what, value))


def starting_names(target: Target, books: Books) -> bytes:
    """A mapping file to begin with: every account and property of the selection under the name it would have now."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    accounts = {(each.entity.entity_id, each.account): each for each in books.balances}
    for (entity_id, account), each in sorted(accounts.items()):
        kind = KINDS_OF_ROLES.get(each.role or "", "ordinary")
        theirs = account_text(target.account_style, each)
        writer.writerow([*map(defused, ("account", account, theirs, entity_id, kind, ""))])
    places = {(each.entity, each.property_id) for each in books.balances if each.property_id is not None}
    for entity, property_id in sorted(places, key=lambda place: (place[0].entity_id, place[1] or "")):
        theirs = _property(target, books, entity, property_id, NOTHING_MAPPED)
        writer.writerow([*map(defused, ("property", property_id or "", theirs, entity.entity_id, "", ""))])
    return stream.getvalue().encode("utf-8-sig")


def files_of(target: Target, postings: Sequence[Posting]) -> list[list[Posting]]:
    """The postings in files that the target takes whole: no document is split. One file where there is no limit."""
    files: list[list[Posting]] = [[]]
    lines = 0
    for posting in postings:
        is_full = bool(target.lines_per_file) and lines + len(posting.lines) > (target.lines_per_file or 0)
        if files[-1] and (is_full or len(files[-1]) >= (target.documents_per_file or len(postings) + 1)):
            files.append([])
            lines = 0
        files[-1].append(posting)
        lines += len(posting.lines)
    return files


def csv_file(header: Sequence[str], rows: Iterable[Sequence[str]], encoding: str = "utf-8") -> bytes:
    """A CSV file as the targets' own templates are written: comma, quotes where needed, lines end in CR LF."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().encode(encoding)


def plain(amount: Decimal) -> str:
    """`1500.00`; nothing for zero, as debit and credit columns want it."""
    return f"{amount:.2f}" if amount else ""


def us_day(on: date) -> str:
    """`10/31/2026`."""
    return f"{on.month:02}/{on.day:02}/{on.year:04}"
