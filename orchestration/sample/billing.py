"""What is charged: the monthly run, utilities, late fees, concessions, recertifications, and what is undone."""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.sample.amounts import money, prorated, share
from orchestration.sample.days import AS_OF, month_end, month_start, next_month
from orchestration.sample.houses import fee_day
from orchestration.sample.overcharges import Overcharge
from orchestration.sample.paying import Paying


class Billing(Paying):
    """What the manager charges, as agreed and as the law lets it be, but for the planted overcharges."""

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
        self.plan_payments(period, owed)
        if house.fee != "none":
            self.plan(fee_day(house, max(period, self.start)), 9, "late_fee", period, owed_rent)
        following = next_month(period)
        if self.end is None or following <= self.end:
            self.plan(following - timedelta(days=4) if house.posts_ahead else following, 1, "month", following)

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

    def on_renewal(self, day: date, first: date, percent: int) -> None:
        self.on_new_rent(first, percent)

    def on_new_rent(self, day: date, percent: int) -> None:
        """A renewal, or the yearly recertification of an assisted household (some are decided late)."""
        if self.house.subsidised:
            new = max(self.share_of_rent + self.chance.between(-6, 6) * 1_000, 2_500)
            late = self.chance.permille(250)
            decided = day + timedelta(days=self.chance.between(33, 55)) if late else day - timedelta(days=20)
            if decided > AS_OF:
                decided, late = day, False
            self.certify(day, new, decided)
            if late:
                self.plan(decided, 4, "true_up", day, new, self.share_of_rent)
                self.plan(decided, 5, "share", new)
            else:
                self.share_of_rent = new
            return
        self.rent = share(self.rent, 100 + percent, 100) // 100 * 100
        self.schedule("RENT", self.rent, day)

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
