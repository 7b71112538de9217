"""A tenancy from its first day to its final account, and what is left of it after."""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.sample.amounts import money, share
from orchestration.sample.billing import Billing
from orchestration.sample.days import AS_OF, CUTOVER, month_start, next_month


class Tenancy(Billing):
    """A lease that can be lived."""

    def live(self) -> None:
        """Play the lease from cut-over or move-in to its end or the as-of date."""
        house, chance = self.house, self.chance
        begins = max(self.start, CUTOVER)
        self.schedule("RENT", self.rent, self.start)
        if house.subsidised:
            self.share_of_rent = chance.between(80, 480) * 100
            self.certify(self.start, self.share_of_rent, min(self.start, AS_OF))
        for code, amount, odds in (
            ("PET", 3_500, 180),
            ("PARK", 7_500, 260),
            ("TRASH", 2_000, 1000 if house.property_id in ("maple1", "sierra1") else 0),
            ("INTERNET", 5_000, 220 if house.property_id == "prairie1" else 0),
            ("INSUR", 1_250, 150),
        ):
            if chance.permille(odds) and not (house.subsidised and code in ("PET", "INSUR")):
                self.extras[code] = amount
                self.schedule(code, amount, self.start)
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
