"""What things are called over there: accounts, properties, entities, customers and settings of another ledger.

A mapping is a CSV file with the columns `what`, `ours`, `theirs` and, where they help, `entity_id`, `kind` and `name`:

    what,ours,theirs,kind,name
    account,1200,1250,ordinary,
    account,1010,1090,ordinary,
    property,maple1,Maple Court,,
    lease,t0001001,Ada Example,,
    setting,tax_rate,Tax Exempt (0%),,

`kind` of an account says what it is over there (ordinary, receivable, payable, bank), `name` which customer or vendor
its lines are posted to. Where a file names accounts, it must name all that are exported: a missing one is refused, not
guessed. The same for properties and entities. Without a file everything is called what it is called here.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from apps.documents.books.selection import ExportRefused
from apps.documents.formulas import defused

COLUMNS = ("what", "ours", "theirs", "entity_id", "kind", "name")
WHATS = ("account", "property", "entity", "lease", "setting")
KINDS = ("ordinary", "receivable", "payable", "bank")

# What an account with a role is over there, as long as nobody says otherwise.
KINDS_OF_ROLES = {
    "receivable_resident": "receivable",
    "receivable_subsidy": "receivable",
    "receivable_third_party": "receivable",
    "cash": "bank",
    "trust_cash": "bank",
}


@dataclass(frozen=True)
class Theirs:
    """How one thing is called over there; `kind` and `name` are of accounts and empty where the file leaves them so."""

    theirs: str
    kind: str = ""
    name: str = ""


@dataclass(frozen=True)
class Names:
    """A mapping file, read. Keys are (what, entity_id or empty, ours)."""

    entries: Mapping[tuple[str, str, str], Theirs] = field(default_factory=dict)

    def names(self, what: str) -> bool:
        """Whether the file names anything of this sort, and so must name all of it."""
        return any(known == what for known, _, _ in self.entries)

    def find(self, what: str, ours: str, entity_id: str = "") -> Theirs | None:
        """How something is called over there: the row of its entity first, else the one for all."""
        return self.entries.get((what, entity_id, ours)) or self.entries.get((what, "", ours))

    @property
    def settings(self) -> dict[str, str]:
        """The settings that the file gives."""
        return {ours: entry.theirs for (what, _, ours), entry in self.entries.items() if what == "setting"}


NOTHING_MAPPED = Names()


def read_mapping(path: Path) -> Names:
    """Read a mapping file (CSV in UTF-8). Raises ExportRefused naming file, row, column, found and expected."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ExportRefused(f"{path} cannot be read: {error}. Expected a CSV file in UTF-8.") from None
    if not rows:
        raise ExportRefused(f"{path} holds no rows. Expected the columns {', '.join(COLUMNS)} and a row per name.")
    unknown = [str(name) for name in rows[0] if name not in COLUMNS]
    missing = [name for name in COLUMNS[:3] if name not in rows[0]]
    if unknown or missing:
        raise ExportRefused(
            f"{path}, header: found {', '.join(map(str, rows[0]))}; expected {', '.join(COLUMNS)}, of which the first "
            f"three are required."
        )
    entries: dict[tuple[str, str, str], Theirs] = {}
    for number, row in enumerate(rows, start=2):
        cells = {name: _plain((row.get(name) or "").strip()) for name in COLUMNS}
        where = f"{path}, row {number}"
        if cells["what"] not in WHATS:
            raise ExportRefused(f"{where}, column what: found {cells['what']!r}; expected one of {', '.join(WHATS)}.")
        if cells["kind"] and (cells["kind"] not in KINDS or cells["what"] != "account"):
            raise ExportRefused(
                f"{where}, column kind: found {cells['kind']!r}; expected of an account one of {', '.join(KINDS)}."
            )
        if not cells["ours"] or not cells["theirs"]:
            raise ExportRefused(f"{where}: columns ours and theirs must not be empty.")
        key = (cells["what"], cells["entity_id"], cells["ours"])
        if key in entries:
            raise ExportRefused(f"{where}: {cells['what']} {cells['ours']} stands in the file twice.")
        entries[key] = Theirs(cells["theirs"], cells["kind"], cells["name"])
    return Names(entries)


def _plain(cell: str) -> str:
    """A cell without the apostrophe that was put in front of it, so that no spreadsheet runs it."""
    return cell[1:] if cell.startswith("'") and defused(cell[1:]) == cell else cell
