"""How a household pays: in full, in halves, late, ahead, not at all; and how its payments come back."""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.sample.amounts import money
from orchestration.sample.book import Book
from orchestration.sample.days import AS_OF, month_end, next_month


class Paying(Book):
    """What payers, banks and the cash office do."""

    def plan_payments(self, period: date, owed: int) -> None:
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
