"""Ordinary life in a small town: about 300 leases over 24 months, as the books of a property manager would show it.

Every lease is played by itself, day by day, from its own stream of chance: charges post, people pay in full, in
halves, late, ahead or not at all, payments come back, fees are waived, people move in and out. Amounts are integer
cents. What is made here are facts as a system of record exports them; nothing is applied or balanced beyond what the
payer looks at.
"""

from __future__ import annotations

import csv
import heapq
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path

from orchestration.sample.chance import Chance
from orchestration.sample.overcharges import Overcharge, of_lease
from orchestration.sample.people import FAMILY, GIVEN

Row = dict[str, str]
Tables = dict[str, list[Row]]

SEEDS = Path(__file__).resolve().parents[2] / "seeds"

# The first day that this system of record kept; balances before it come as opening balances.
CUTOVER = date(2024, 11, 1)
AS_OF = date(2026, 11, 5)  # nothing happens or is recorded after it
LAST_CLOSED = (2026, 9)
PLATFORM_HOUSE, PLATFORM_FROM = "hudson1", date(2026, 9, 1)  # as in seeds/sample/reference/collection_arrangements.csv


@dataclass(frozen=True)
class House:
    """How one property is run. Rents are cents a month; `fee` names the late fee policy.

    A late fee posts on the `fee_day`-th day counted from the day the rent is due (that day is the first); `fee_most`
    is the most of a month's rent that the law calls reasonable, in percent; where `fees_wait`, the law keeps money
    tendered as rent from paying a fee.
    """

    property_id: str
    entity_id: str
    units: int
    low: int
    high: int
    settlement_account: str
    proration: str
    fee: str
    fee_day: int
    fee_amount: int
    nsf: int
    posts_ahead: bool = False
    subsidised: bool = False
    rent_deposit: bool = False
    fee_most: int = 0
    fees_wait: bool = False


HOUSES = (
    House(
        "maple1",
        "birchline",
        34,
        110_000,
        172_500,
        "bank-birchline-op",
        "actual_days_month",
        "flat",
        4,
        5_000,
        2_500,
        fee_most=10,
    ),
    House(
        "aspen1",
        "birchline",
        26,
        135_000,
        210_000,
        "bank-birchline-op",
        "actual_days_month",
        "flat",
        8,
        5_000,
        2_000,
        fees_wait=True,
    ),
    House(
        "sierra1", "birchline", 30, 165_000, 265_000, "bank-birchline-op", "actual_days_year", "flat", 6, 4_500, 2_500
    ),
    House(
        "hudson1",
        "cedarmain",
        36,
        180_000,
        340_000,
        "bank-cedarmain-op",
        "thirty_day_month",
        "ny",
        7,
        5_000,
        2_000,
        posts_ahead=True,
    ),
    House(
        "rainier1",
        "cedarmain",
        32,
        140_000,
        230_000,
        "bank-cedarmain-op",
        "actual_days_month",
        "flat",
        7,
        4_000,
        3_000,
    ),
    House(
        "willow1",
        "cedarmain",
        26,
        115_000,
        185_000,
        "bank-cedarmain-op",
        "actual_days_month",
        "flat",
        5,
        7_500,
        3_500,
        fees_wait=True,
    ),
    House(
        "prairie1",
        "cedarmain",
        30,
        98_000,
        128_000,
        "bank-cedarmain-op",
        "actual_days_month",
        "share",
        6,
        8,
        3_000,
        subsidised=True,
    ),
    House(
        "harbour1",
        "lakeshore",
        30,
        145_000,
        235_000,
        "bank-lakeshore-op",
        "actual_days_month",
        "none",
        0,
        0,
        2_000,
        rent_deposit=True,
    ),
)


def money(cents: int) -> str:
    """Cents as a decimal in major units: -5 is `-0.05`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def share(amount: int, part: int, whole: int) -> int:
    """amount x part / whole, rounded once, half away from zero."""
    top = 2 * abs(amount) * part + whole
    value = top // (2 * whole)
    return -value if amount < 0 else value


def _seeds(*path: str) -> list[Row]:
    with SEEDS.joinpath(*path).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@cache
def _closed_days(property_id: str) -> frozenset[date] | None:
    """The closed days that put off a last day of grace at a property, by the law of its place; None where none does."""
    places = {row["property_id"]: row["jurisdiction"] for row in _seeds("sample", "reference", "properties.csv")}
    calendars = {
        row["calendar_id"]
        for row in _seeds("rules", "late_fee_rules.csv")
        if row["jurisdiction"] == places[property_id] and row["roll"] == "last_day"
    }
    days = [row["day"] for row in _seeds("rules", "calendar_days.csv") if row["calendar_id"] in calendars]
    return frozenset(date.fromisoformat(day) for day in days) if calendars else None


def fee_day(house: House, due: date) -> date:
    """The day on which a late fee on rent due on `due` posts: after the last day of grace, put off if it is closed."""
    last = due + timedelta(days=house.fee_day - 2)
    closed = _closed_days(house.property_id)
    while closed is not None and (last.weekday() >= 5 or last in closed):
        last += timedelta(days=1)
    return last + timedelta(days=1)


def settlement_account(house: House, day: date) -> str:
    """Where money of that day settles: one house changed to a platform's account, an effective-dated arrangement."""
    platform = house.property_id == PLATFORM_HOUSE and day >= PLATFORM_FROM
    return f"platform-{house.property_id}" if platform else house.settlement_account


def month_start(day: date) -> date:
    return day.replace(day=1)


def next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def month_end(day: date) -> date:
    return next_month(day) - timedelta(days=1)


def prorated(amount: int, first: date, last: date, method: str) -> int:
    """The part of a monthly amount that the days from first to last (of one month, both included) cost."""
    days = (last - first).days + 1
    in_month = month_end(first).day
    if days == in_month:
        return amount
    if method == "thirty_day_month":
        return share(amount, min(days, 30), 30)
    if method == "actual_days_year":
        return share(amount * 12, days, 365)
    return share(amount, days, in_month)


@dataclass
class _Lease:
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

    # --- writing rows -------------------------------------------------------------------------------------------
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

    def billed(self, code: str, period: date, amount: int) -> int:
        """What is charged for that month: the lawful amount, unless an overcharge was planted in its place."""
        for each in self.planted:
            if each.instead and each.charge_code == code and month_start(each.posted_on) == period:
                return each.posted
        return amount

    def on_overcharge(self, day: date, planted: Overcharge) -> None:
        """An overcharge that came on top of what was charged."""
        if planted.charge_code == "LATE":
            self.charge("LATE", planted.posted, day, by="late fee run", reason=planted.cause)
        else:
            self.charge(planted.charge_code, planted.posted, day, service=(month_start(day), month_end(day)))

    # --- the queue ----------------------------------------------------------------------------------------------
    def plan(self, day: date, order: int, what: str, *details: object) -> None:
        if day <= AS_OF:
            self.counters["plan"] = self.counters.get("plan", 0) + 1
            heapq.heappush(self.queue, (day, order, self.counters["plan"], what, details))

    def play(self) -> None:
        while self.queue:
            day, _, _, what, details = heapq.heappop(self.queue)
            getattr(self, f"on_{what}")(day, *details)

    # --- what happens -------------------------------------------------------------------------------------------
    def on_month(self, day: date, period: date) -> None:
        """The monthly run: rent, what stands beside it, the subsidy; then how this household pays the month."""
        house, chance = self.house, self.chance
        first, last = max(period, self.start), min(month_end(period), self.end or month_end(period))
        whole = first == period and last == month_end(period)
        method = "" if whole else house.proration
        due = max(period, self.start) if house.posts_ahead else None
        service = (first, last)
        rent = self.billed("RENT", period, prorated(self.rent, first, last, house.proration))
        charge_id = self.charge("RENT", rent, day, due=due, service=service, method=method)
        self.first_charge_of_rent[period] = (charge_id, rent)
        owed = owed_rent = rent
        if house.subsidised:
            subsidy = rent - prorated(self.share_of_rent, first, last, house.proration)
            owed = owed_rent = rent - subsidy
            self.charge("SUBSIDY", -subsidy, day, service=service, method=method)
            self.charge("SUBSIDY", subsidy, day, service=service, party="subsidy", method=method)
            paid = subsidy if not chance.permille(25) else subsidy - 1_000
            self.plan(max(period, day) + timedelta(days=chance.between(2, 5)), 6, "agency", paid)
        for code, amount in self.extras.items():
            part = amount if code == "INSUR" else prorated(amount, first, last, house.proration)
            part = self.billed(code, period, part)
            extra = self.charge(code, part, day, due=due, service=service, method=method if code != "INSUR" else "")
            owed += part
            if code == "PARK" and house.property_id == "hudson1":
                tax = share(part, 8875, 100_000)
                self.charge("PARKTAX", tax, day, due=due, service=service)
                owed += tax
            elif code == "PARK" and chance.permille(8):
                self.plan(
                    day + timedelta(days=3),
                    5,
                    "undo_charge",
                    extra,
                    code,
                    part,
                    "space given back before the month",
                    service,
                )
        if house.property_id not in ("prairie1", "harbour1") and period < AS_OF.replace(day=1):
            self.plan(period.replace(day=10), 3, "utility", period)
        self._plan_payments(period, owed)
        if house.fee != "none":
            self.plan(fee_day(house, max(period, self.start)), 9, "late_fee", period, owed_rent)
        following = next_month(period)
        if self.end is None or following <= self.end:
            self.plan(following - timedelta(days=4) if house.posts_ahead else following, 1, "month", following)

    def _plan_payments(self, period: date, owed: int) -> None:
        chance, habit = self.chance, self.habit
        first = max(period, self.start)
        if self.stops_on and period >= self.stops_on:
            if chance.permille(150):
                self.plan(
                    first + timedelta(days=chance.between(3, 20)), 6, "pay", "some", chance.between(15, 40), "office"
                )
            return
        if habit == "auto":
            self.plan(first + timedelta(days=chance.between(0, 2)), 6, "pay", "all", 0, "autopay")
        elif habit == "ahead" and period > self.start:
            self.plan(first, 6, "pay", "all", 0, "portal")
        elif habit == "late" and chance.permille(420):
            self.plan(
                first + timedelta(days=chance.between(7, 21)),
                10,
                "pay",
                "all",
                0,
                chance.one_of(("portal", "office", "cash_network")),
            )
        elif habit == "partial" and chance.permille(520):
            self.plan(first + timedelta(days=chance.between(1, 5)), 6, "pay", "some", chance.between(50, 80), "portal")
            if chance.permille(860):
                self.plan(first + timedelta(days=chance.between(12, 24)), 10, "pay", "all", 0, "portal")
        elif habit == "split" and len(self.people) > 1:
            self.plan(first + timedelta(days=chance.between(0, 3)), 6, "pay", "half", 0, "portal")
            self.plan(first + timedelta(days=chance.between(1, 4)), 7, "pay", "rest", 1, "portal")
        else:
            channel = chance.one_of(("portal", "portal", "autopay", "check_scan", "lockbox", "office"))
            self.plan(first + timedelta(days=chance.between(0, 4)), 6, "pay", "all", 0, channel)
        if habit == "ahead":
            self.plan(month_end(period) - timedelta(days=chance.between(2, 6)), 8, "pay_ahead", owed)

    def on_utility(self, day: date, period: date) -> None:
        if self.end and day > self.end:
            return
        code = "ELEC" if self.house.property_id in ("rainier1", "sierra1") else "WATER"
        before = month_start(period - timedelta(days=1))
        if month_end(before) < self.start:
            return
        self.charge(
            code,
            self.chance.between(2_200, 9_800),
            day,
            due=min(next_month(day), date(2099, 1, 1)),
            service=(before, month_end(before)),
            by="utility allocation",
            reason="meter reads of the month before",
        )

    def on_late_fee(self, day: date, period: date, rent: int) -> None:
        """A fee if a good part of the resident's own rent is still open for certain on the morning of the fee day.

        What was charged beside the rent may be what is open, money in suspense may be theirs: neither bears a fee.
        """
        house = self.house
        own = self.share_of_rent if house.subsidised else self.rent
        not_due = sum(later for month, (_, later) in self.first_charge_of_rent.items() if month > period)
        certain = self.balance - self.other - self.unmatched - not_due - (self.fees if house.fees_wait else 0)
        if (self.end and day > self.end) or certain * 4 < own or certain < 5_000:
            return
        overdue = min(certain, rent)
        amount = {
            "flat": min(house.fee_amount, share(rent, house.fee_most or 100, 100)),
            "ny": min(5_000, share(own, 5, 100)),
            "share": min(500, share(overdue, house.fee_amount, 100)),  # what the program lets an owner charge at first
        }[house.fee]
        amount = self.billed("LATE", period, amount)
        fee = self.charge(
            "LATE", amount, day, by="late fee run", reason=f"rent of {period:%Y-%m} open on day {day.day}"
        )
        if self.chance.permille(130):
            self.plan(
                day + timedelta(days=self.chance.between(2, 9)),
                5,
                "undo_charge",
                fee,
                "LATE",
                amount,
                self.chance.one_of(("waived: bank error", "waived: first time", "waived: assistance applied for")),
                None,
            )

    def on_undo_charge(
        self, day: date, charge_id: str, code: str, amount: int, reason: str, service: tuple[date, date] | None
    ) -> None:
        self.charge(
            code,
            -amount,
            day,
            service=service,
            by="office",
            reason=reason,
            approved="site manager",
            reverses=charge_id,
            recorded=self.at(day),
        )

    def on_pay(self, day: date, how: str, number: int, channel: str) -> None:
        if self.balance <= 0:
            return
        amount = self.balance
        if how == "some":
            amount = max(self.balance * number // 100 // 500 * 500, 500)
        elif how == "half":
            amount = (self.balance + 1) // 2
        payer = self.people[1] if how == "rest" and len(self.people) > 1 else self.people[0]
        self._take(amount, day, channel, payer)

    def on_pay_ahead(self, day: date, owed: int) -> None:
        if self.end and day > self.end - timedelta(days=31):
            return
        amount = max(self.balance, 0) + owed
        if self.house.posts_ahead:
            amount = owed
        self._take(amount, day, "portal", self.people[0])

    def _take(self, amount: int, day: date, channel: str, payer: str) -> None:
        """A payment arrives; now and then it is keyed late, keyed twice, lands in suspense, or comes back."""
        chance = self.chance
        method = {
            "portal": "ach",
            "autopay": "ach",
            "check_scan": "check",
            "lockbox": "check",
            "office": "money_order",
            "cash_network": "cash",
        }[channel]
        if channel == "portal" and chance.permille(180):
            method = "card"
        recorded = ""
        if channel in ("lockbox", "office") and chance.permille(30):
            recorded = self.at(day + timedelta(days=chance.between(4, 13)), 9, 17)
        elif channel == "lockbox":
            recorded = self.at(day + timedelta(days=1), 7, 10)
        if channel in ("lockbox", "office", "check_scan") and chance.permille(18):  # found in a drawer after the close
            recorded = self.at(next_month(day).replace(day=chance.between(9, 14)), 9, 17)
        if recorded[:10] > AS_OF.isoformat():
            recorded = ""
        if channel == "lockbox" and chance.permille(60):
            payment_id = self.pay(amount, day, channel=channel, method=method, in_suspense=True)
            if chance.permille(920):  # the others still wait for somebody to recognise them
                self.plan(day + timedelta(days=chance.between(2, 12)), 4, "match", payment_id, amount)
            return
        payment_id = self.pay(amount, day, channel=channel, method=method, payer=payer, recorded=recorded)
        known = date.fromisoformat(recorded[:10]) if recorded else day
        if chance.permille(4):
            twin = self.pay(amount, day, channel=channel, method=method, payer=payer, recorded=self.at(known, 20, 21))
            self.plan(known + timedelta(days=1), 4, "undo_payment", twin, amount, "correction", "", "keyed twice")
        elif method in ("ach", "check") and chance.permille(24):
            code = chance.one_of(("R01", "R01", "R01", "R02", "R09", "NSF")) if method == "ach" else "NSF"
            self.plan(
                known + timedelta(days=chance.between(2, 5)),
                4,
                "undo_payment",
                payment_id,
                amount,
                "return",
                code,
                "returned unpaid",
            )
        elif method == "card" and chance.permille(12):
            self.plan(
                known + timedelta(days=chance.between(15, 40)),
                4,
                "undo_payment",
                payment_id,
                amount,
                "chargeback",
                "",
                "cardholder dispute",
            )

    def on_match(self, day: date, payment_id: str, amount: int) -> None:
        self.put(
            "payment_matches",
            payment_id=payment_id,
            lease_id=self.lease_id,
            matched_on=day.isoformat(),
            matched_by="cash office",
            recorded_at=self.at(day, 9, 17),
        )
        self.balance -= amount
        self.unmatched -= amount

    def on_undo_payment(self, day: date, payment_id: str, amount: int, kind: str, code: str, reason: str) -> None:
        self.put(
            "payment_reversals",
            reversal_id=self.number("r"),
            payment_id=payment_id,
            kind=kind,
            amount=money(amount),
            reversed_on=day.isoformat(),
            return_code=code,
            reason=reason,
            recorded_at=self.at(day, 9, 17),
        )
        self.balance += amount
        self.other += amount  # a payment that came back has a fee of its own
        if kind != "return":
            return
        self.charge(
            "NSF",
            self.house.nsf,
            day,
            by="office",
            reason=f"payment {payment_id} returned {code}",
            recorded=self.at(day, 9, 17),
        )
        if self.chance.permille(820) and not self.stops_on:
            self.plan(day + timedelta(days=self.chance.between(2, 9)), 10, "pay", "all", 0, "office")

    def on_agency(self, day: date, amount: int) -> None:
        self.pay(
            amount,
            day,
            channel="third_party",
            method="ach",
            payer="agency-lakes",
            kind="agency",
            party="subsidy",
            recorded=self.at(day, 9, 12),
        )

    def on_move_in(self, day: date) -> None:
        """The deposit is billed and paid before the keys; a concession, where given, is a record and a credit."""
        house = self.house
        self.deposit = 40_000 if house.subsidised else self.rent
        charge_id = self.charge(
            "DEPOSIT", self.deposit, day, by="office", reason="move-in", recorded=self.at(day, 8, 9)
        )
        self.pay(
            self.deposit,
            day,
            channel="office",
            method="money_order",
            payer=self.people[0],
            designation="DEPOSIT",
            recorded=self.at(day, 10, 11),
        )
        self.put(
            "deposit_movements",
            movement_id=self.number("d"),
            lease_id=self.lease_id,
            kind="received",
            amount=money(self.deposit),
            occurred_on=day.isoformat(),
            charge_id=charge_id,
            is_rent_deposit="true" if house.rent_deposit else "",
            recorded_at=self.at(day, 12, 13),
        )
        if not house.subsidised and self.chance.permille(300):
            total = self.chance.one_of((25_000, 50_000, self.rent))
            concession = self.number("k")
            service = next_month(self.start)
            self.put(
                "concessions",
                concession_id=concession,
                lease_id=self.lease_id,
                kind="upfront",
                total_amount=money(total),
                term_from=self.start.isoformat(),
                term_to=(self.end or date(self.start.year + 1, self.start.month, 1)).isoformat(),
                repayable_on_early_termination="true",
                lease_clause="addendum C",
                approved_by="regional manager",
            )
            if not self.end or service <= self.end:
                self.plan(service, 2, "concession", concession, total)

    def on_concession(self, day: date, concession: str, total: int) -> None:
        self.charge(
            "CONC",
            -total,
            day,
            service=(day, month_end(day)),
            by="office",
            reason="move-in offer",
            approved="regional manager",
            concession=concession,
        )

    def on_new_rent(self, day: date, percent: int) -> None:
        """A renewal, or the yearly recertification of an assisted household (some are decided late)."""
        if self.house.subsidised:
            new = max(self.share_of_rent + self.chance.between(-6, 6) * 1_000, 2_500)
            late = self.chance.permille(250)
            decided = day + timedelta(days=self.chance.between(33, 55)) if late else day - timedelta(days=20)
            if decided > AS_OF:
                decided, late = day, False
            self._certify(day, new, decided)
            if late:
                self.plan(decided, 4, "true_up", day, new, self.share_of_rent)
                self.plan(decided, 5, "share", new)
            else:
                self.share_of_rent = new
            return
        self.rent = share(self.rent, 100 + percent, 100) // 100 * 100
        self._schedule("RENT", self.rent, day)

    def on_share(self, day: date, new: int) -> None:
        self.share_of_rent = new

    def on_true_up(self, day: date, since: date, new: int, old: int) -> None:
        """Months already posted at the old share are put right by corrections dated to each month, known today."""
        month = since
        while month <= month_start(day) and month in self.first_charge_of_rent:
            service = (month, month_end(month))
            if self.end and service[1] > self.end:
                break
            if new != old:
                self.charge(
                    "SUBSIDYCORR",
                    new - old,
                    month,
                    service=service,
                    by="recertification",
                    reason=f"share {money(new)} from {since}",
                    recorded=self.at(day, 9, 9),
                )
                self.charge(
                    "SUBSIDYCORR",
                    old - new,
                    month,
                    service=service,
                    party="subsidy",
                    by="recertification",
                    reason=f"share {money(new)} from {since}",
                    recorded=self.at(day, 9, 9),
                )
            month = next_month(month)

    def on_move_out(self, day: date) -> None:
        if self.chance.permille(420):
            code = self.chance.one_of(("CLEAN", "DMG"))
            self.plan(
                day + timedelta(days=self.chance.between(2, 8)),
                3,
                "move_out_charge",
                code,
                self.chance.between(60, 420) * 100,
            )
        self.plan(day + timedelta(days=self.chance.between(10, 14)), 12, "final_account")

    def on_move_out_charge(self, day: date, code: str, amount: int) -> None:
        self.charge(
            code,
            amount,
            day,
            by="maintenance",
            reason="found at the move-out inspection",
            approved="site manager",
            recorded=self.at(day, 9, 17),
        )

    def on_final_account(self, day: date) -> None:
        """The deposit pays what is owed, the rest goes back; credits are refunded; debts are written off later."""
        if self.balance > 0 and self.deposit > 0:
            used = min(self.balance, self.deposit)
            self.put(
                "deposit_movements",
                movement_id=self.number("d"),
                lease_id=self.lease_id,
                kind="applied",
                amount=money(used),
                occurred_on=day.isoformat(),
                is_rent_deposit="true" if self.house.rent_deposit else "",
                recorded_at=self.at(day, 9, 17),
            )
            self.balance -= used
            self.deposit -= used
        if self.deposit > 0:
            self.put(
                "deposit_movements",
                movement_id=self.number("d"),
                lease_id=self.lease_id,
                kind="refunded",
                amount=money(self.deposit),
                occurred_on=day.isoformat(),
                is_rent_deposit="true" if self.house.rent_deposit else "",
                recorded_at=self.at(day, 9, 17),
            )
            self.deposit = 0
        if self.balance < 0:
            self.put(
                "refunds_of_credit",
                refund_id=self.number("f"),
                lease_id=self.lease_id,
                amount=money(-self.balance),
                paid_on=day.isoformat(),
                recorded_at=self.at(day, 9, 17),
            )
            self.balance = 0
        elif self.balance > 0:
            self.plan(day + timedelta(days=60), 12, "write_off")

    def on_write_off(self, day: date) -> None:
        if self.balance <= 0:
            return
        self.put(
            "write_offs",
            write_off_id=self.number("w"),
            lease_id=self.lease_id,
            amount=money(self.balance),
            written_off_on=day.isoformat(),
            approved_by="controller",
            reason="no answer after final account",
            recorded_at=self.at(day, 9, 17),
        )
        owed, self.balance = self.balance, 0
        if self.chance.permille(300):
            self.plan(day + timedelta(days=self.chance.between(20, 70)), 6, "recovery", max(owed // 3, 1_000))

    def on_recovery(self, day: date, amount: int) -> None:
        self.pay(
            amount, day, channel="third_party", method="check", kind="other_third_party", designation="written_off"
        )
        self.balance = 0

    # --- the lease itself ---------------------------------------------------------------------------------------
    def _schedule(self, code: str, amount: int, since: date) -> None:
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

    def _certify(self, effective: date, tenant_rent: int, decided: date) -> None:
        self.put(
            "rent_certifications",
            certification_id=self.number("z"),
            lease_id=self.lease_id,
            contract_rent=money(self.rent),
            tenant_rent=money(tenant_rent),
            effective_on=effective.isoformat(),
            recorded_at=self.at(decided, 9, 12),
        )

    def live(self) -> None:
        """Play the lease from cut-over or move-in to its end or the as-of date."""
        house, chance = self.house, self.chance
        begins = max(self.start, CUTOVER)
        self._schedule("RENT", self.rent, self.start)
        if house.subsidised:
            self.share_of_rent = chance.between(80, 480) * 100
            self._certify(self.start, self.share_of_rent, min(self.start, AS_OF))
        for code, amount, odds in (
            ("PET", 3_500, 180),
            ("PARK", 7_500, 260),
            ("TRASH", 2_000, 1000 if house.property_id in ("maple1", "sierra1") else 0),
            ("INTERNET", 5_000, 220 if house.property_id == "prairie1" else 0),
            ("INSUR", 1_250, 150),
        ):
            if chance.permille(odds) and not (house.subsidised and code in ("PET", "INSUR")):
                self.extras[code] = amount
                self._schedule(code, amount, self.start)
        if self.start < CUTOVER:
            eve = CUTOVER - timedelta(days=1)
            self.deposit = 40_000 if house.subsidised else self.rent
            self.put(
                "deposit_movements",
                movement_id=self.number("d"),
                lease_id=self.lease_id,
                kind="received",
                amount=money(self.deposit),
                occurred_on=eve.isoformat(),
                is_rent_deposit="true" if house.rent_deposit else "",
            )
            if chance.permille(140):
                owed = share(self.share_of_rent or self.rent, chance.between(20, 110), 100)
                self.put(
                    "opening_balances",
                    opening_id=self.number("o"),
                    lease_id=self.lease_id,
                    as_of=eve.isoformat(),
                    charge_code="RENT",
                    due_on=month_start(eve).isoformat(),
                    amount=money(owed),
                )
                self.balance += owed
            elif chance.permille(50):
                credit = chance.between(20, 300) * 100
                self.put(
                    "opening_balances",
                    opening_id=self.number("o"),
                    lease_id=self.lease_id,
                    as_of=eve.isoformat(),
                    charge_code="RENT",
                    amount=money(-credit),
                )
                self.balance -= credit
        else:
            self.plan(self.start, 0, "move_in")
        self.plan(begins, 1, "month", month_start(begins))
        for each in self.planted:
            if not each.instead:
                self.plan(each.posted_on, 9, "overcharge", each)
        renewal = date(self.start.year + 1, self.start.month, 1)
        while renewal <= AS_OF:
            if renewal >= CUTOVER and not (self.end and renewal > self.end):
                self.plan(renewal - timedelta(days=10), 0, "renewal", renewal, chance.between(2, 5))
            renewal = date(renewal.year + 1, renewal.month, 1)
        if self.end:
            self.plan(self.end, 11, "move_out")
        self.play()

    def on_renewal(self, day: date, first: date, percent: int) -> None:
        self.on_new_rent(first, percent)


def _households(tables: Tables, chance: Chance, lease_id: str, since: date, count: int, email_number: int) -> list[str]:
    people = []
    for n in range(count):
        person_id = f"h-{lease_id}-{n + 1}"
        name = f"{chance.one_of(GIVEN)} {chance.one_of(FAMILY)}"
        tables.setdefault("persons", []).append(
            {"person_id": person_id, "name": name, "email": f"household{email_number}.{n + 1}@example.org"}
        )
        tables.setdefault("lease_parties", []).append(
            {"lease_id": lease_id, "person_id": person_id, "role": "leaseholder", "valid_from": since.isoformat()}
        )
        people.append(person_id)
    return people


def _leases_of_unit(chance: Chance) -> list[tuple[date, date | None, bool]]:
    """The tenancies of one unit: (start, end, whether the household stops paying), some weeks apart."""
    start = CUTOVER - timedelta(days=chance.between(20, 900))
    tenancies: list[tuple[date, date | None, bool]] = []
    while start <= AS_OF:
        turns_over = chance.permille(320)
        stops = turns_over and chance.permille(220)
        if not turns_over:
            tenancies.append((start, None, False))
            break
        end = max(start, CUTOVER) + timedelta(days=chance.between(150, 640))
        if chance.permille(500):
            end = month_end(end)
        if end > AS_OF:
            tenancies.append((start, None, False))
            break
        tenancies.append((start, end, stops))
        start = end + timedelta(days=chance.between(6, 40))
    return tenancies


def town() -> Tables:
    """Every table of the town: rows as text, keyed by table name, in the order in which they were made."""
    tables: Tables = {"persons": [{"person_id": "agency-lakes", "name": "Lakes Region Housing Agency"}]}
    number = 2000
    for house_number, house in enumerate(HOUSES):
        for n in range(house.units):
            chance = Chance(house_number * 1_000 + n + 1)
            unit_number = f"{n // 10 + 1}{n % 10 + 1:02d}"
            unit_id = f"{house.property_id}-{unit_number}"
            rent = chance.between(house.low // 500, house.high // 500) * 500
            tables.setdefault("units", []).append(
                {
                    "unit_id": unit_id,
                    "property_id": house.property_id,
                    "unit_number": unit_number,
                    "market_rent": money(rent),
                }
            )
            for start, end, stops in _leases_of_unit(chance):
                number += 1
                lease_id = f"t{number:07d}"
                habit = chance.one_of(
                    ("auto", "auto", "auto", "ordinary", "ordinary", "ordinary", "late", "partial", "split", "ahead")
                )
                lease = _Lease(
                    house,
                    lease_id,
                    unit_id,
                    start,
                    end,
                    rent,
                    Chance(1_000_000 + number),
                    tables,
                    habit=habit,
                    planted=of_lease(lease_id),
                )
                if stops and end:
                    lease.stops_on = month_start(end - timedelta(days=75))
                elif end is None and lease.chance.permille(45):  # behind today: one to four months unpaid
                    lease.stops_on = month_start(AS_OF - timedelta(days=lease.chance.between(1, 110)))
                if house.property_id in ("aspen1", "willow1") and habit == "late" and chance.permille(300):
                    lease.habit = "ahead"
                tables.setdefault("leases", []).append(
                    {
                        "lease_id": lease_id,
                        "property_id": house.property_id,
                        "unit_id": unit_id,
                        "program": "section8_pbra" if house.subsidised else "market",
                        "billing": "joint",
                        "start_on": start.isoformat(),
                        "end_on": end.isoformat() if end else "",
                        "move_in_on": start.isoformat(),
                        "move_out_on": end.isoformat() if end else "",
                        "rent_due_day": "1",
                        "proration_method": house.proration,
                        "signed_on": (start - timedelta(days=14)).isoformat(),
                    }
                )
                lease.people = _households(
                    tables, chance, lease_id, start, 2 if habit == "split" or chance.permille(350) else 1, number
                )
                if house.subsidised:
                    tables["lease_parties"].append(
                        {
                            "lease_id": lease_id,
                            "person_id": "agency-lakes",
                            "role": "agency",
                            "valid_from": start.isoformat(),
                        }
                    )
                lease.live()
                rent = share(rent, 100 + chance.between(0, 4), 100) // 500 * 500
    _posting_runs(tables)
    return tables


def _posting_runs(tables: Tables) -> None:
    """A row per property and month that posted, with what it posted: 'why was unit 204 not charged' has an answer."""
    posted: dict[str, list[Row]] = {}
    for row in tables["charges"]:
        if "posting_run_id" in row:
            posted.setdefault(row["posting_run_id"], []).append(row)
    tables["posting_runs"] = [
        {
            "posting_run_id": run,
            "property_id": run.split("-")[1],
            "kind": "recurring",
            "business_date": min(r["posted_on"] for r in rows),
            "status": "completed",
            "selected": str(len(rows)),
            "posted": str(len(rows)),
        }
        for run, rows in sorted(posted.items())
    ]
