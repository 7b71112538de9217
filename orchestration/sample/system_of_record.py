"""What the system of record of two properties did with their money: it paid what was due longest, of any kind.

At Rainier Place and Willow Yard the law pays rent first. The system in use there knows one order, the oldest due first,
and was never told of the law: a water bill of last month is paid before the rent of this one. Its journal is exported
as `source_applications`, for the audit to show what that order moved. This is a simulation of such a system, simple on
purpose, so that its errors are the ones a reader can explain:

* a charge opens on the day it posts; money goes to the oldest due day, then the
  oldest posting, then the id; what finds nothing waits and is tried when something opens;
* a credit that names a charge lowers that charge, any other the charge of its own service month first;
* what a reversed charge had taken, and what a returned payment had paid, is undone by negative rows;
* it knows no designation and no law, and of what is not a payment (credits, deposits, write-offs) it exports no row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

Row = dict[str, str]
PROPERTIES = ("rainier1", "willow1")
COLUMNS = ("payment_id", "charge_id", "amount", "applied_on")
ZERO = Decimal(0)


@dataclass
class Charge:
    """A charge as the system holds it: what is open, and where in the line it stands."""

    charge_id: str
    due_on: str
    posted_on: str
    service_from: str
    code: str
    open: Decimal


@dataclass
class Money:
    """Something that pays: what waits of it, and what it paid, in order."""

    name: str
    received_on: str
    is_payment: bool
    waiting: Decimal
    paid: list[tuple[Charge, Decimal]] = field(default_factory=list)


class Account:
    """One ledger of one lease in the system, played day by day."""

    def __init__(self) -> None:
        self.charges: dict[str, Charge] = {}
        self.money: dict[str, Money] = {}
        self.journal: dict[tuple[str, str, str], Decimal] = defaultdict(lambda: ZERO)

    def play(self, events: Iterable[tuple[str, int, str, str, Row]]) -> None:
        """Play events (day, place in the day, id, what it is, row) in their order."""
        for day, _, _, what, row in sorted(events, key=lambda event: event[:3]):
            getattr(self, what)(day, row)
            for money in self.money.values():
                self._pay(money, self._line(), day)

    def charge(self, day: str, row: Row) -> None:
        self._open(Charge(
            row["charge_id"], row.get("due_on") or day, day, row.get("service_from", ""), row["charge_code"],
            Decimal(row["amount"]),
        ))  # fmt: skip

    def opening(self, day: str, row: Row) -> None:
        amount = Decimal(row["amount"])
        if amount > 0:
            self._open(Charge(row["opening_id"], row.get("due_on") or day, day, "", row["charge_code"], amount))
        else:
            self.money[row["opening_id"]] = Money(row["opening_id"], day, False, -amount)

    def credit(self, day: str, row: Row) -> None:
        amount = -Decimal(row["amount"])
        undone = self.charges.get(row.get("reverses_charge_id", ""))
        if undone is not None and self._whole(undone) == amount:
            for money in reversed(self.money.values()):
                self._undo(money, day, amount, only=undone)
            del self.charges[undone.charge_id]
            return
        money = self.money[row["charge_id"]] = Money(row["charge_id"], day, False, amount)
        named = self.charges.get(row.get("corrects_charge_id") or row.get("reverses_charge_id", ""))
        own = [one for one in self._line() if row.get("service_from") and one.service_from == row["service_from"]]
        self._pay(money, [named] if named else [one for one in own if one.code == "RENT"], day)

    def payment(self, day: str, row: Row) -> None:
        self.money[row["payment_id"]] = Money(row["payment_id"], day, True, Decimal(row["amount"]))

    def other_money(self, day: str, row: Row) -> None:
        name = row.get("movement_id") or row["write_off_id"]
        self.money[name] = Money(name, day, False, Decimal(row["amount"]))

    def taken_back(self, day: str, row: Row) -> None:
        money = self.money.get(row["payment_id"])
        if money is None:
            return
        rest = Decimal(row["amount"])
        waiting = min(money.waiting, rest)
        money.waiting -= waiting
        self._undo(money, day, rest - waiting)
        money.waiting -= rest - waiting

    def refund(self, day: str, row: Row) -> None:
        rest = Decimal(row["amount"])
        for money in self.money.values():
            taken = min(money.waiting, rest)
            money.waiting -= taken
            rest -= taken

    def _open(self, charge: Charge) -> None:
        self.charges[charge.charge_id] = charge

    def _line(self) -> list[Charge]:
        line = [charge for charge in self.charges.values() if charge.open > 0]
        return sorted(line, key=lambda charge: (charge.due_on, charge.posted_on, charge.charge_id))

    def _whole(self, charge: Charge) -> Decimal:
        paid = sum((part for money in self.money.values() for one, part in money.paid if one is charge), ZERO)
        return charge.open + paid

    def _pay(self, money: Money, line: Iterable[Charge], day: str) -> None:
        for charge in line:
            part = min(money.waiting, charge.open)
            if part <= 0:
                continue
            money.waiting -= part
            charge.open -= part
            money.paid.append((charge, part))
            self._note(money, charge, day, part)

    def _undo(self, money: Money, day: str, rest: Decimal, only: Charge | None = None) -> None:
        """Undo what a payment paid, newest first, up to an amount: the charges are open again, the money waits."""
        for place in range(len(money.paid) - 1, -1, -1):
            charge, part = money.paid[place]
            if rest <= 0 or (only is not None and charge is not only):
                continue
            back = min(part, rest)
            rest -= back
            money.paid[place] = (charge, part - back)
            charge.open += back
            money.waiting += back
            self._note(money, charge, day, -back)

    def _note(self, money: Money, charge: Charge, day: str, amount: Decimal) -> None:
        if money.is_payment:
            self.journal[money.name, charge.charge_id, day] += amount


def source_applications(tables: Mapping[str, Iterable[Row]]) -> list[Row]:
    """The system's journal for the resident ledgers of its two properties, a row per payment, charge and day.

    `tables` are rows of the landing files by table, empty text for no value. Rows that came to nothing on their day
    are not exported, as such systems net within a day.
    """
    leases = {row["lease_id"] for row in tables["leases"] if row["property_id"] in PROPERTIES}
    matched = {row["payment_id"]: row for row in tables.get("payment_matches", ())}
    events: dict[str, list[tuple[str, int, str, str, Row]]] = defaultdict(list)
    payer: dict[str, str] = {}

    def add(lease: str, day: str, place: int, name: str, what: str, row: Row) -> None:
        if lease in leases and (row.get("ledger_party") or "resident") == "resident":
            events[lease].append((day, place, name, what, row))

    for row in tables.get("opening_balances", ()):
        add(row["lease_id"], row["as_of"], 0, row["opening_id"], "opening", row)
    for row in tables["charges"]:
        what, place = ("charge", 1) if Decimal(row["amount"]) > 0 else ("credit", 2)
        add(row["lease_id"], row["posted_on"], place, row["charge_id"], what, row)
    for row in tables["payments"]:
        match = matched.get(row["payment_id"])
        lease = match["lease_id"] if match else row.get("lease_id", "")
        day = max(row["received_on"], match["matched_on"]) if match else row["received_on"]
        if (row.get("payer_kind") or "resident") != "agency":
            payer[row["payment_id"]] = lease
            add(lease, day, 3, row["payment_id"], "payment", row)
    for row in tables.get("deposit_movements", ()):
        if row["kind"] == "applied":
            add(row["lease_id"], row["occurred_on"], 3, row["movement_id"], "other_money", row)
    for row in tables.get("write_offs", ()):
        add(row["lease_id"], row["written_off_on"], 3, row["write_off_id"], "other_money", row)
    for row in tables.get("payment_reversals", ()):
        lease = payer.get(row["payment_id"], "")
        add(lease, row["reversed_on"], 5, row["reversal_id"], "taken_back", row)
    for row in tables.get("refunds_of_credit", ()):
        add(row["lease_id"], row["paid_on"], 5, row["refund_id"], "refund", row)

    rows: list[Row] = []
    for lease in sorted(events):
        account = Account()
        account.play(events[lease])
        for (payment, charge, day), amount in sorted(account.journal.items(), key=lambda item: (item[0][2], item[0])):
            if amount:
                rows.append({"payment_id": payment, "charge_id": charge, "amount": f"{amount}", "applied_on": day})
    return rows
