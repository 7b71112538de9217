"""Leases in many places, each a claim for rent that its forum hears, in one portfolio that one build answers for."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.warehouse.subledger.portfolio import Lease, Portfolio, shifted

AS_OF = "2026-07-31"
PLACES = {
    "on": "CA-ON", "ny": "US-NY", "ca": "US-CA", "wa": "US-WA", "co": "US-CO", "or": "US-OR", "tx": "US-TX",
    "ia": "US-IA", "cm": "ZZ-CM", "city": "ZZ-CM-City", "bad": "ZZ-BAD",
}  # fmt: skip


def rents(lease: Lease, *months: str, amount: str = "1000.00") -> Lease:
    """A month's rent per month (`2026-05`), due on the first, each charge named by its month."""
    for month in months:
        lease.charge(month, "rent", f"{month}-01", amount)
    return lease


def months(first: str, last: str) -> dict[str, str]:
    """A direction of the payer to the service months between two days."""
    return {"covers_from": first, "covers_to": last, "designated_by": "payer"}


@dataclass(frozen=True)
class Story:
    """Rents of January to May in hundreds; payments as (amount, first and last month that it is meant for, or None)."""

    name: str
    rents: tuple[int, ...]
    payments: tuple[tuple[int, int | None, int | None], ...]

    def owing_in_turn(self) -> list[int]:
        """Every payment in turn: on the months it is meant for, then on the earliest rent owing."""
        left = list(self.rents)
        for amount, first, last in self.payments:
            meant = [] if first is None or last is None else list(range(first, last + 1))
            for month in [*meant, *range(len(left))]:
                paid = min(left[month], amount)
                left[month] -= paid
                amount -= paid
        return left


def random_stories() -> list[Story]:
    """Thirty households whose payers directed this and that, the same ones every time."""
    chance = random.Random(11)
    found = []
    for number in range(30):
        rents = tuple(chance.randint(1, 4) for _ in range(5))
        payments: list[tuple[int, int | None, int | None]] = []
        for _ in range(chance.randint(2, 6)):
            first = chance.randrange(5) if chance.random() < 0.7 else None
            last = None if first is None else chance.randrange(first, 5)
            payments.append((chance.randint(1, 5), first, last))
        found.append(Story(f"TURNS-{number}", rents, tuple(payments)))
    return found


def town() -> Portfolio:
    book = Portfolio(properties=PLACES)
    shown = {"purpose": "notice", "rent_deposit": "leave_out", "citation": "a test", "valid_from": "2020-01-01"}
    for forum, place, order, *more in (
        ("ZZ.current", "ZZ-CM", "current_month_first"),
        ("ZZ.city", "ZZ-CM-City", "earliest_rent"),
        ("ZZ.bad", "ZZ-BAD", "earliest_rent"),
        ("ZZ.past", "ZZ-BAD", "earliest_rent", "2026-07-31"),
    ):
        ends = {"valid_to": more[0]} if more else {}
        book.add("forum_rules", forum=forum, version=1, jurisdiction=place, order=order, **shown, **ends)
    book.add(
        "charge_treatments", jurisdiction="ZZ-BAD", purpose="notice", category="nsf_fee", treatment="rent",
        reason="a test", citation="a test", valid_from="2020-01-01",
    )  # fmt: skip

    # A dummy resident: two months of rent, an NSF fee, a partial payment.
    rents(book.lease("DUMMY", "ia"), "2026-05", "2026-06").charge("NSF", "nsf_fee", "2026-05-12", "20.00").pay(
        "P", "2026-06-05", "700.00"
    )
    # The tribunal's own example, and the longer one: May unpaid, the payment of June clears May.
    rents(book.lease("MAY", "on"), "2026-05", "2026-06", amount="1400.00").pay("JUN", "2026-06-01", "1400.00")
    guide = rents(book.lease("GUIDE", "on"), "2026-05", "2026-06", "2026-07", amount="1400.00")
    guide.charge("NSF", "nsf_fee", "2026-06-10", "20.00")
    guide.pay("P1", "2026-06-01", "1400.00").pay("P2", "2026-07-05", "700.00")
    for name, fees in (("PLAIN", 0), ("ONE-NSF", 1), ("TWO-NSF", 2)):
        for place in ("on", "bad"):
            lease = rents(book.lease(f"{name}/{place}", place), "2026-05", "2026-06").pay("P1", "2026-06-01", "1000.00")
            for number in range(fees):
                lease.charge(f"NSF{number}", "nsf_fee", f"2026-05-1{number}", "20.00")
    undone = rents(book.lease("NSF-UNDONE", "on"), "2026-05", "2026-06").pay("P1", "2026-06-01", "1000.00")
    undone.charge("NSF", "nsf_fee", "2026-05-12", "20.00").reverse("UNDO", "NSF", "nsf_fee", "2026-05-13", "-20.00")
    part = rents(book.lease("NSF-PART-PAID", "on"), "2026-05").charge("NSF", "nsf_fee", "2026-05-12", "20.00")
    part.charge("LATE", "late_fee", "2026-05-06", "30.00")
    part.pay("FEE", "2026-05-20", "5.00", designation="fees", designated_by="payer")
    over = rents(book.lease("NSF-OVERPAID", "on"), "2026-05").charge("NSF", "nsf_fee", "2026-05-12", "20.00")
    over.pay("P", "2026-06-05", "1008.00")
    for held in ("DEPOSIT", "DEPOSIT-2"):
        deposit = rents(book.lease(held, "on"), "2026-06", "2026-07", amount="1400.00")
        for name, kind, amount in (("D", "received", "1400.00"), ("I", "interest", "35.00")):
            deposit.add(
                "deposit_movements", movement_id=f"{held}.{name}", kind=kind, amount=amount, occurred_on="2026-05-01",
                is_rent_deposit="true",
            )  # fmt: skip

    # What the payer directed, in a place whose forum heeds it and in one whose forum does not.
    for place in ("ny", "ia"):
        lease = rents(book.lease(f"ALL-03/{place}", place), "2016-01", "2016-02", "2016-03")
        lease.pay("P1", "2016-02-27", "1000.00", **months("2016-02-01", "2016-02-29"))
        lease.pay("P2", "2016-03-28", "1000.00", **months("2016-03-01", "2016-03-31"))
    many = rents(book.lease("TWO-MONTHS", "ny"), "2026-01", "2026-02", "2026-03", "2026-04")
    many.pay("P1", "2026-04-05", "1500.00", **months("2026-02-01", "2026-03-31"))
    many.pay("P2", "2026-04-06", "1000.00", **months("2026-02-01", "2026-02-28"))
    many.pay("P3", "2026-04-07", "500.00")
    back = rents(book.lease("DIRECTED-BACK", "ny"), "2026-01", "2026-02")
    back.pay("P1", "2026-02-10", "1000.00", **months("2026-02-01", "2026-02-28"))
    back.back("R1", "P1", "2026-02-14", "400.00")
    for place in ("cm", "city"):
        lease = rents(book.lease(f"CURRENT/{place}", place), "2026-01", "2026-02", "2026-03")
        lease.pay("P", "2026-02-05", "1200.00")

    old = rents(book.lease("ALL-04", "tx"), *(f"2019-0{month}" for month in range(1, 8)))
    old.add("opening_balances", opening_id="ALL-04.OLD", as_of="2018-12-03", charge_code="rent", amount="3132.95")
    old.pay("P", "2019-07-11", "7184.00")

    # A cheque for all the arrears that was honoured, and one that came back.
    for name in ("RET-05", "RET-05/back"):
        cheque = book.lease(name, "tx")
        for week in range(17):
            cheque.charge(f"W{week:02}", "rent", shifted("2002-06-03", 7 * week), "100.00")
        cheque.pay("CHQ", "2002-10-01", "1700.00")
    cheque.back("R", "CHQ", "2002-10-06", "1700.00")

    # A year and no more: due on the last day that may be demanded, and on the day before.
    for name, due in (("IN-YEAR", "2025-07-31"), ("OUT-OF-YEAR", "2025-07-30")):
        rents(book.lease(name, "ca").charge("OLD", "rent", due, "100.00"), "2026-07").pay("P", "2025-08-01", "40.00")
    split = book.lease("SPLIT", "tx", program="section8_pbra").charge("TEN", "rent", "2026-06-01", "300.00")
    split.charge("HUD", "rent", "2026-06-01", "700.00", ledger_party="subsidy").pay("P", "2026-06-03", "100.00")
    for place in ("wa", "co", "or", "ny"):
        lease = rents(book.lease(f"CHARGES/{place}", place), "2026-07")
        lease.charge("LATE", "late_fee", "2026-07-10", "50.00").charge("POWER", "utility", "2026-07-11", "90.00").pay(
            "P", "2026-07-12", "300.00"
        )

    for story in random_stories():
        lease = book.lease(story.name, "ny")
        for month, rent in enumerate(story.rents, start=1):
            lease.charge(f"M{month}", "rent", f"2026-0{month}-01", f"{rent}00.00")
        for day, (amount, first, last) in enumerate(story.payments, start=10):
            meant = {} if first is None or last is None else months(f"2026-0{first + 1}-01", f"2026-0{last + 1}-28")
            lease.pay(f"P{day}", f"2026-06-{day}", f"{amount}00.00", **meant)

    # One lease under many orders.
    orders = book.lease("ORDERS", "ia").charge("NSF", "nsf_fee", "2025-12-20", "50.00")
    rents(orders, "2026-01", "2026-02").charge("DMG", "damage", "2026-02-10", "1500.00")
    orders.charge("PET", "pet", "2026-02-12", "30.00")
    orders.charge("LATER", "rent", "2026-02-14", "700.00", due_on="2026-08-01")
    orders.pay("P", "2026-02-15", "1800.00", **months("2026-02-01", "2026-02-28"))
    rents(book.lease("NO-MATTER", "ia"), "2026-06").pay("P", "2026-06-02", "400.00")
    return book
