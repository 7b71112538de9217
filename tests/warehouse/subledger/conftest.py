"""What a build says about one lease, read from the published tables only, for any day and any state of knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tests.conftest import Built

NEVER = "9999-12-31T00:00:00"


@dataclass(frozen=True)
class Account:
    """One account of a build. Days are inclusive; `known` is an instant in UTC, by default all that is known."""

    built: Built
    lease_id: str
    party: str = "resident"

    def balance(self, on: str, known: str = NEVER) -> str:
        return self._sum(
            "select sum(amount) from resident_ledger where lease_id = ? and ledger_party = ?"
            " and entry_on <= cast(? as date) and recorded_at <= cast(? as timestamp)",
            on, known,
        )  # fmt: skip

    def open(self, on: str, known: str = NEVER) -> dict[str, str]:
        """Open amount of each open charge, by its id without the lease: amount less applications and reversals."""
        rows = self.built.rows(
            """
            with entries as (
                select * from resident_ledger
                where lease_id = $lease and ledger_party = $party
                and entry_on <= cast($on as date) and recorded_at <= cast($known as timestamp)
            ),
            applied as (
                select charge_id, sum(amount) as amount from payment_applications
                where lease_id = $lease and ledger_party = $party
                and applied_on <= cast($on as date) and recorded_at <= cast($known as timestamp)
                group by charge_id
            ),
            reversed as (
                select reverses_id, sum(amount) as amount from entries where kind = 'charge_reversal' group by 1
            )
            select source_id, entries.amount - coalesce(applied.amount, 0) + coalesce(reversed.amount, 0)
            from entries
            left join applied on applied.charge_id = source_id
            left join reversed on reversed.reverses_id = source_id
            where kind in ('opening_balance', 'charge', 'correction', 'transfer', 'refund_of_credit')
            and entries.amount > 0
            order by entry_seq
            """,
            {"lease": self.lease_id, "party": self.party, "on": on, "known": known},
        )
        return {self._short(name): f"{amount:.2f}" for name, amount in rows if amount != 0}

    def total_open(self, on: str, known: str = NEVER) -> str:
        return f"{sum((Decimal(amount) for amount in self.open(on, known).values()), Decimal(0)):.2f}"

    def credit(self, on: str, known: str = NEVER) -> str:
        """Waiting money: what is open less the balance."""
        return f"{Decimal(self.total_open(on, known)) - Decimal(self.balance(on, known)):.2f}"

    def aging(self, on: str, basis: str = "business") -> dict[str, str]:
        """A row of aging_month_end, short names. The day must be a month end or the build's own day."""
        row = self.built.dicts(
            "select not_yet_due as ND, days_0_30 as B0, days_31_60 as B31, days_61_90 as B61, days_over_90 as B91,"
            " open_total as total, rent_open as rent, other_open as other, unapplied_credit as credit, balance as net"
            " from aging_month_end where lease_id = ? and ledger_party = ? and as_of = cast(? as date) and basis = ?",
            [self.lease_id, self.party, on, basis],
        )
        assert len(row) == 1, f"{self.lease_id} has {len(row)} rows of aging on {on}"
        return {name: f"{amount:.2f}" for name, amount in row[0].items()}

    def applied(self, on: str = "9999-12-31", known: str = NEVER) -> dict[tuple[str, str], str]:
        rows = self.built.rows(
            "select source_id, charge_id, sum(amount) from payment_applications where lease_id = ? and ledger_party = ?"
            " and applied_on <= cast(? as date) and recorded_at <= cast(? as timestamp)"
            " group by 1, 2 having sum(amount) <> 0 order by 1, 2",
            [self.lease_id, self.party, on, known],
        )
        return {(self._short(source), self._short(target)): f"{amount:.2f}" for source, target, amount in rows}

    def waiting(self) -> dict[str, str]:
        rows = self.built.rows(
            "select source_id, amount from unapplied_credits where lease_id = ? and ledger_party = ? order by 1",
            [self.lease_id, self.party],
        )
        return {self._short(source): f"{amount:.2f}" for source, amount in rows}

    def owing(self) -> dict[str, str]:
        """Rent owing by the month that the rent period starts in, as the built-in forum computes it."""
        rows = self.built.rows(
            "select strftime(period_from, '%Y-%m'), rent_owing from arrears_by_month"
            " where lease_id = ? and forum = 'earliest_rent' order by 1",
            [self.lease_id],
        )
        return {month: f"{amount:.2f}" for month, amount in rows}

    def bridge(self) -> dict[str, str]:
        rows = self.built.rows(
            "select line, amount from arrears_bridge where lease_id = ? and forum = 'earliest_rent' order by line_no",
            [self.lease_id],
        )
        return {line: f"{amount:.2f}" for line, amount in rows}

    def _short(self, name: str) -> str:
        return name.removeprefix(self.lease_id + ".")

    def _sum(self, sql: str, *parameters: object) -> str:
        return f"{self.built.one(sql, [self.lease_id, self.party, *parameters]) or Decimal(0):.2f}"
