"""The household statement of one month: what was owed, what happened day by day, what is owed now and for what.

It opens at the running balance that the ledger had before the month, prints every entry of the month by business date
with the balance after each, and closes at the last of them; then it says which charges are still open and how old
they are. Every figure is read from the published build. The document adds nothing up, but it does check that the
figures explain each other, and refuses to be drawn where they do not: a resident must be able to follow every line.
"""

from __future__ import annotations

import calendar
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Flowable, KeepTogether, Paragraph, Spacer, Table, TableStyle

from apps.documents import words
from apps.documents.page import FONT, FONT_BOLD, MARGIN, letter_document, numbered_canvas, text
from apps.reports.published import Published, Reader, Row

ZERO = Decimal("0.00")

# Accounts read at once: a few thousand rows in memory, and seven queries a batch. Any number gives the same statements;
# at 1 a run over all leases is some twenty times slower.
BATCH = 500


class StatementRefused(Exception):
    """No statement can be drawn, and why, in words for the person who asked."""


@dataclass(frozen=True)
class Statement:
    """What one statement says. Amounts are positive where they raise what is owed; days are business dates."""

    lease: Row
    ledger_party: str
    from_on: date
    through_on: date
    month_end_on: date
    as_of_on: date
    build_no: str
    opening: Decimal
    entries: Sequence[Row]
    charges: Decimal
    credits: Decimal
    closing: Decimal
    open_charges: Sequence[Row]
    aging: Row | None
    became_known: Sequence[Row]
    incomplete: Sequence[str] = ()

    @property
    def currency(self) -> str:
        return str(self.lease["currency"] or "")

    @property
    def is_whole_month(self) -> bool:
        return self.through_on == self.month_end_on

    @property
    def unapplied(self) -> Decimal:
        return self.aging["unapplied_credit"] if self.aging else ZERO

    @property
    def written_off_beyond(self) -> Decimal:
        """What was written off beyond what was owed: it lowers the balance, but nobody is owed that money."""
        return self.aging["over_written_off"] if self.aging else ZERO

    @property
    def settlement(self) -> Decimal:
        """What the household is to pay (positive) or is owed (negative): the closing, without write-offs of nothing."""
        return self.closing if self.closing >= 0 else min(ZERO, self.closing + self.written_off_beyond)


def month_days(month: str) -> tuple[date, date]:
    """First and last day of ``2026-10``. Raises StatementRefused for anything else."""
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", month):
        raise StatementRefused(f"Month {month!r} was not understood: write it as year and month, such as 2026-10.")
    year, number = int(month[:4]), int(month[5:])
    if year < 1:
        raise StatementRefused(f"Month {month!r} was not understood: there is no year 0000.")
    return date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1])


def statement_pdf(
    published: Published, lease_id: str, month: str, *, source_system: str | None = None, ledger_party: str = "resident"
) -> bytes:
    """The statement of a lease for a month (``2026-10``) as the bytes of a PDF, the same bytes for the same build.

    Raises StatementRefused for an unknown lease, a lease id of two source systems, a month that is not one or has not
    begun, or figures that do not explain each other; NothingPublished where the home has no published build.
    """
    return draw(statement_of(published.reader(), lease_id, month, source_system, ledger_party))


def statement_leases(published: Published, month: str, ledger_party: str = "resident") -> list[tuple[str, str]]:
    """The (source_system, lease_id) pairs that a run over all statements of a month draws, by lease.

    An account is drawn if it has entries in the month or carries a balance into it.
    """
    reader = published.reader()
    from_on, through_on = _window(reader, month)[:2]
    found = reader.query("statement_leases", from_on=from_on, through_on=through_on, ledger_party=ledger_party)
    return [(row["source_system"], row["lease_id"]) for row in found]


def statement_pdfs(
    published: Published, month: str, leases: Sequence[tuple[str, str]], ledger_party: str = "resident"
) -> Iterator[tuple[str, str, bytes]]:
    """The statements of (source_system, lease_id) pairs for a month, one by one, as (source_system, lease_id, bytes) in
    the order of lease and source system.

    The same bytes as statement_pdf, read in batches, from one build throughout. Errors as statement_pdf.
    """
    for statement in read_statements(published.reader(), month, leases, ledger_party):
        yield statement.lease["source_system"], statement.lease["lease_id"], draw(statement)


def statement_of(
    reader: Reader, lease_id: str, month: str, source_system: str | None = None, ledger_party: str = "resident"
) -> Statement:
    """Read what one statement says. Errors as statement_pdf."""
    _window(reader, month)
    households = reader.query("statement_households", first_lease=lease_id, last_lease=lease_id)
    known = [row["source_system"] for row in households if source_system in (None, row["source_system"])]
    if not known:
        raise StatementRefused(f"Lease {lease_id} is not in the published build.")
    if len(known) > 1:
        raise StatementRefused(
            f"Lease {lease_id} is known from several source systems ({', '.join(known)}): say which one."
        )
    return next(read_statements(reader, month, [(known[0], lease_id)], ledger_party))


def read_statements(
    reader: Reader, month: str, leases: Sequence[tuple[str, str]], ledger_party: str = "resident"
) -> Iterator[Statement]:
    """Read the statements of (source_system, lease_id) pairs, in the order of lease and source system.

    A batch of accounts is read with one query each for openings, entries and so on: account by account would cost
    seven queries each. Raises StatementRefused where figures do not explain each other.
    """
    from_on, through_on, month_end_on, as_of_on = _window(reader, month)
    ordered = sorted(leases, key=lambda key: (key[1], key[0]))
    missing = reader.query("statement_incomplete", through_on=through_on)
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        scope = {"first_lease": batch[0][1], "last_lease": batch[-1][1]}
        account = {**scope, "ledger_party": ledger_party}
        window = {**account, "from_on": from_on, "through_on": through_on}
        households = _by_lease(reader.query("statement_households", **scope))
        openings = _by_lease(reader.query("statement_openings", **account, from_on=from_on))
        entries = _by_lease(reader.query("statement_entries", **window))
        totals = _by_lease(reader.query("statement_totals", **window))
        agings = _by_lease(reader.query("statement_agings", **account, as_of=through_on))
        open_charges = _by_lease(reader.query("statement_open_charges", **account, as_of=through_on))
        became_known = _by_lease(reader.query("statement_became_known", **account, from_on=from_on))
        for key in batch:
            (household,) = households[key]
            opening = openings[key][0]["opening"] if openings[key] else ZERO
            statement = Statement(
                lease=household,
                ledger_party=ledger_party,
                from_on=from_on,
                through_on=through_on,
                month_end_on=month_end_on,
                as_of_on=as_of_on,
                build_no=reader.build.number,
                opening=opening,
                entries=entries[key],
                charges=totals[key][0]["charges"] if totals[key] else ZERO,
                credits=totals[key][0]["credits"] if totals[key] else ZERO,
                closing=entries[key][-1]["running_balance"] if entries[key] else opening,
                open_charges=open_charges[key],
                aging=agings[key][0] if agings[key] else None,
                became_known=became_known[key],
                incomplete=_lacking(missing, household),
            )
            _must_explain_itself(statement)
            yield statement


def _lacking(missing: Sequence[Row], household: Row) -> list[str]:
    """What this household's figures may lack, in words that tell nothing of anybody else."""
    found = [
        words.missing(row)
        for row in missing
        if all(row[name] in (None, household[name]) for name in ("entity_id", "property_id", "lease_id"))
    ]
    return list(dict.fromkeys(found))


def _by_lease(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[(row["source_system"], row["lease_id"])].append(row)
    return grouped


def _window(reader: Reader, month: str) -> tuple[date, date, date, date]:
    """First day, last day shown, last day of the month, and the as-of day of the build."""
    from_on, month_end_on = month_days(month)
    build = reader.one("build")
    if build is None:
        raise StatementRefused("The published build does not say its as-of day.")
    as_of_on: date = build["as_of"]
    if from_on > as_of_on:
        raise StatementRefused(
            f"{month} has not begun: the published build stands at {as_of_on.isoformat()}. "
            f"Load later files and run the build again."
        )
    return from_on, min(month_end_on, as_of_on), month_end_on, as_of_on


def _must_explain_itself(statement: Statement) -> None:
    """Opening, entries and closing, and closing, open charges and waiting credit, are two views of one balance."""
    where = f"Lease {statement.lease['lease_id']}, {statement.from_on:%Y-%m}"
    walked = statement.opening + statement.charges - statement.credits
    if walked != statement.closing:
        raise StatementRefused(
            f"{where}: the entries lead from {statement.opening} to {walked}, the ledger closes at "
            f"{statement.closing}. The statement was not drawn; report this build."
        )
    still_open = sum((row["open_amount"] for row in statement.open_charges), ZERO)
    if still_open - statement.unapplied != statement.closing:
        raise StatementRefused(
            f"{where}: open charges {still_open} less waiting credit {statement.unapplied} is not the closing "
            f"balance {statement.closing}. The statement was not drawn; report this build."
        )
    if (statement.aging["open_total"] if statement.aging else ZERO) != still_open:
        raise StatementRefused(
            f"{where}: the ages and the open charges ({still_open}) do not add up to the same. "
            f"The statement was not drawn; report this build."
        )


# --- drawing -----------------------------------------------------------------------------------------------------

QUIET_HEX = "#5b6764"
INK, QUIET, LINE, SHADE, ACCENT = (HexColor(c) for c in ("#1d2624", QUIET_HEX, "#cfd7d5", "#f1f5f4", "#1f5f5b"))
WIDTH = LETTER[0] - 2 * MARGIN
COLUMNS = [70, WIDTH - 70 - 78 - 96 - 78, 78, 96, 78]

BODY = ParagraphStyle("body", fontName=FONT, fontSize=8.5, leading=11.5, textColor=INK)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=7.5, leading=10, textColor=QUIET)
QUIETLY = ParagraphStyle("quietly", parent=BODY, textColor=QUIET)
STRONG = ParagraphStyle("strong", parent=BODY, fontName=FONT_BOLD)
HEAD = ParagraphStyle("head", parent=BODY, fontName=FONT_BOLD, fontSize=10, leading=13, spaceBefore=14, spaceAfter=5)
TITLE = ParagraphStyle("title", parent=BODY, fontName=FONT_BOLD, fontSize=14, leading=18)
RIGHT = ParagraphStyle("right", parent=BODY, alignment=TA_RIGHT)
RIGHT_TITLE = ParagraphStyle("right_title", parent=RIGHT, fontName=FONT_BOLD, fontSize=11, leading=14, textColor=ACCENT)
DUE_LABEL = ParagraphStyle("due_label", parent=BODY, fontSize=9, leading=12)
DUE = ParagraphStyle("due", parent=RIGHT, fontName=FONT_BOLD, fontSize=15, leading=19)

GRID = [
    ("FONT", (0, 0), (-1, -1), FONT, 8.5, 11.5),
    ("TEXTCOLOR", (0, 0), (-1, -1), INK),
    ("FONT", (0, 0), (-1, 0), FONT_BOLD, 8, 11),
    ("TEXTCOLOR", (0, 0), (-1, 0), QUIET),
    ("LINEBELOW", (0, 0), (-1, 0), 0.8, INK),
    ("LINEBELOW", (0, 1), (-1, -2), 0.35, LINE),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("TOPPADDING", (0, 0), (-1, -1), 3.2),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 3.6),
    ("LEFTPADDING", (0, 0), (-1, -1), 6),
    ("RIGHTPADDING", (0, 0), (-1, -1), 6),
    ("LEFTPADDING", (0, 0), (0, -1), 0),
    ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
]


def draw(statement: Statement) -> bytes:
    """The statement as a PDF (US Letter). Pure: the same statement gives the same bytes."""
    buffer = io.BytesIO()
    lease = statement.lease
    document = letter_document(
        buffer,
        title=f"Statement of account, {statement.from_on:%B %Y}, lease {lease['lease_id']}",
        author=str(lease["operator_name"] or lease["entity_name"]),
        subject=f"{words.long_day(statement.from_on)} to {words.long_day(statement.through_on)}",
    )
    story = [
        _heading(statement),
        Spacer(1, 16),
        _address(statement),
        Spacer(1, 14),
        _result(statement),
        *_incomplete(statement),
        Paragraph("What happened this month", HEAD),
        _entries(statement),
        *_what_is_open(statement),
        *_notes(statement),
    ]
    footer = f"Lease {lease['lease_id']} · {statement.from_on:%B %Y} · from build {statement.build_no}"
    document.build(story, canvasmaker=numbered_canvas(footer))
    return buffer.getvalue()


def _plain(rows: list[list[object]], widths: Sequence[float], *more: tuple[object, ...], repeat: int = 0) -> Table:
    table = Table(rows, colWidths=list(widths), repeatRows=repeat)
    table.setStyle(
        TableStyle(
            [
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("RIGHTPADDING", (0, 0), (-1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 0),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 0),
                *more,
            ]
        )
    )
    return table


def _heading(statement: Statement) -> Flowable:
    lease = statement.lease
    operator = [Paragraph(text(lease["operator_name"] or lease["entity_name"]), TITLE)]
    if lease["entity_name"] and lease["entity_name"] != lease["operator_name"]:
        operator.append(Paragraph("for " + text(lease["entity_name"]), SMALL))
    what = [
        Paragraph("Statement of account", RIGHT_TITLE),
        Paragraph(f"{statement.from_on:%B %Y}", RIGHT),
    ]
    return _plain(
        [[operator, what]],
        [WIDTH * 0.6, WIDTH * 0.4],
        ("LINEBELOW", (0, 0), (-1, -1), 1.2, ACCENT),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
    )


def _address(statement: Statement) -> Flowable:
    lease = statement.lease
    household = [
        Paragraph(text(lease["resident_names"] or "Household"), STRONG),
        Paragraph(text(f"Unit {lease['unit_number']}" if lease["unit_number"] else ""), BODY),
        Paragraph(text(lease["property_name"]), BODY),
    ]
    facts: list[list[object]] = [
        [Paragraph("Lease", QUIETLY), Paragraph(text(lease["lease_id"]), BODY)],
        [Paragraph("Period", QUIETLY), Paragraph(words.span(statement.from_on, statement.through_on), BODY)],
        [Paragraph("Amounts in", QUIETLY), Paragraph(text(statement.currency), BODY)],
    ]
    if statement.ledger_party != "resident":
        facts.insert(1, [Paragraph("Share of", QUIETLY), Paragraph(words.PARTIES[statement.ledger_party], BODY)])
    side = _plain(
        facts,
        [62, WIDTH * 0.42 - 62],
        ("FONT", (0, 0), (0, -1), FONT, 8),
        ("TEXTCOLOR", (0, 0), (0, -1), QUIET),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
    )
    return _plain([[household, side]], [WIDTH * 0.58, WIDTH * 0.42])


def result_words(settlement: Decimal) -> str:
    """How what is left to settle is named: ``Amount due``, ``Credit owed to you`` or ``Nothing due``."""
    return "Amount due" if settlement > 0 else "Credit owed to you" if settlement < 0 else "Nothing due"


def _result(statement: Statement) -> Flowable:
    result = f"<font name='{FONT_BOLD}'>{result_words(statement.settlement)}</font>"
    label = f"{result} on {words.long_day(statement.through_on)}"
    later = statement.aging["not_yet_due"] if statement.aging else ZERO
    if later:
        shown = text(words.money(later, statement.currency))
        label += f"<br/><font size='7.5'>{shown} of the open charges falls due after that day.</font>"
    if not statement.is_whole_month:
        label += "<br/><font size='7.5'>The month is not over: later entries are not on this statement.</font>"
    figure = words.money(abs(statement.settlement), statement.currency)
    return _plain(
        [[Paragraph(label, DUE_LABEL), Paragraph(text(figure), DUE)]],
        [WIDTH * 0.62, WIDTH * 0.38],
        ("BACKGROUND", (0, 0), (-1, -1), SHADE),
        ("LINEBEFORE", (0, 0), (0, -1), 3, ACCENT),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("LEFTPADDING", (0, 0), (-1, -1), 12),
        ("RIGHTPADDING", (0, 0), (-1, -1), 12),
        ("TOPPADDING", (0, 0), (-1, -1), 8),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 9),
    )


def _incomplete(statement: Statement) -> list[Flowable]:
    """A box that says what the figures may lack, right below the amount due; nothing where they are whole."""
    if not statement.incomplete:
        return []
    lines = [Paragraph("These figures are incomplete.", STRONG)]
    lines += [Paragraph(text(line), BODY) for line in statement.incomplete]
    lines.append(Paragraph("The amount may change when it arrives. Do not take it for a final claim.", BODY))
    box = _plain(
        [[lines]],
        [WIDTH],
        ("BOX", (0, 0), (-1, -1), 0.8, INK),
        ("LEFTPADDING", (0, 0), (-1, -1), 12),
        ("RIGHTPADDING", (0, 0), (-1, -1), 12),
        ("TOPPADDING", (0, 0), (-1, -1), 7),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
    )
    return [Spacer(1, 8), box]


def _entries(statement: Statement) -> Flowable:
    rows: list[list[object]] = [["Date", "What", "Charge", "Payment or credit", "Balance"]]
    rows.append(
        [
            words.short_day(statement.from_on),
            Paragraph("Opening balance", STRONG),
            "",
            "",
            words.amount(statement.opening),
        ]
    )
    for entry in statement.entries:
        rows.append(
            [
                words.short_day(entry["entry_on"]),
                Paragraph(_entry_text(entry), BODY),
                words.amount(entry["charge"]),
                words.amount(entry["credit"]),
                words.amount(entry["running_balance"]),
            ]
        )
    if not statement.entries:
        rows.append(["", Paragraph("No entries", QUIETLY), "", "", ""])
    else:
        totals = [words.amount(statement.charges), words.amount(statement.credits)]
        rows.append(["", Paragraph("Total of these entries", QUIETLY), *totals, ""])
    rows.append(
        [
            words.short_day(statement.through_on),
            Paragraph("Closing balance", STRONG),
            "",
            "",
            words.amount(statement.closing),
        ]
    )
    table = Table(rows, colWidths=COLUMNS, repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                *GRID,
                ("ALIGN", (2, 0), (-1, -1), "RIGHT"),
                ("FONT", (4, 1), (4, 1), FONT_BOLD, 8.5, 11.5),
                ("TEXTCOLOR", (2, -2), (3, -2), QUIET),
                ("FONT", (4, -1), (4, -1), FONT_BOLD, 8.5, 11.5),
                ("LINEABOVE", (0, -1), (-1, -1), 0.8, INK),
                ("NOSPLIT", (0, -3), (-1, -1)),
            ]
        )
    )
    return table


def _entry_text(entry: Row) -> str:
    title = text(words.entry_title(entry))
    if not (entry["service_from"] and entry["service_to"]):
        return title
    return f"{title} <font color='{QUIET_HEX}'>{words.span(entry['service_from'], entry['service_to'])}</font>"


def _what_is_open(statement: Statement) -> list[Flowable]:
    heading = Paragraph(f"What is open on {words.long_day(statement.through_on)}", HEAD)
    if not statement.open_charges:
        return [KeepTogether([heading, Paragraph("Every charge is paid. Nothing is open.", BODY)])]
    rows: list[list[object]] = [["Due", "Charge", "Amount", "Paid or credited", "Open"]]
    for row in statement.open_charges:
        rows.append(
            [
                words.short_day(row["due_on"]),
                Paragraph(text(row["description"] or row["charge_code"] or row["charge_id"]), BODY),
                words.amount(row["amount"]),
                words.amount(row["applied_amount"]),
                words.amount(row["open_amount"]),
            ]
        )
    aging = statement.aging
    assert aging is not None, "open charges without their ages were refused when the statement was read"
    rows.append(["", Paragraph("Open charges", STRONG), "", "", words.amount(aging["open_total"])])
    totals = 1
    if statement.unapplied:
        rows.append(["", Paragraph("Less credit not yet used", BODY), "", "", words.amount(-statement.unapplied)])
        named = result_words(statement.closing) if statement.settlement == statement.closing else "Balance"
        rows.append(["", Paragraph(named, STRONG), "", "", words.amount(statement.closing)])
        totals = 3
    table = Table(rows, colWidths=COLUMNS, repeatRows=1)
    table.setStyle(
        TableStyle(
            [
                *GRID,
                ("ALIGN", (2, 0), (-1, -1), "RIGHT"),
                ("FONT", (4, -1), (4, -1), FONT_BOLD, 8.5, 11.5),
                ("FONT", (4, -totals), (4, -totals), FONT_BOLD, 8.5, 11.5),
                ("LINEABOVE", (0, -totals), (-1, -totals), 0.8, INK),
                ("NOSPLIT", (0, -totals - 1), (-1, -1)),
            ]
        )
    )
    return [heading, table, _ages(aging)]


def _ages(aging: Row) -> Flowable:
    names = list(words.BUCKETS)
    table = Table(
        [[words.BUCKETS[name] for name in names], [words.amount(aging[name]) for name in names]],
        colWidths=[WIDTH / len(names)] * len(names),
    )
    table.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, 0), FONT, 7.5),
                ("TEXTCOLOR", (0, 0), (-1, 0), QUIET),
                ("FONT", (0, 1), (-1, 1), FONT, 8.5),
                ("TEXTCOLOR", (0, 1), (-1, 1), INK),
                ("ALIGN", (0, 0), (-1, -1), "RIGHT"),
                ("BACKGROUND", (0, 0), (-1, -1), SHADE),
                ("TOPPADDING", (0, 0), (-1, 0), 5),
                ("BOTTOMPADDING", (0, 0), (-1, 0), 0),
                ("BOTTOMPADDING", (0, 1), (-1, 1), 6),
                ("RIGHTPADDING", (0, 0), (-1, -1), 8),
            ]
        )
    )
    return KeepTogether([Paragraph("How long it has been due", HEAD), table])


def _notes(statement: Statement) -> list[Flowable]:
    notes: list[Flowable] = []
    yours = statement.unapplied - statement.written_off_beyond
    if yours:
        notes.append(
            Paragraph(
                f"{words.money(yours, statement.currency)} that we received or credited is not used yet. "
                f"It is yours: it waits for a charge that it may pay.",
                BODY,
            )
        )
    if statement.written_off_beyond:
        notes.append(
            Paragraph(
                f"{words.money(statement.written_off_beyond, statement.currency)} was written off beyond what was "
                f"owed. It is no money of yours and pays nothing; an entry of our books will put it right.",
                BODY,
            )
        )
    if statement.became_known:
        notes.append(
            Paragraph(
                f"These entries are dated before {words.long_day(statement.from_on)} and became known to us only on or "
                f"after that day. The opening balance above holds them; an earlier statement may not.",
                BODY,
            )
        )
        rows: list[list[object]] = [["Date", "What", "Known on", "Amount"]]
        for entry in statement.became_known:
            rows.append(
                [
                    words.short_day(entry["entry_on"]),
                    Paragraph(text(words.entry_title(entry)), BODY),
                    words.short_day(entry["known_on"]),
                    words.amount(entry["amount"]),
                ]
            )
        table = Table(rows, colWidths=[70, WIDTH - 70 - 96 - 78, 96, 78], repeatRows=1)
        table.setStyle(TableStyle([*GRID, ("ALIGN", (2, 0), (-1, -1), "RIGHT")]))
        notes.append(Spacer(1, 4))
        notes.append(table)
    return [Paragraph("Notes", HEAD), *notes] if notes else []
