"""A profile proposed for a file that was never seen: what the file proves is filled in, what it does not is asked.

Headers are matched by a table of synonyms (seeds/profiles/headers.csv). An open question stands in the proposal as
`?`, with a comment that says between what; a profile with a `?` in it is refused, so that nobody loads a guess.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from orchestration.errors import NothingLoadable, UsageError
from orchestration.landing.raw_table import FileRefused
from orchestration.profiles.declare import key_of
from orchestration.profiles.evidence import (
    EIGHT_BIT,
    SEPARATORS,
    Amounts,
    Finding,
    amounts_of,
    dates_of,
    encoding_of,
    separator_of,
)
from orchestration.profiles.formats import AmountFormat
from orchestration.profiles.grid import Row, content, decoded, kind_of, text_rows, workbook_rows
from orchestration.profiles.keys import OPEN_QUESTION
from orchestration.profiles.shelf import shipped_folder

_LOOKED_AT = 60
_WORDS_SHOWN = 20
_TOTAL = re.compile(r"^(sub|grand |page |net )?\s*totals?\b|^(sub)?summe\b|^gesamt", re.IGNORECASE)
_FORWARD = re.compile(
    r"^(opening|closing|beginning|ending|starting|previous) balance|^balance (brought |carried )?forward"
    r"|^anfangssaldo|^endsaldo",
    re.IGNORECASE,
)
_TOTAL_RULE = "(?i)^(sub|grand |page |net )?totals?\\b|^(sub)?summe\\b|^gesamt"
_FORWARD_RULE = (
    "(?i)^(opening|closing|beginning|ending|starting|previous) balance|^balance (brought |carried )?forward"
    "|^anfangssaldo|^endsaldo"
)
_TITLE_LEASE = re.compile(
    r"\b(lease id|lease code|lease|tenant code|tenant id|resident code|resident id|account no|code)\b[:#. ]+"
    r"([A-Za-z]*[0-9][A-Za-z0-9._/-]*)",
    re.IGNORECASE,
)


@dataclass
class Proposal:
    """A proposed profile: its YAML, the questions that are open in it, headers that match nothing, what was found."""

    yaml: str
    questions: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)

    def summary(self) -> list[str]:
        """What was found, what matches nothing, what must be answered, as lines for a person."""
        lines = [f"  found      {line}" for line in self.found]
        lines += [f"  unmatched  {name}" for name in self.unmatched]
        lines += [f"  QUESTION   {question}" for question in self.questions]
        closing = "Answer each `?` in it" if self.questions else "Look it over"
        then = "try it with `tieout profile FILE --with PROFILE`, then put it in a folder `profiles`"
        return [*lines, f"{closing}, {then} beside the landed files or in the home."]


def save(proposal: Proposal, out: Path) -> None:
    """Write the proposal to a new file. Raises UsageError: a profile that somebody edited is never overwritten."""
    try:
        with open(out, "x", encoding="utf-8") as stream:
            stream.write(proposal.yaml)
    except FileExistsError:
        raise UsageError(f"{out} is there already.", "Give another file with --out.") from None
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}.", "Give another file with --out.") from None


@cache
def synonyms() -> dict[str, str]:
    """Header in comparable form -> what it means."""
    with open(shipped_folder() / "headers.csv", encoding="utf-8", newline="") as stream:
        return {key_of(row["header"]): row["means"] for row in csv.DictReader(stream)}


@dataclass
class _Sheet:
    """The file as read for the proposal: rows, and where the header is."""

    name: str
    reads: dict[str, str | Finding]
    rows: list[Row]
    header: int
    names: list[str]
    meanings: dict[str, str]  # meaning -> the header with it
    doubles: list[str]

    @property
    def below(self) -> list[Row]:
        return [row for row in self.rows[self.header + 1 :] if not row.is_blank]

    @property
    def titles(self) -> list[Row]:
        return [row for row in self.rows[: self.header] if not row.is_blank]

    def cell(self, row: Row, meaning: str) -> str:
        """The cell of a meaning, empty where there is none."""
        name = self.meanings.get(meaning)
        place = self.names.index(name) if name is not None else -1
        value = row.cells[place] if 0 <= place < len(row.cells) else None
        return (value or "").strip()


def propose(path: Path) -> Proposal:
    """The proposal for a file. Raises UsageError, and NothingLoadable where it cannot be read at all."""
    try:
        with open(path, "rb") as stream:
            sheet = _sheet(path.name, content(path.name, stream))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", "Give a file.") from None
    except FileRefused as refusal:
        raise NothingLoadable(refusal.message, refusal.what_to_do) from None
    return _Writer(sheet).proposal()


def _sheet(name: str, data: bytes) -> _Sheet:
    kind = kind_of(name)
    if kind is None:
        raise UsageError(
            f"{name} is of a kind that profiles do not read.", "Export it as text with separators (.csv) or as .xlsx."
        )
    reads: dict[str, str | Finding] = {}
    if kind == "xlsx":
        rows, _ = workbook_rows(name, data, "")
    else:
        encoding, used = encoding_of(data)
        text, _ = decoded(name, data, [used])
        separator = separator_of(text)
        reads = {"encodings": encoding, "separator": separator}
        rows = text_rows(name, text, SEPARATORS[separator])
    if not any(not row.is_blank for row in rows):
        raise UsageError(f"{name} is empty.", "Give a file with a header and rows.")
    known = synonyms()

    def score(row: Row) -> int:
        return len({known[key_of(cell)] for cell in row.cells if cell and key_of(cell) in known})

    best = max(range(min(len(rows), _LOOKED_AT)), key=lambda index: (score(rows[index]), -index))
    if score(rows[best]) < 2:
        shown = "\n".join(f"  row {row.number}: {row.text()[:100]}" for row in rows[:8])
        raise UsageError(
            f"No row of {name} is a header that is known: none has two columns with known names. It begins\n{shown}",
            "Write the profile by hand (docs/profiles.md), or add the headers' words to seeds/profiles/headers.csv.",
        )
    names = [" ".join((cell or "").split()) for cell in rows[best].cells]
    meanings: dict[str, str] = {}
    doubles = []
    for header in names:
        meaning = known.get(key_of(header)) if header else None
        if meaning is not None and meaning not in meanings:
            meanings[meaning] = header
        elif meaning is not None:
            doubles.append(header)
    return _Sheet(name, reads, rows, best, names, meanings, doubles)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _listed(words: Iterable[str]) -> str:
    found = list(dict.fromkeys(words))
    more = f" and {len(found) - _WORDS_SHOWN} more" if len(found) > _WORDS_SHOWN else ""
    return ", ".join(found[:_WORDS_SHOWN]) + more


class _Writer:
    """Composes the YAML line by line; every `?` that it writes is noted as a question."""

    def __init__(self, sheet: _Sheet) -> None:
        self.sheet = sheet
        self.lines: list[str] = []
        self.questions: list[str] = []
        self.found: list[str] = []
        self.money = [m for m in ("debit", "credit", "amount") if m in sheet.meanings]
        self.aside = self._set_aside()
        self.data = [row for row in sheet.below if row.number not in self.aside]
        self.amounts = self._amounts()

    def proposal(self) -> Proposal:
        sheet = self.sheet
        unmatched = [name for name in sheet.names if name and key_of(name) not in synonyms()] + sheet.doubles
        self._head()
        self._reads()
        self._formats()
        lease = self._lease()
        self._skip()
        self._tables(lease)
        self._checks()
        at = sheet.rows[sheet.header].number
        head = [
            f"# Proposed for {sheet.name} from its {len(sheet.below)} rows below the header in row {at}.",
            "# Nothing is loaded through it until it lies in a folder `profiles`.",
        ]
        for question in self.questions:
            head.append(f"# QUESTION {question}")
        for name in unmatched:
            head.append(f"# UNMATCHED {name}: kept aside with every row, used for nothing.")
        return Proposal("\n".join([*head, *self.lines]) + "\n", self.questions, unmatched, self.found)

    # ------------------------------------------------------------------------------------------------- helpers

    def _ask(self, key: str, between: str) -> str:
        self.questions.append(f"{key}: {between}")
        return f'"{OPEN_QUESTION}"'

    def _value(self, key: str, finding: Finding) -> str:
        """The finding as YAML with its proof beside it."""
        if finding.is_open:
            return f"{self._ask(key, finding.why)}  # {finding.why}"
        return f"{finding.answer}  # {finding.why}"

    def _name(self, meaning: str) -> str:
        return _quoted(self.sheet.meanings[meaning])

    def _has(self, meaning: str) -> bool:
        return meaning in self.sheet.meanings

    def _values(self, meaning: str, rows: Sequence[Row] | None = None) -> list[str]:
        found = [self.sheet.cell(row, meaning) for row in (self.data if rows is None else rows)]
        return [value for value in found if value]

    def _set_aside(self) -> dict[int, str]:
        """Row number -> rule, for rows that are no data by their words or because they repeat the header."""
        aside = {}
        header = [key_of(name) for name in self.sheet.names]
        for row in self.sheet.below:
            cells = [" ".join((cell or "").split()) for cell in row.cells]
            if [key_of(cell) for cell in cells[: len(header)]] == header:
                aside[row.number] = "headers repeated"
            elif re.search("[0-9]", self.sheet.cell(row, "date")):
                continue
            elif any(_TOTAL.search(cell) for cell in cells):
                aside[row.number] = "total rows"
            elif any(_FORWARD.search(cell) for cell in cells):
                aside[row.number] = "balances brought or carried forward"
        return aside

    def _amounts(self) -> Amounts:
        cells = []
        for row in self.data:
            for meaning in (*self.money, "balance"):
                name = self.sheet.meanings.get(meaning)
                place = self.sheet.names.index(name) if name else -1
                is_text = row.kinds is None or (0 <= place < len(row.kinds) and row.kinds[place] == 0)
                if is_text:
                    cells.append(self.sheet.cell(row, meaning))
        return amounts_of(cells)

    # ------------------------------------------------------------------------------------------------- sections

    def _head(self) -> None:
        stem = self.sheet.name.lower().removesuffix(".gz").rsplit(".", 1)
        name = re.sub(r"[^a-z0-9]+", "-", stem[0]).strip("-")[:60] or "profile"
        pattern = re.sub(r"[0-9]+", "*", stem[0]) + "." + stem[1]
        self.lines += [
            f"profile: {name}",
            f"describes: {_quoted('Proposed for ' + self.sheet.name + '.')}",
            f"files: [{_quoted(re.sub(r'[*]+[-_. ]*[*]+', '*', pattern))}]",
        ]
        self.found.append(f"header: row {self.sheet.rows[self.sheet.header].number}")

    def _reads(self) -> None:
        if self.sheet.reads:
            encoding = self.sheet.reads["encodings"]
            assert isinstance(encoding, Finding)
            separator = self.sheet.reads["separator"]
            answer = self._ask("reads.encodings", encoding.why) if encoding.is_open else encoding.answer
            self.lines += ["reads:", f"  encodings: [{answer}]  # {encoding.why}", f"  separator: {separator}"]
            if encoding.is_open:
                self.lines[-2] += f" (this proposal went on with {EIGHT_BIT[0]})"
            width = len(self.sheet.names)
            short = [row.number for row in self.data if len(row.cells) < width]
            if short:
                self.lines.append(f"  short_rows: fill  # row {short[0]} has fewer fields than the header")
        used = [name for name in self.sheet.meanings.values()]
        self.lines += ["header:", f"  has: [{', '.join(_quoted(name) for name in used)}]"]

    def _formats(self) -> None:
        amounts = self.amounts
        days = self._values("date")
        self.lines.append("formats:")
        if self._has("date"):
            self.lines.append(f"  date: {self._value('formats.date', self._dates(days))}")
        self.lines.append(f"  decimal: {self._value('formats.decimal', amounts.decimal)}")
        if not amounts.decimal.is_open:
            self.lines.append(f"  thousands: {amounts.thousands}")
        self.lines.append(f"  negative: [{', '.join(amounts.negatives)}]")
        if amounts.currency:
            self.lines.append(f"  currency: [{', '.join(_quoted(sign) for sign in amounts.currency)}]")
        if amounts.empty:
            self.lines.append(f"  empty: [{', '.join(_quoted(word) for word in amounts.empty)}]")
        if amounts.decimals > 2:
            self.lines.append(f"  decimals: {amounts.decimals}")

    def _dates(self, days: list[str]) -> Finding:
        if self.sheet.rows and any(row.kinds is not None for row in self.data):
            place = self.sheet.names.index(self.sheet.meanings["date"])
            texts = [
                (row.cells[place] or "").strip()
                for row in self.data
                if place < len(row.cells) and row.kinds is not None and row.kinds[place] == 0
            ]
            texts = [text for text in texts if text]
            if not texts:
                return Finding("YYYY-MM-DD", "the workbook holds days as days")
            days = texts
        return dates_of(days)

    def _lease(self) -> str:
        """Where the lease comes from, as YAML; captures are written here."""
        if self._has("lease"):
            return self._name("lease")
        for row in self.sheet.titles:
            found = _TITLE_LEASE.search(row.text())
            if found:
                label = re.escape(found[1]).replace("\\ ", " ")
                pattern = rf"(?i)\b{label}\b[:#. ]+([A-Za-z]*[0-9][A-Za-z0-9._/-]*)"
                self.lines += [
                    "captures:",
                    f"  # Row {row.number} says {_quoted(found[0])}: the lease of every row of the file.",
                    f"  - {{name: Lease, from: title lines, matches: {_yaml_single(pattern)}}}",
                ]
                self.found.append(f"lease: {found[2]}, from the title line in row {row.number}")
                return "Lease"
        return self._ask(
            "lease_id",
            f"which column names the lease? The headers are {_listed(self.sheet.names)} (a payment without a lease"
            " lands in suspense: take the line out)",
        )

    def _skip(self) -> None:
        rules = list(dict.fromkeys(self.aside.values()))
        if not rules:
            return
        self.lines += ["skip:"]
        dateless = f"{{not: {{column: {self._name('date')}, matches: '[0-9]'}}}}" if self._has("date") else ""
        patterns = {"total rows": _TOTAL_RULE, "balances brought or carried forward": _FORWARD_RULE}
        for rule in rules:
            numbers = [str(n) for n, r in self.aside.items() if r == rule]
            self.lines.append(f"  - rule: {rule}  # row {', '.join(numbers[:8])}")
            if rule == "headers repeated":
                first = next(name for name in self.sheet.names if name)
                self.lines.append(f"    when: {{column: {_quoted(first)}, is: {_quoted(first)}}}")
                continue
            words = f"{{any_column: {_yaml_single(patterns[rule])}}}"
            self.lines.append(f"    when: {{all: [{dateless}, {words}]}}" if dateless else f"    when: {words}")
            self.found.append(f"{rule}: {', '.join(numbers)}")
        if "balances brought or carried forward" in rules:
            self.lines.append(
                "  # A balance brought forward is owed all the same: land it once, as opening_balances.csv."
            )

    def _tables(self, lease: str) -> None:
        self.lines.append("tables:")
        if self._has("debit") and self._has("credit"):
            self._table("charges", f'{{column: {self._name("debit")}, filled: "yes"}}', "debit", lease)
            self._table("payments", f'{{column: {self._name("credit")}, filled: "yes"}}', "credit", lease)
            for meaning in ("debit", "credit"):
                self._note_negatives(meaning)
        elif self.money:
            meaning = self.money[-1] if "amount" in self.money else self.money[0]
            both = self._signs(meaning)
            if self._has("type"):
                words = _listed(self._values("type"))
                for table in ("charges", "payments"):
                    answer = self._ask(f"tables, {table}, when", f"which of the words {words} mean {table}?")
                    self._table(table, f"{{column: {self._name('type')}, is: [{answer}]}}", meaning, lease)
            elif meaning != "amount":
                self._table("charges" if meaning == "debit" else "payments", "", meaning, lease)
            else:
                seen = "both signs occur" if both else "only one sign occurs"
                for table in ("charges", "payments"):
                    answer = self._ask(
                        f"tables, {table}, when", f"is a positive or a negative {self._name(meaning)} one of {table}?"
                        f" ({seen}; take the table out if the file has none)",
                    )  # fmt: skip
                    self._table(table, f"{{column: {self._name(meaning)}, amount: {answer}}}", meaning, lease)
        else:
            self.lines.append(f"  - table: {self._ask('tables', 'no column holds amounts; which table is it?')}")
            self.lines.append("    columns: {}")

    def _table(self, table: str, when: str, meaning: str, lease: str) -> None:
        self.lines.append(f"  - table: {table}")
        if when:
            self.lines.append(f"    when: {when}")
        self.lines.append("    columns:")
        put = self._column
        put("charge_id" if table == "charges" else "payment_id", self._id(table))
        put("lease_id", lease)
        sign = self._sign(table, meaning)
        if table == "charges":
            self._code(meaning)
            put("amount", sign)
            put(
                "posted_on", self._name("date") if self._has("date") else self._ask("posted_on", "no column holds days")
            )
            for name, other in (("due_on", "due date"), ("service_from", "service from"), ("service_to", "service to")):
                if self._has(other):
                    put(name, self._day(other))
            if self._has("description"):
                put("reason", self._name("description"))
            return
        put("amount", sign)
        put(
            "received_on", self._name("date") if self._has("date") else self._ask("received_on", "no column holds days")
        )
        if self._has("settled"):
            put("settled_on", self._day("settled"))
        if self._has("method"):
            put("method", self._name("method"))
        source = next((m for m in ("reference", "description", "code") if self._has(m)), None)
        if source:
            put("source_reference", self._name(source))

    def _column(self, name: str, value: str) -> None:
        self.lines.append(f"      {name}: {value}")

    def _day(self, meaning: str) -> str:
        """A further column of days: its own format where it is not the file's."""
        own, of_file = dates_of(self._values(meaning)), self._dates(self._values("date"))
        if own.answer == of_file.answer or own.is_open:
            return self._name(meaning)
        return f"{{column: {self._name(meaning)}, date: {_quoted(own.answer)}}}"

    def _id(self, table: str) -> str:
        """The id's column, where every row has another one; else an id made of the row."""
        if self._has("id"):
            values = self._values("id")
            if len(set(values)) == len(values) == len(self.data):
                return self._name("id")
        parts = [m for m in ("lease", "date", "code", "type", "description", "reference", "payer", *self.money)
                 if self._has(m)]  # fmt: skip
        made = ", ".join(self._name(m) for m in parts) or _listed(_quoted(name) for name in self.sheet.names)
        if not self._has("lease") and any("captures:" in line for line in self.lines):
            made = f"Lease, {made}"
        why = "no column holds one" if not self._has("id") else f"{self._name('id')} is empty or repeated"
        note = f"id: made of the row, {why}"
        if note not in self.found:
            self.found.append(note)
        return f"{{id_of: [{made}], prefix: {table[0]}-}}  # {why}"

    def _code(self, meaning: str) -> None:
        charged = [row for row in self.data if self.sheet.cell(row, meaning)]
        if self._has("code"):
            words = _listed(self._values("code", charged))
            self._column("charge_code", f"{self._name('code')}  # must be charge codes: {words}")
            return
        shown = ""
        if self._has("description"):
            shown = f"; the descriptions are {_listed(self._values('description', charged))}"
        self._column("charge_code", self._ask("charge_code", f"no column holds a charge code{shown}"))

    def _sign(self, table: str, meaning: str) -> str:
        name = self._name(meaning)
        if meaning != "amount" or not self._signs("amount"):
            return name
        return f"{{column: {name}, sign: absolute}}  # the sign says which table it is"

    def _signs(self, meaning: str) -> bool:
        """Whether both positive and negative amounts occur."""
        values = self._values(meaning)
        negative = [v for v in values if re.match(r"^[^0-9]*[-\u2212(]|.*[-\u2212]$|.*CR$", v)]
        return bool(negative) and len(negative) < len(values)

    def _note_negatives(self, meaning: str) -> None:
        odd = [row for row in self.data if re.match(r"^[^0-9]*[-\u2212(].*[0-9]", self.sheet.cell(row, meaning))]
        if odd:
            shown = ", ".join(f"row {row.number} {self.sheet.cell(row, meaning)}" for row in odd[:5])
            what = "returned payments" if meaning == "credit" else "credits or corrections"
            self.lines.append(
                f"  # Negative in {self.sheet.meanings[meaning]}: {shown}. If these are {what}, give them a table"
            )
            self.lines.append(
                "  # of their own; as they stand, a negative payment waits in quarantine."
                if meaning == "credit"
                else "  # of their own; as they stand, a negative charge is a credit."
            )
            self.found.append(f"negative in {self.sheet.meanings[meaning]}: {shown}")

    def _checks(self) -> None:
        """Declare what the file was seen to hold: a running balance, a total. What does not hold is not declared."""
        if self.amounts.decimal.is_open:
            return
        checks = self._totals()
        movement = self._running()
        if movement:
            checks += [
                "  - check: the balance runs from row to row",
                f"    running: {self._name('balance')}",
                f"    add: [{self._name(movement[0])}]",
                f"    less: [{self._name(movement[1])}]",
            ]
            if self._has("lease"):
                checks.append(f"    group: [{self._name('lease')}]")
            self.found.append("the balance runs from row to row, which proves the signs")
        if checks:
            self.lines += ["checks:", *checks]

    def _cents(self, row: Row, meaning: str) -> int | None:
        """The amount of a cell in minor units, None where it is empty or cannot be read."""
        amounts = self.amounts
        text = self.sheet.cell(row, meaning)
        if not text or text in amounts.empty:
            return None
        place = self.sheet.names.index(self.sheet.meanings[meaning])
        if row.kinds is not None and row.kinds[place] != 0:
            value = AmountFormat(scale=8).read(text).value
        else:
            written = AmountFormat(
                amounts.decimal.answer, amounts.thousands, amounts.negatives, amounts.currency, amounts.decimals
            )
            value = written.read(text).value
        return int(value.replace(".", "")) if value is not None else None

    def _totals(self) -> list[str]:
        """A check for every column of money whose sum stands on the one total row."""
        totals = [row for row in self.sheet.below if self.aside.get(row.number) == "total rows"]
        checks = []
        for meaning in self.money if len(totals) == 1 else ():
            stated = self._cents(totals[0], meaning)
            if stated is not None and stated == sum(self._cents(row, meaning) or 0 for row in self.data):
                name = self.sheet.meanings[meaning]
                checks += [
                    f"  - check: {_quoted(f'the total of {name} is that of its rows')}",
                    f"    total: {self._name(meaning)}",
                    "    on_rows: total rows",
                ]
        if checks:
            self.found.append("the total row adds up")
        return checks

    def _running(self) -> tuple[str, str] | None:
        """(what raises, what lowers the balance) where every row's balance follows from the one before of its lease."""
        if len(self.data) < 3 or any(not self._has(meaning) for meaning in ("balance", "debit", "credit")):
            return None
        for plus, minus in (("debit", "credit"), ("credit", "debit")):
            before: dict[str, int] = {}
            compared = 0
            for row in self.data:
                balance = self._cents(row, "balance")
                lease = self.sheet.cell(row, "lease")
                moved = (self._cents(row, plus) or 0) - (self._cents(row, minus) or 0)
                if balance is None or (lease in before and balance != before[lease] + moved):
                    break
                compared += lease in before
                before[lease] = balance
            else:
                if compared:
                    return plus, minus
        return None


def _yaml_single(text: str) -> str:
    """A text in single quotation marks, in which YAML leaves backslashes alone."""
    return "'" + text.replace("'", "''") + "'"
