"""The book of one lease while it is played: what was written of it so far, and what is still to come.

A lease is played day by day from its own stream of chance. Amounts are integer cents. What is written are rows as a
system of record exports them; nothing is applied or balanced beyond what the payer looks at.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from datetime import date, timedelta

from orchestration.sample.amounts import money
from orchestration.sample.chance import Chance
from orchestration.sample.days import AS_OF
from orchestration.sample.houses import House, settlement_account
from orchestration.sample.overcharges import Overcharge

Row = dict[str, str]
Tables = dict[str, list[Row]]


@dataclass
class Book:
    """One lease while it is played. `balance` is what the resident sees at the counter, in cents.

    `other` is what was charged beside the rent since nothing was owed, `fees` what was charged of late fees at all, and
    `unmatched` the money in suspense that the desk believes to be this household's: together they say how much of the
    balance is rent for certain.
    """

    house: House
    lease_id: str
    unit_id: str
    start: date
    end: date | None
    rent: int
    chance: Chance
    tables: Tables
    people: list[str] = field(default_factory=list)
    balance: int = 0
    other: int = 0
    fees: int = 0
    unmatched: int = 0
    deposit: int = 0
    share_of_rent: int = 0
    habit: str = "ordinary"
    planted: tuple[Overcharge, ...] = ()
    stops_on: date | None = None
    counters: dict[str, int] = field(default_factory=dict)
    queue: list[tuple[date, int, int, str, tuple[object, ...]]] = field(default_factory=list)
    schedules: dict[str, str] = field(default_factory=dict)
    extras: dict[str, int] = field(default_factory=dict)
    first_charge_of_rent: dict[date, tuple[str, int]] = field(default_factory=dict)

    def number(self, kind: str) -> str:
        self.counters[kind] = self.counters.get(kind, 0) + 1
        return f"{kind}-{self.lease_id}-{self.counters[kind]:03d}"

    def put(self, table: str, **values: str) -> None:
        self.tables.setdefault(table, []).append({k: v for k, v in values.items() if v != ""})

    def at(self, day: date, earliest: int = 8, latest: int = 20) -> str:
        """A moment of that day in the property's own time (no offset: the door reads it so)."""
        return f"{day.isoformat()}T{self.chance.between(earliest, latest):02d}:{self.chance.between(0, 59):02d}:00"

    def charge(
        self,
        code: str,
        amount: int,
        day: date,
        *,
        due: date | None = None,
        service: tuple[date, date] | None = None,
        party: str = "",
        reason: str = "",
        by: str = "posting run",
        approved: str = "",
        reverses: str = "",
        corrects: str = "",
        recorded: str = "",
        method: str = "",
        concession: str = "",
    ) -> str:
        charge_id = self.number("c")
        scheduled = by == "posting run" and not party
        self.put(
            "charges",
            charge_id=charge_id,
            lease_id=self.lease_id,
            charge_code=code,
            amount=money(amount),
            posted_on=day.isoformat(),
            due_on=due.isoformat() if due else "",
            service_from=service[0].isoformat() if service else "",
            service_to=service[1].isoformat() if service else "",
            ledger_party=party,
            schedule_id=self.schedules.get(code, "") if scheduled else "",
            posting_run_id=f"run-{self.house.property_id}-{(service[0] if service else day):%Y-%m}"
            if scheduled
            else "",
            concession_id=concession,
            proration_method=method,
            reverses_charge_id=reverses,
            corrects_charge_id=corrects,
            reason=reason,
            posted_by=by,
            approved_by=approved,
            recorded_at=recorded or f"{day.isoformat()}T05:30:00",
        )
        if not party:
            if self.balance <= 0:
                self.other = 0
            self.balance += amount
            self.other += amount if amount > 0 and code not in ("RENT", "SUBSIDYCORR") else 0
            self.fees += amount if code == "LATE" else 0
        return charge_id

    def pay(
        self,
        amount: int,
        day: date,
        *,
        channel: str = "portal",
        method: str = "ach",
        payer: str = "",
        kind: str = "",
        party: str = "",
        designation: str = "",
        recorded: str = "",
        represents: str = "",
        in_suspense: bool = False,
    ) -> str:
        payment_id = self.number("p")
        late_known = recorded or self.at(day)
        settled = day + timedelta(days=0 if channel in ("office", "check_scan") else 3)
        self.put(
            "payments",
            payment_id=payment_id,
            lease_id="" if in_suspense else self.lease_id,
            entity_id=self.house.entity_id if in_suspense else "",
            amount=money(amount),
            received_on=day.isoformat(),
            channel=channel,
            method=method,
            payer_kind=kind,
            payer_person_id=payer,
            ledger_party=party,
            designation=designation,
            designated_by="resident" if designation else "",
            represents_payment_id=represents,
            settlement_account=settlement_account(self.house, day),
            settled_on=settled.isoformat() if settled <= AS_OF else "",
            recorded_at=late_known + ("Z" if in_suspense else ""),
        )
        if not party and not in_suspense:
            self.balance -= amount
        if in_suspense:
            self.unmatched += amount
        return payment_id

    def schedule(self, code: str, amount: int, since: date) -> None:
        old = self.schedules.get(code)
        if old:
            for row in self.tables["charge_schedules"]:
                if row["schedule_id"] == old:
                    row["valid_to"] = since.isoformat()
        self.schedules[code] = self.number("s")
        values = {
            "schedule_id": self.schedules[code],
            "lease_id": self.lease_id,
            "charge_code": code,
            "amount": money(amount),
            "proration_method": self.house.proration,
            "valid_from": since.isoformat(),
        }
        if self.end:
            values["valid_to"] = (self.end + timedelta(days=1)).isoformat()
        self.put("charge_schedules", **values)

    def certify(self, effective: date, tenant_rent: int, decided: date) -> None:
        self.put(
            "rent_certifications",
            certification_id=self.number("z"),
            lease_id=self.lease_id,
            contract_rent=money(self.rent),
            tenant_rent=money(tenant_rent),
            effective_on=effective.isoformat(),
            recorded_at=self.at(decided, 9, 12),
        )

    def plan(self, day: date, order: int, what: str, *details: object) -> None:
        if day <= AS_OF:
            self.counters["plan"] = self.counters.get("plan", 0) + 1
            heapq.heappush(self.queue, (day, order, self.counters["plan"], what, details))

    def play(self) -> None:
        while self.queue:
            day, _, _, what, details = heapq.heappop(self.queue)
            getattr(self, f"on_{what}")(day, *details)
