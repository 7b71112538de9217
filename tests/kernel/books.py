"""A small set of books for tests of the kernel: entries in, open charges and waiting money out, as of and known at.

Amounts are text in major units ("1500.00") so that a test reads like the ledger it came from. Every figure handed back
is text too. An entry is known at midnight of its day unless `known` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from dbt_project.kernels.allocation import EVENTS_SCHEMA, RULES_SCHEMA

RENT = '{"match": {"counts_as_rent": true}}'
ANY = '{"match": "any"}'
R1 = f"[{RENT}, {ANY}]"
R2 = f"[{ANY}]"
R3 = f'[{{"match": {{"counts_as_rent": false}}}}, {RENT}]'
R4 = '[{"match": "any", "order": "largest_open"}]'
HOLD = '[{"hold": true}]'
WASHINGTON = f"[{RENT}, {ANY}]"
COLORADO = f'[{RENT}, {{"match": {{"category": "late_fee"}}, "designated_only": true}}, {ANY}]'
OREGON = (
    '[{"match": {"counts_as_rent": true, "period": "prior"}}, {"match": {"counts_as_rent": true, "period": "current"}},'
    ' {"match": {"category": "utility"}}, {"match": {"category": "late_fee"}, "designated_only": true},'
    ' {"match": "any"}]'
)

RENT_CATEGORIES = ("rent",)
Engine = Callable[[pa.Table, pa.Table], pa.Table]


def cents(amount: str) -> int:
    return int(Decimal(amount).scaleb(2).to_integral_exact())


def money(minor: int) -> str:
    return f"{Decimal(minor).scaleb(-2):.2f}"


def day(text: str | date) -> date:
    return text if isinstance(text, date) else date.fromisoformat(text)


def moment(value: str | date | datetime) -> datetime:
    """A moment: an ISO day is its midnight."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, str) and len(value) > 10:
        return datetime.fromisoformat(value)
    return datetime.combine(day(value), time())


def end_of(on: str | date) -> datetime:
    return datetime.combine(day(on) + timedelta(days=1), time()) - timedelta(microseconds=1)


@dataclass
class Books:
    """Entries of one or more accounts under a policy and a law, given as the JSON of their steps."""

    policy: str = R1
    law: str | None = None
    yields: bool = False
    account: int = 1
    events: list[dict[str, Any]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    rules: list[tuple[str, bool]] = field(default_factory=list)

    def rule(self, steps: str, yields: bool = False) -> int:
        """The key of a rule with these steps (counted from 1)."""
        if (steps, yields) not in self.rules:
            self.rules.append((steps, yields))
        return self.rules.index((steps, yields)) + 1

    def add(self, name: str, kind: str, on: str, minor: int, known: str | datetime | None = None, **more: Any) -> Books:
        """Add an entry. `names=` is the name of the entry that it names; other columns as in the events table."""
        key = len(self.events) + 1
        self.names[name] = key
        business = day(on)
        law = more.pop("law", self.law)
        row: dict[str, Any] = {
            "account_key": self.account,
            "event_key": key,
            "kind": kind,
            "amount_minor": minor,
            "business_on": business,
            "known_at": moment(known or on),
            "tie_rank": key,
            "posted_on": business,
            "counts_as_rent": False,
            "is_individual_billing": False,
            "is_forgiven": False,
            "is_after_move_out": False,
            "policy_rule_key": self.rule(more.pop("policy", self.policy)),
            "law_rule_key": None if law is None else self.rule(law, self.yields),
            "current_period_from": business.replace(day=1),
        }
        if "names" in more:
            row["names_event_key"] = self.names[more.pop("names")]
        for column in ("due_on", "service_from", "service_to", "covers_from", "covers_to", "rent_period_from"):
            if more.get(column) is not None:
                more[column] = day(more[column])
        row.update(more)
        if kind in ("charge", "credit", "correction", "opening_balance") and "rent_period_from" not in row:
            row["rent_period_from"] = (row.get("service_from") or row.get("due_on") or business).replace(day=1)
        self.events.append(row)
        return self

    def charge(self, name: str, on: str, amount: str, category: str = "rent", **more: Any) -> Books:
        more.setdefault("counts_as_rent", category in RENT_CATEGORIES)
        more.setdefault("code_key", f"default:{category.upper()}")
        return self.add(name, "charge", more.pop("posted", on), cents(amount), category=category, due_on=on, **more)

    def credit(self, name: str, on: str, amount: str, category: str = "concession", **more: Any) -> Books:
        more.setdefault("code_key", f"default:{category.upper()}")
        return self.add(name, "credit", on, -cents(amount), category=category, **more)

    def pay(self, name: str, on: str, amount: str, **more: Any) -> Books:
        return self.add(name, "payment", on, -cents(amount), **more)

    def returned(self, name: str, of: str, on: str, amount: str | None = None, **more: Any) -> Books:
        whole = -self.events[self.names[of] - 1]["amount_minor"]
        minor = whole if amount is None else cents(amount)
        return self.add(name, "payment_return", on, minor, names=of, **more)

    def reverse(self, name: str, of: str, on: str, **more: Any) -> Books:
        minor = -self.events[self.names[of] - 1]["amount_minor"]
        return self.add(name, "charge_reversal", on, minor, names=of, **more)

    def refund(self, name: str, on: str, amount: str, **more: Any) -> Books:
        return self.add(name, "refund_of_credit", on, cents(amount), category="refund", **more)

    def write_off(self, name: str, on: str, amount: str, **more: Any) -> Books:
        return self.add(name, "write_off", on, -cents(amount), **more)

    def tables(self) -> tuple[pa.Table, pa.Table]:
        columns = EVENTS_SCHEMA.names
        events = pa.Table.from_pylist([{c: row.get(c) for c in columns} for row in self.events], schema=EVENTS_SCHEMA)
        rules = pa.table(
            {
                "rule_key": pa.array(range(1, len(self.rules) + 1), pa.int32()),
                "steps": pa.array([steps for steps, _ in self.rules], pa.string()),
                "yields_to_designation": pa.array([yields for _, yields in self.rules], pa.bool_()),
            },
            schema=RULES_SCHEMA,
        )
        return events, rules

    def run(self, engine: Engine) -> Applied:
        return Applied(self, engine(*self.tables()).to_pylist())


@dataclass
class Applied:
    """What came out, read as of a day and as known at a moment (both: the end of the last day, if not given)."""

    books: Books
    rows: list[dict[str, Any]]

    def _seen(self, as_of: str | None, known: str | None) -> tuple[date, datetime]:
        return (date.max if as_of is None else day(as_of)), (datetime.max if known is None else end_of(known))

    def _sums(
        self, as_of: str | None, known: str | None
    ) -> tuple[list[dict[str, Any]], dict[int, int], dict[int, int]]:
        """Events that count, and applied amounts by source and by target (what was recovered lowers a write-off)."""
        on, at = self._seen(as_of, known)
        events = [e for e in self.books.events if e["business_on"] <= on and e["known_at"] <= at]
        sources: dict[int, int] = {}
        targets: dict[int, int] = {}
        for row in self.rows:
            if row["applied_on"] <= on and row["known_at"] <= at:
                if row["row_kind"] == "application":
                    sources[row["source_event_key"]] = sources.get(row["source_event_key"], 0) + row["amount_minor"]
                    targets[row["target_event_key"]] = targets.get(row["target_event_key"], 0) + row["amount_minor"]
                else:
                    sources[row["target_event_key"]] = sources.get(row["target_event_key"], 0) + row["amount_minor"]
        return events, sources, targets

    def open(self, as_of: str | None = None, known: str | None = None, account: int | None = None) -> dict[str, str]:
        """Open amount of every charge that is open."""
        return {name: money(minor) for name, minor in self._open(as_of, known, account).items() if minor}

    def _open(self, as_of: str | None, known: str | None, account: int | None) -> dict[str, int]:
        events, _, targets = self._sums(as_of, known)
        closed = {e["names_event_key"] for e in events if e["kind"] == "charge_reversal"}
        return {
            self.name(e["event_key"]): e["amount_minor"] - targets.get(e["event_key"], 0)
            for e in events
            if is_target(e) and e["event_key"] not in closed and account in (None, e["account_key"])
        }

    def waiting(self, as_of: str | None = None, known: str | None = None, account: int | None = None) -> dict[str, str]:
        """What every source has left, where it has something left."""
        return {name: money(minor) for name, minor in self._waiting(as_of, known, account).items() if minor}

    def _waiting(self, as_of: str | None, known: str | None, account: int | None) -> dict[str, int]:
        events, sources, _ = self._sums(as_of, known)
        undone: dict[int, int] = {}
        for e in events:
            if is_undoing(e):
                undone[e["names_event_key"]] = undone.get(e["names_event_key"], 0) + abs(e["amount_minor"])
        return {
            self.name(e["event_key"]): -e["amount_minor"]
            - undone.get(e["event_key"], 0)
            - sources.get(e["event_key"], 0)
            for e in events
            if is_source(e) and account in (None, e["account_key"])
        }

    def total_open(self, as_of: str | None = None, known: str | None = None, account: int | None = None) -> str:
        return money(sum(self._open(as_of, known, account).values()))

    def credit(self, as_of: str | None = None, known: str | None = None, account: int | None = None) -> str:
        return money(sum(self._waiting(as_of, known, account).values()))

    def balance(self, as_of: str | None = None, known: str | None = None, account: int | None = None) -> str:
        """The running balance: every entry, derived recoveries included. Must equal open less waiting."""
        on, at = self._seen(as_of, known)
        events, _, _ = self._sums(as_of, known)
        total = sum(e["amount_minor"] for e in events if account in (None, e["account_key"]))
        total += sum(
            r["amount_minor"]
            for r in self.rows
            if r["row_kind"] == "recovery" and r["applied_on"] <= on and r["known_at"] <= at
            if account in (None, r["account_key"])
        )
        open_less_waiting = sum(self._open(as_of, known, account).values()) - sum(
            self._waiting(as_of, known, account).values()
        )
        assert total == open_less_waiting, (total, open_less_waiting)
        return money(total)

    def aging(self, as_of: str, known: str | None = None, account: int | None = None) -> dict[str, str]:
        """ND not yet due, B0 0-30 days, B31, B61, B91; credit in its own column."""
        due = {e["event_key"]: e.get("due_on") or e["posted_on"] for e in self.books.events}
        found = {"ND": 0, "B0": 0, "B31": 0, "B61": 0, "B91": 0}
        for name, minor in self._open(as_of, known, account).items():
            age = (day(as_of) - due[self.books.names[name]]).days
            bucket = "ND" if age < 0 else "B0" if age <= 30 else "B31" if age <= 60 else "B61" if age <= 90 else "B91"
            found[bucket] += minor
        aged = {bucket: money(minor) for bucket, minor in found.items()}
        assert money(sum(found.values()) - cents(self.credit(as_of, known, account))) == self.balance(
            as_of, known, account
        )
        return aged

    def applied(self, as_of: str | None = None, known: str | None = None) -> dict[tuple[str, str], str]:
        """Net amount applied by source and target, where it is not zero."""
        on, at = self._seen(as_of, known)
        found: dict[tuple[str, str], int] = {}
        for row in self.rows:
            if row["row_kind"] == "application" and row["applied_on"] <= on and row["known_at"] <= at:
                pair = (self.name(row["source_event_key"]), self.name(row["target_event_key"]))
                found[pair] = found.get(pair, 0) + row["amount_minor"]
        return {pair: money(minor) for pair, minor in found.items() if minor}

    def lines(self) -> list[tuple[str, str, str, str, str, str | None]]:
        """The journal as text: source, target, amount, applied on, known on, reason."""
        return [
            (
                self.name(r["source_event_key"]),
                self.name(r["target_event_key"]),
                money(r["amount_minor"]),
                r["applied_on"].isoformat(),
                r["known_at"].date().isoformat(),
                r["reason"],
            )
            for r in self.rows
        ]

    def name(self, key: int) -> str:
        return next(name for name, known in self.books.names.items() if known == key)


def is_undoing(event: dict[str, Any]) -> bool:
    undoing = event["kind"] in ("charge_reversal", "payment_return")
    return undoing or (event["kind"] in ("write_off", "deposit_applied") and event["amount_minor"] > 0)


def is_source(event: dict[str, Any]) -> bool:
    only = event["kind"] in ("payment", "credit", "write_off", "deposit_applied")
    return not is_undoing(event) and (only or event["amount_minor"] < 0)


def is_target(event: dict[str, Any]) -> bool:
    return not is_undoing(event) and not is_source(event)
