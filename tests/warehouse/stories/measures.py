"""What a story must come to, computed from published tables alone for any day and any moment of knowledge.

The sums here are written from the meaning of the tables (an entry counts from its business date, is known from its
recorded moment; an application likewise; the books go by accounting date), so that a row of `expected.csv` can be
checked at days for which the build itself publishes no figure.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

ZERO = Decimal("0.00")
ALWAYS = datetime(9999, 1, 1)
UNDOING = ("payment_return", "charge_reversal", "write_off_recovery")
AGED = ("not_yet_due", "days_0_30", "days_31_60", "days_61_90", "days_over_90")
ACCOUNTS = {  # role of the account, and the side on which it grows
    "receivable": ("receivable_", 1),
    "prepaid": ("prepaid", -1),
    "cash": ("cash", 1),
    "deposit_held": ("deposits_held", -1),
    "agreement_left": ("agreement_receivable", 1),
}

Row = dict[str, Any]


@dataclass
class Books:
    """The published rows of the stories, grouped by lease."""

    ledger: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    applications: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    lines: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    arrears: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    aging: dict[tuple[str, str, date], Row] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, build: Path, leases: list[str], roles: dict[str, str]) -> Books:
        """Read a build's marts. `roles` maps an account to its role in the chart."""
        books = cls(roles=roles)
        with duckdb.connect(str(build), read_only=True) as warehouse:
            for attribute, table in (
                ("ledger", "resident_ledger"),
                ("applications", "payment_applications"),
                ("lines", "gl_entries"),
                ("arrears", "arrears_by_month"),
                ("aging", "aging_month_end"),
            ):
                of_one_book = " and book = 'accrual'" if table == "gl_entries" else ""
                cursor = warehouse.execute(
                    f"select * from marts.{table} where list_contains(?, lease_id){of_one_book}", [leases]
                )
                names = [column[0] for column in cursor.description]
                for values in cursor.fetchall():
                    row = dict(zip(names, values, strict=True))
                    if attribute == "aging":
                        if row["basis"] == "business":
                            books.aging[row["lease_id"], row["ledger_party"], row["as_of"]] = row
                    else:
                        getattr(books, attribute)[row["lease_id"]].append(row)
        return books

    def measure(self, lease: str, party: str, as_of: date, known_at: str, measure: str) -> Decimal:
        """One measure of one account at the end of `as_of`, as known at `known_at` (ISO, UTC; empty: everything)."""
        known = datetime.fromisoformat(known_at).astimezone(UTC).replace(tzinfo=None) if known_at else ALWAYS
        name, _, rest = measure.partition(":")
        if name in ACCOUNTS:
            role, side = ACCOUNTS[name]
            return side * sum(
                (
                    (line["debit"] or ZERO) - (line["credit"] or ZERO)
                    for line in self.lines[lease]
                    if line["book"] == "accrual"
                    and line["accounting_on"] <= as_of
                    and self.roles.get(line["account"], "").startswith(role)
                    and (name == "deposit_held" or line["ledger_party"] == party)
                ),
                ZERO,
            )
        if name in ("rent_owing", "claimable"):
            return sum(
                (
                    row["claimable" if name == "claimable" else "rent_owing"]
                    for row in self.arrears[lease]
                    if row["forum"] == "earliest_rent" and (not rest or f"{row['period_from']:%Y-%m}" == rest)
                ),
                ZERO,
            )
        entries = [
            e
            for e in self.ledger[lease]
            if e["ledger_party"] == party and e["entry_on"] <= as_of and e["recorded_at"] <= known
        ]
        applied = [
            a
            for a in self.applications[lease]
            if a["ledger_party"] == party and a["applied_on"] <= as_of and a["recorded_at"] <= known
        ]
        if name == "balance":
            return sum((e["amount"] for e in entries), ZERO)
        if name == "recovered":
            return sum((e["amount"] for e in entries if e["kind"] == "write_off_recovery"), ZERO)
        if name == "applied":
            source, _, charge = rest.partition(":")
            return sum((a["amount"] for a in applied if (a["source_id"], a["charge_id"]) == (source, charge)), ZERO)
        return self._open_or_waiting(name, rest, as_of, entries, applied)

    @staticmethod
    def _open_or_waiting(name: str, rest: str, as_of: date, entries: list[Row], applied: list[Row]) -> Decimal:
        def is_target(entry: Row) -> bool:
            return entry["amount"] > 0 and entry["kind"] not in UNDOING and entry["reverses_id"] is None

        reversed_ids = {e["reverses_id"] for e in entries if e["kind"] == "charge_reversal"}
        if name == "credit":
            money = sum(
                (e["amount"] for e in entries if not is_target(e) and not _reverses_a_target(e)), ZERO
            )  # sources, and what undid them
            return -money - sum((a["amount"] for a in applied), ZERO)
        paid: dict[str, Decimal] = defaultdict(lambda: ZERO)
        for application in applied:
            paid[application["charge_id"]] += application["amount"]
        opened = [
            (e, ZERO if e["source_id"] in reversed_ids else e["amount"] - paid[e["source_id"]])
            for e in entries
            if is_target(e)
        ]
        if name == "open":
            return sum((amount for e, amount in opened if e["source_id"] == rest), ZERO)
        wanted = {
            "open_total": lambda e: True,
            "rent_open": lambda e: e["counts_as_rent"],
            "other_open": lambda e: not e["counts_as_rent"],
            "overdue": lambda e: _age(e, as_of) > 0,
            "not_yet_due": lambda e: _age(e, as_of) < 0,
            "days_0_30": lambda e: 0 <= _age(e, as_of) <= 30,
            "days_31_60": lambda e: 31 <= _age(e, as_of) <= 60,
            "days_61_90": lambda e: 61 <= _age(e, as_of) <= 90,
            "days_over_90": lambda e: _age(e, as_of) > 90,
        }[name]
        return sum((amount for e, amount in opened if wanted(e)), ZERO)


def _age(entry: Row, as_of: date) -> int:
    return (as_of - (entry["due_on"] or entry["entry_on"])).days


def _reverses_a_target(entry: Row) -> bool:
    """A reversal of a charge is negative; a reversal of a credit is positive and undoes a source."""
    return entry["kind"] == "charge_reversal" and entry["amount"] < 0
