"""The overcharges of the sample: what its managers charged in six places beyond what law, lease or days allow.

Everything else in the sample is charged as agreed and as the law lets it be: the audits must find these, to the cent,
and nothing besides. Each is one charge of one household, in the way in which such charges happen: a fee under another
name, a fee on rent that was paid, a bill of the next rent, a second bill, a bill after the keys were given back. They
are rows of `seeds/sample/overcharges.csv`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "seeds" / "sample"


@dataclass(frozen=True)
class Overcharge:
    """One planted charge. `posted` is what it came to and `over` how much of it is too much, in cents.

    `audit` is the published table that must name it, `finding` its verdict or finding there. `instead` says that it
    stands in place of the lawful charge of its month; else it came on top of what was charged.
    """

    jurisdiction: str
    property_id: str
    lease_id: str
    audit: str
    finding: str
    charge_code: str
    posted_on: date
    posted: int
    over: int
    instead: bool
    cause: str


def _rows(*path: str) -> list[dict[str, str]]:
    with SAMPLE.joinpath(*path).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@cache
def overcharges() -> tuple[Overcharge, ...]:
    """Every planted overcharge, in the order of the file. Raises KeyError for a property that the sample lacks."""
    places = {row["property_id"]: row["jurisdiction"] for row in _rows("reference", "properties.csv")}
    return tuple(
        Overcharge(
            jurisdiction=places[row["property_id"]],
            property_id=row["property_id"],
            lease_id=row["lease_id"],
            audit=row["audit"],
            finding=row["finding"],
            charge_code=row["charge_code"],
            posted_on=date.fromisoformat(row["posted_on"]),
            posted=int(row["posted"].replace(".", "")),
            over=int(row["overcharge"].replace(".", "")),
            instead=row["instead"] == "true",
            cause=row["cause"],
        )
        for row in _rows("overcharges.csv")
    )


def of_lease(lease_id: str) -> tuple[Overcharge, ...]:
    """What was planted on a lease, in the order of its days."""
    return tuple(sorted((each for each in overcharges() if each.lease_id == lease_id), key=lambda each: each.posted_on))
