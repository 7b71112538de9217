"""A small portfolio as rows, written to CSV files by the tests, and a thin way to land it and look at the result."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from orchestration.landing import LandingReport, land

Rows = Sequence[Mapping[str, str]]
FIRST_RUN = datetime(2026, 11, 10, 6)

CODE = {
    "is_mandatory": "true",
    "is_recurring": "true",
    "in_advertised_price": "true",
    "counts_as_rent": "true",
    "prorates": "true",
}


def portfolio() -> dict[str, list[dict[str, str]]]:
    """One entity, two leases in Denver and one in New York, codes and accounts: everything that facts may name."""
    return {
        "entities": [{"entity_id": "E1", "name": "Oak LLC", "currency": "USD", "chart_id": "main"}],
        "properties": [
            {
                "property_id": "P1",
                "entity_id": "E1",
                "name": "Oak",
                "jurisdiction": "US-CO",
                "time_zone": "America/Denver",
            },
            {
                "property_id": "P2",
                "entity_id": "E1",
                "name": "Elm",
                "jurisdiction": "US-NY",
                "time_zone": "America/New_York",
            },
        ],
        "units": [
            {"unit_id": "U1", "property_id": "P1", "unit_number": "101"},
            {"unit_id": "U2", "property_id": "P1", "unit_number": "102"},
            {"unit_id": "U3", "property_id": "P2", "unit_number": "1"},
        ],
        "persons": [{"person_id": "R1", "name": "Ann"}, {"person_id": "R2", "name": "Zoë"}],
        "leases": [
            {"lease_id": "L1", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"},
            {"lease_id": "L2", "property_id": "P1", "unit_id": "U2", "start_on": "2026-01-01"},
            {"lease_id": "L3", "property_id": "P2", "unit_id": "U3", "start_on": "2026-01-01"},
        ],
        "lease_parties": [{"lease_id": "L1", "person_id": "R1", "role": "leaseholder"}],
        "charge_codes": [
            {"charge_code": "RENT", "name": "Rent", "category": "rent", **CODE},
            {"charge_code": "LATE", "name": "Late fee", "category": "late_fee", **CODE, "counts_as_rent": "false"},
        ],
        "gl_accounts": [
            {
                "chart_id": "main",
                "account": "1100",
                "name": "Receivable",
                "type": "asset",
                "role": "receivable_resident",
            },
            {"chart_id": "main", "account": "4000", "name": "Rent", "type": "income", "role": ""},
        ],
        "gl_mappings": [{"chart_id": "main", "charge_code": "RENT", "account": "4000"}],
    }


def charge(charge_id: str, amount: str = "1500.00", **more: str) -> dict[str, str]:
    return {
        "charge_id": charge_id,
        "lease_id": "L1",
        "charge_code": "RENT",
        "amount": amount,
        "posted_on": "2026-10-01",
    } | more


def payment(payment_id: str, amount: str = "1000.00", **more: str) -> dict[str, str]:
    return {"payment_id": payment_id, "lease_id": "L1", "amount": amount, "received_on": "2026-10-03"} | more


def returned(reversal_id: str, payment_id: str, amount: str, **more: str) -> dict[str, str]:
    own = {"reversal_id": reversal_id, "payment_id": payment_id, "kind": "return", "amount": amount}
    return own | {"reversed_on": "2026-10-06"} | more


def write_csv(path: Path, rows: Rows) -> Path:
    """Write rows as CSV with every column that any row has, in the order in which they first appear."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


@dataclass
class Door:
    """A home and a landing folder of a test. Every `land` is a run an hour later than the last."""

    path: Path
    runs: int = 0
    reports: list[LandingReport] = field(default_factory=list)

    @property
    def files(self) -> Path:
        return self.path / "files"

    @property
    def raw(self) -> Path:
        return self.path / "raw.duckdb"

    @property
    def folder(self) -> Path:
        return self.path / "landing"

    def write(self, tables: Mapping[str, Rows], suffix: str = "", subfolder: str = "") -> None:
        """One file per table: `<table><suffix>.csv`."""
        for table, rows in tables.items():
            write_csv(self.folder / subfolder / f"{table}{suffix}.csv", rows)

    def land(self, tables: Mapping[str, Rows] | None = None, **named: Any) -> LandingReport:
        """Write the tables as files of this run, and land the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        moment = named.pop("loaded_at", FIRST_RUN + timedelta(hours=self.runs))
        if tables is not None:
            self.write(tables, suffix=f"-run{self.runs}", subfolder=named.pop("subfolder", ""))
        self.runs += 1
        report = land(self, self.folder, loaded_at=moment, run_id=f"run-{self.runs}", **named)
        self.reports.append(report)
        return report

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.raw), read_only=True) as raw:
            return raw.execute(query, parameters).fetchall()

    def ids(self, table: str, column: str) -> list[str]:
        """The accepted ids of a table, sorted, a row per version."""
        return [row[0] for row in self.rows(f'SELECT "{column}" FROM landing."{table}" ORDER BY 1')]

    def held(self, status: str = "open") -> dict[str, str]:
        """row_key -> reason of the rows in quarantine."""
        return dict(self.rows("SELECT row_key, reason FROM landing.quarantine WHERE status = ?", [status]))

    def untied(self) -> list[tuple[Any, ...]]:
        """Batches whose landed rows and amount are not loaded + duplicate + quarantined. Must be empty."""
        return self.rows(
            "SELECT b.file, b.rows_landed, o.rows, b.amount_landed, o.amount FROM landing.batches b LEFT JOIN ("
            "SELECT batch_id, sum(rows) AS rows, sum(amount) AS amount FROM landing.batch_outcomes GROUP BY batch_id) o"
            " USING (batch_id) WHERE b.status = 'loaded'"
            " AND (b.rows_landed <> coalesce(o.rows, 0) OR b.amount_landed <> coalesce(o.amount, 0))"
        )
