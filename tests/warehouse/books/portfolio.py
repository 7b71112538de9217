"""Worked cases as files: each case is a lease of an entity of its own, so that its books can be read by themselves.

The files are landed in two runs. The first holds what was known when the months were closed; the second brings what
became known later, and corrected nothing by overwriting it. A case names its own days, so one portfolio holds them all.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path

from tests.warehouse.books.outside import add_outside_books

CHART = (
    ("1000", "Cash", "asset", "cash"),
    ("1010", "Trust cash", "asset", "trust_cash"),
    ("1020", "Platform clearing", "asset", "clearing"),
    ("1200", "Receivable, residents", "asset", "receivable_resident"),
    ("1210", "Receivable, subsidy", "asset", "receivable_subsidy"),
    ("1220", "Receivable, third parties", "asset", "receivable_third_party"),
    ("1290", "Subsidy clearing", "asset", "subsidy_clearing"),
    ("1300", "Agreements receivable", "asset", "agreement_receivable"),
    ("1400", "Deferred rent", "asset", "deferred_rent"),
    ("1900", "Intercompany", "asset", "intercompany"),
    ("2000", "Prepaid", "liability", "prepaid"),
    ("2010", "Suspense", "liability", "suspense"),
    ("2020", "Deposits billed", "liability", "deposits_billed"),
    ("2030", "Deposits held", "liability", "deposits_held"),
    ("2040", "Tax payable", "liability", ""),
    ("3000", "Opening equity", "equity", "opening_equity"),
    ("3100", "Retained earnings", "equity", "retained_earnings"),
    ("4000", "Income", "income", ""),
    ("4100", "Parking income", "income", ""),
    ("4200", "Late fee income", "income", ""),
    ("4300", "Forfeited deposits", "income", "forfeited_deposits"),
    ("4900", "Concessions", "contra_income", ""),
    ("4400", "Unreported income agreements", "income", "unreported_income"),
    ("6000", "Bad debt", "expense", "bad_debt"),
    ("6010", "Bad debt recovered", "income", "bad_debt_recovery"),
    ("6020", "Interest on deposits", "expense", "interest_expense"),
)
CODES = (  # code, category, recurring, counts as rent, account
    ("RENT", "rent", "true", "true", "4000"),
    ("PARKING", "parking", "true", "false", "4100"),
    ("TAX", "tax", "true", "false", "2040"),
    ("LATE", "late_fee", "false", "false", "4200"),
    ("CONC", "concession", "false", "true", "4900"),
    ("DEP", "deposit", "false", "false", "2020"),
    ("SUBSIDY", "subsidy", "true", "true", "1290"),
    ("HAP", "rent", "true", "true", "1290"),
    ("GARAGE", "parking", "true", "false", ""),
)
MOVED = {"GARAGE": (("4100", "2015-01-01", "2026-03-01"), ("4000", "2026-03-01", ""))}


class Portfolio:
    """Rows by run (`first`, `second`) and landing table; `write` makes the two landing folders."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
        for account, name, kind, role in CHART:
            self.add("gl_accounts", chart_id="C1", account=account, name=name, type=kind, role=role)
        for code, category, recurring, counts, account in CODES:
            self.add(
                "charge_codes", charge_code=code, name=code.title(), category=category, is_mandatory="true",
                is_recurring=recurring, in_advertised_price="false", counts_as_rent=counts, prorates="false",
                valid_from="2015-01-01",
            )  # fmt: skip
            for account_, valid_from, valid_to in MOVED.get(code, ((account, "2015-01-01", ""),)):
                self.add(
                    "gl_mappings", chart_id="C1", charge_code=code, account=account_, valid_from=valid_from,
                    valid_to=valid_to,
                )  # fmt: skip

    def add(self, table: str, run: str = "first", **row: str) -> None:
        self.rows[run, table].append(row)

    def entity(self, name: str, **more: str) -> None:
        self.add("entities", entity_id=name, name=f"Entity {name}", currency="USD", chart_id="C1", **more)

    def property(
        self, name: str, entity: str, valid_from: str = "2020-01-01", valid_to: str = "", run: str = "first"
    ) -> None:
        self.add(
            "properties", run, property_id=name, entity_id=entity, name=f"House {name}", jurisdiction="US-TX",
            time_zone="America/Chicago", valid_from=valid_from, valid_to=valid_to,
        )  # fmt: skip

    def lease(self, name: str, property_: str, **more: str) -> None:
        self.add("units", unit_id=f"U-{name}", property_id=property_, unit_number="1")
        row = {"lease_id": name, "property_id": property_, "unit_id": f"U-{name}", "start_on": "2020-01-01"}
        self.add("leases", **{**row, "rent_due_day": "1", **more})

    def case(self, name: str) -> None:
        """An entity, its property and its lease, all named after the case."""
        self.entity(name)
        self.property(name, name)
        self.lease(name, name)

    def close(self, entity: str, period: str, closed_at: str) -> None:
        self.add("period_closes", entity_id=entity, period=period, closed_at=closed_at, closed_by="A. Controller")

    def charge(
        self, lease: str, id_: str, amount: str, on: str, code: str = "RENT", run: str = "first", **more: str
    ) -> None:
        row = {"charge_id": f"{lease}-{id_}", "lease_id": lease, "charge_code": code, "amount": amount, "posted_on": on}
        self.add("charges", run, **{**row, "recorded_at": f"{on}T09:00:00-06:00", **more})

    def payment(self, lease: str, id_: str, amount: str, on: str, run: str = "first", **more: str) -> None:
        row = {"payment_id": f"{lease}-{id_}", "lease_id": lease, "amount": amount, "received_on": on}
        self.add("payments", run, **{**row, "recorded_at": f"{on}T10:00:00-06:00", **more})

    def returned(self, lease: str, payment: str, amount: str, on: str, run: str = "first", **more: str) -> None:
        row = {"reversal_id": f"{lease}-{payment}-R", "payment_id": f"{lease}-{payment}", "amount": amount}
        row |= {"reversed_on": on, "kind": "return", "recorded_at": f"{on}T11:00:00-06:00"}
        self.add("payment_reversals", run, **{**row, **more})

    def write(self, folder: Path) -> None:
        for (run, table), rows in self.rows.items():
            path = folder / run / f"{table}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            columns = list(dict.fromkeys(name for row in rows for name in row))
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns)
                writer.writeheader()
                writer.writerows(rows)
            os.utime(path, (0, 0))  # files of long ago: nobody needs to watch whether they still grow


def add_concessions(p: Portfolio) -> None:
    """Concessions in all three books. Terms are calendar years of 365 days, so that shares are easy to work out."""

    def concession(name: str, kind: str, total: str, term_from: str, term_to: str, **more: str) -> None:
        p.add(
            "concessions", concession_id=f"{name}-K", lease_id=name, kind=kind, total_amount=total, term_from=term_from,
            term_to=term_to, **more,
        )  # fmt: skip

    def given(name: str, id_: str, amount: str, on: str, **more: str) -> None:
        p.charge(name, id_, amount, on, "CONC", concession_id=f"{name}-K", service_from=on, **more)

    # A free month in a lease of twelve: January is given, February and March are paid.
    p.case("FREE")
    concession("FREE", "upfront", "1200.00", "2026-01-01", "2026-12-31")
    given("FREE", "CONC", "-1200.00", "2026-01-01")
    for month in ("01", "02", "03"):
        p.charge("FREE", month, "1200.00", f"2026-{month}-01")
    for month in ("02", "03"):
        p.payment("FREE", f"P{month}", "1200.00", f"2026-{month}-04")

    # The same lease ends on 30 June; what was not earned is charged back.
    p.entity("EARLY")
    p.property("EARLY", "EARLY")
    p.lease("EARLY", "EARLY", move_out_on="2026-06-30")
    concession("EARLY", "upfront", "1200.00", "2026-01-01", "2026-12-31", repayable_on_early_termination="true")
    given("EARLY", "CONC", "-1200.00", "2026-01-01")
    p.charge("EARLY", "JUN", "1200.00", "2026-06-01")
    given("EARLY", "BACK", "604.93", "2026-06-30")

    # The end of 30 September is heard of in December, when October is closed long since.
    p.case("HEARD-LATE")
    concession("HEARD-LATE", "upfront", "1200.00", "2026-01-01", "2026-12-31")
    given("HEARD-LATE", "CONC", "-1200.00", "2026-01-01")
    p.close("HEARD-LATE", "2026-10", "2026-11-05T09:00:00-06:00")
    p.add(
        "leases", "second", lease_id="HEARD-LATE", property_id="HEARD-LATE", unit_id="U-HEARD-LATE",
        start_on="2020-01-01", rent_due_day="1", move_out_on="2026-09-30",
    )  # fmt: skip

    # March is closed when a concession that runs since January is heard of, and the credit for it.
    p.case("TERM-HEARD-LATE")
    p.charge("TERM-HEARD-LATE", "JAN", "1200.00", "2026-01-01")
    p.close("TERM-HEARD-LATE", "2026-03", "2026-04-03T09:00:00-06:00")
    p.add(
        "concessions", "second", concession_id="TERM-HEARD-LATE-K", lease_id="TERM-HEARD-LATE", kind="upfront",
        total_amount="600.00", term_from="2026-01-01", term_to="2026-06-30",
    )  # fmt: skip
    p.charge(
        "TERM-HEARD-LATE", "CONC", "-600.00", "2026-01-15", "CONC", "second", concession_id="TERM-HEARD-LATE-K",
        service_from="2026-01-15", recorded_at="2026-11-10T09:00:00-06:00",
    )  # fmt: skip

    # A renewal is sweetened two weeks before its term begins.
    p.case("RENEWAL")
    concession("RENEWAL", "renewal", "600.00", "2026-07-01", "2027-06-30")
    given("RENEWAL", "CONC", "-600.00", "2026-06-15")

    # What is given in November has been earned since January.
    p.case("LAST-MONTH")
    concession("LAST-MONTH", "upfront", "365.00", "2026-01-01", "2026-12-31")
    given("LAST-MONTH", "CONC", "-365.00", "2026-11-01")


def add_closed_periods(p: Portfolio) -> None:
    """The public cases on closed periods and books that are not in portfolios above."""
    # A return that somebody dates back to the day of the payment, into a closed March.
    p.case("CLO-02")
    p.charge("CLO-02", "MAR", "950.00", "2026-03-01")
    p.payment("CLO-02", "P1", "950.00", "2026-03-03")
    p.close("CLO-02", "2026-03", "2026-04-03T09:00:00-06:00")
    p.returned("CLO-02", "P1", "950.00", "2026-03-03", "second", recorded_at="2026-04-07T09:00:00-06:00")

    # A payment bounces on 30 December and is heard of on 4 January, when December is closed.
    p.case("BOUNCED")
    p.charge("BOUNCED", "DEC", "800.00", "2025-12-01")
    p.payment("BOUNCED", "P1", "800.00", "2025-12-03")
    p.close("BOUNCED", "2025-12", "2026-01-03T09:00:00-06:00")
    p.returned("BOUNCED", "P1", "800.00", "2025-12-30", "second", recorded_at="2026-01-04T09:00:00-06:00")

    # Three closed months, and everything that people try on them.
    p.case("CLO-05")
    for month in (1, 2, 3):
        p.charge("CLO-05", f"M{month}", "100.00", f"2018-0{month}-01")
        p.close("CLO-05", f"2018-0{month}", f"2018-0{month + 1}-05T09:00:00-06:00")
    p.charge("CLO-05", "APR", "100.00", "2018-04-05")
    late = {"recorded_at": "2018-04-10T09:00:00-06:00"}
    p.charge("CLO-05", "ADDED", "30.00", "2018-02-10", "PARKING", "second", **late)
    p.charge("CLO-05", "REV", "-100.00", "2018-02-11", run="second", reverses_charge_id="CLO-05-M2", **late)
    p.charge("CLO-05", "APR", "100.00", "2018-02-05", run="second", **late)
    p.add(
        "period_closes", "second", entity_id="CLO-05", period="2018-02", closed_at="2018-06-01T09:00:00-06:00",
        closed_by="Somebody else",
    )  # fmt: skip

    # Rent lowered back to April in July, after May was closed: four true-ups of 200, the agency takes over what falls
    # off.
    p.case("CLO-08")
    for month in (4, 5, 6, 7):
        p.charge("CLO-08", f"M{month}", "500.00", f"2020-0{month}-01", service_from=f"2020-0{month}-01")
    p.close("CLO-08", "2020-05", "2020-06-05T09:00:00-06:00")
    for month in (4, 5, 6, 7):
        decided = {"recorded_at": "2020-07-10T09:00:00-06:00", "service_from": f"2020-0{month}-01"}
        on = f"2020-0{month}-01"
        p.charge(
            "CLO-08", f"T{month}", "-200.00", on, "SUBSIDY", "second", corrects_charge_id=f"CLO-08-M{month}", **decided
        )
        p.charge("CLO-08", f"A{month}", "200.00", on, "HAP", "second", ledger_party="subsidy", **decided)

    # October is closed, and September with it. What comes late of September pays what a payment of October had paid:
    # that one waits from then on, and pays the rent of November.
    p.case("LATE-AGAIN")
    p.charge("LATE-AGAIN", "SEP", "500.00", "2026-09-01")
    p.payment("LATE-AGAIN", "P1", "500.00", "2026-10-05")
    p.charge("LATE-AGAIN", "NOV", "300.00", "2026-11-01")
    p.close("LATE-AGAIN", "2026-10", "2026-11-05T09:00:00-06:00")
    p.payment("LATE-AGAIN", "P2", "500.00", "2026-09-20", "second", recorded_at="2026-11-10T09:00:00-06:00")
    p.add(
        "repayment_agreements", "second", agreement_id="AG5", lease_id="LATE-AGAIN", kind="unreported_income",
        total="240.00", monthly_amount="40.00", first_month="2026-12-01", signed_on="2026-10-20",
        recorded_at="2026-11-12T09:00:00-06:00",
    )  # fmt: skip

    # Money that a lockbox reports under a system of its own, for a lease and an entity of the default one.
    p.case("LOCKBOX")
    p.charge("LOCKBOX", "SEP", "500.00", "2026-09-01")
    p.payment("LOCKBOX", "P1", "300.00", "2026-09-02", source_system="lockbox")
    p.close("LOCKBOX", "2026-09", "2026-10-04T09:00:00-06:00")
    p.payment(
        "LOCKBOX", "P2", "80.00", "2026-09-10", "second", source_system="lockbox",
        recorded_at="2026-11-10T10:00:00-06:00",
    )  # fmt: skip

    # Eight hundred entries of three lines in tenths that no binary fraction holds.
    p.case("GLT-10")
    for number in range(800):
        on = f"2026-0{number % 6 + 1}-{number % 28 + 1:02}"
        for line, amount in enumerate(("0.10", "0.20", "0.30")):
            p.charge("GLT-10", f"{number}-{line}", amount, on)


def add_moved_debts(p: Portfolio) -> None:
    """Money that pays debts which were moved, refunds of credits, an opening balance that is paid: the cash book."""

    # Rent 300 and parking 100 go into an agreement; an instalment of 200 is paid, and returned later.
    p.case("AGREED")
    p.charge("AGREED", "RENT", "300.00", "2026-01-01")
    p.charge("AGREED", "PARK", "100.00", "2026-01-01", "PARKING")
    p.add(
        "repayment_agreements", agreement_id="AG3", lease_id="AGREED", kind="back_rent", total="400.00",
        monthly_amount="200.00", first_month="2026-03-01", signed_on="2026-02-01",
    )  # fmt: skip
    for id_, kind, from_, to, amount, on in (
        ("T7", "agreement_out", "AGREED", "", "400.00", "2026-02-01"),
        ("T8", "agreement_instalment", "", "AGREED", "200.00", "2026-03-01"),
    ):
        p.add(
            "transfers", transfer_id=id_, kind=kind, from_lease_id=from_, from_party="resident" if from_ else "",
            to_lease_id=to, to_party="resident" if to else "", amount=amount, transferred_on=on, agreement_id="AG3",
            recorded_at=f"{on}T09:00:00-06:00",
        )  # fmt: skip
    p.payment("AGREED", "P1", "200.00", "2026-03-05")
    p.returned("AGREED", "P1", "200.00", "2026-03-20")

    # Instalments of what was never reported are income of their own when they are paid.
    p.case("PAID-LATER")
    p.add(
        "repayment_agreements", agreement_id="AG4", lease_id="PAID-LATER", kind="unreported_income", total="400.00",
        monthly_amount="100.00", first_month="2026-05-01", signed_on="2026-04-20",
    )  # fmt: skip
    p.add(
        "transfers", transfer_id="T9", kind="agreement_instalment", from_lease_id="", from_party="",
        to_lease_id="PAID-LATER", to_party="resident", amount="100.00", transferred_on="2026-05-01", agreement_id="AG4",
        recorded_at="2026-05-01T09:00:00-06:00",
    )  # fmt: skip
    p.payment("PAID-LATER", "P1", "100.00", "2026-05-06")

    # A credit that waits is paid out; an old debt is paid.
    p.case("PAID-OUT")
    p.charge("PAID-OUT", "CONC", "-90.00", "2026-02-01", "CONC")
    p.add(
        "refunds_of_credit", refund_id="PAID-OUT-R", lease_id="PAID-OUT", amount="90.00", paid_on="2026-02-10",
        recorded_at="2026-02-10T09:00:00-06:00",
    )  # fmt: skip
    p.case("OLD-DEBT")
    p.add(
        "opening_balances", opening_id="OLD-DEBT-O", lease_id="OLD-DEBT", as_of="2026-01-31", charge_code="RENT",
        amount="450.00", recorded_at="2026-02-01T00:00:00-06:00",
    )  # fmt: skip
    p.payment("OLD-DEBT", "P1", "450.00", "2026-02-05")


def add_owners_heard_of_late(p: Portfolio) -> None:
    """An earlier owner whose row is landed after closes: the next owner keeps their days, closed months every cent."""
    # The earlier owner has closed further than the later one: its closes say nothing of what was booked without it.
    # Without a close of its own it gets the days that were open still: May to July.
    for heir, former, house in (("HEIR", "FORMER", "INHERITED"), ("HEIR-2", "FORMER-2", "INHERITED-2")):
        p.case(former)
        p.entity(heir)
        p.property(house, heir, valid_from="2026-08-01")
        p.lease(house, house)
        p.charge(house, "APR", "500.00", "2026-04-01")
        p.payment(house, "P1", "200.00", "2026-04-05")
        p.close(heir, "2026-04", "2026-05-05T09:00:00-06:00")
        p.charge(house, "MAY", "500.00", "2026-05-01")
        p.charge(house, "SEP", "500.00", "2026-09-01")
        p.charge(house, "LATE", "60.00", "2026-06-10", "PARKING", recorded_at="2026-10-20T09:00:00-06:00")
        p.property(house, former, valid_from="2019-01-01", valid_to="2026-08-01", run="second")
        p.charge(house, "NOV", "500.00", "2026-11-10", run="second")
        p.charge(house, "OLD", "70.00", "2026-05-20", "PARKING", "second", recorded_at="")
    p.charge("FORMER", "OWN", "90.00", "2026-08-01")
    p.close("FORMER", "2026-09", "2026-10-05T09:00:00-06:00")
    p.close("HEIR", "2026-06", "2026-11-03T09:00:00-06:00")


def books() -> Portfolio:
    """Every case of `figures.csv`, in files."""
    p = Portfolio()

    # The worked example: October closed on 5 November, a check of October keyed on the 6th, the big payment returned.
    p.case("WORKED")
    p.charge("WORKED", "OCT", "1000.00", "2026-10-01")
    p.payment("WORKED", "P1", "1200.00", "2026-10-03")
    p.close("WORKED", "2026-10", "2026-11-05T09:00:00-06:00")
    p.charge("WORKED", "NOV", "1000.00", "2026-11-01")
    p.charge("WORKED", "CONC", "-150.00", "2026-11-01", "CONC", service_from="2026-11-01")
    p.payment("WORKED", "P2", "100.00", "2026-10-02", "second", recorded_at="2026-11-06T10:00:00-06:00")
    p.returned("WORKED", "P1", "1200.00", "2026-11-10", "second")

    # The December payment bounces in January after December is closed.
    p.case("CLO-01")
    p.charge("CLO-01", "DEC", "800.00", "2025-12-01")
    p.payment("CLO-01", "P1", "800.00", "2025-12-03")
    p.close("CLO-01", "2025-12", "2026-01-03T09:00:00-06:00")
    p.returned("CLO-01", "P1", "800.00", "2026-01-04", "second")

    # An entry of a closed year is undone in an open month.
    p.case("CLO-03")
    p.charge("CLO-03", "MAR", "500.00", "2025-03-15")
    p.close("CLO-03", "2025-12", "2026-01-10T09:00:00-06:00")
    p.charge(
        "CLO-03", "REV", "-500.00", "2026-05-25", run="second", reverses_charge_id="CLO-03-MAR", reason="duplicate"
    )

    # A true-up dated in a closed February books on the first day of March, though later months are open too.
    p.case("CLO-06")
    p.charge("CLO-06", "FEB", "500.00", "2022-02-01", service_from="2022-02-01", service_to="2022-02-28")
    p.close("CLO-06", "2022-02", "2022-03-05T09:00:00-06:00")
    p.charge(
        "CLO-06", "TRUE", "-40.00", "2022-02-01", run="second", corrects_charge_id="CLO-06-FEB",
        service_from="2022-02-01", service_to="2022-02-28", recorded_at="2022-03-10T09:00:00-06:00",
    )  # fmt: skip

    # A bill with tax, paid in total.
    p.case("GLT-03")
    p.charge("GLT-03", "PARK", "1168.67", "2022-11-01", "PARKING")
    p.charge("GLT-03", "TAX", "30.21", "2022-11-01", "TAX")
    p.payment("GLT-03", "P1", "1198.88", "2022-11-15")

    # A payment that is not posted yet counts nowhere; once posted it counts everywhere.
    p.case("GLT-04")
    p.charge("GLT-04", "JUN", "10.00", "2026-06-01")
    p.payment("GLT-04", "P1", "5.00", "2026-06-05", "second")

    # A payment keyed twice and corrected: both the row and its reversal count.
    p.case("GLT-05")
    p.charge("GLT-05", "JUN", "900.00", "2026-06-01")
    p.payment("GLT-05", "P1", "300.00", "2026-06-03")
    p.payment("GLT-05", "P2", "300.00", "2026-06-04")
    p.returned("GLT-05", "P1", "300.00", "2026-06-04", kind="correction", reason="keyed twice")

    # A prepayment that had been used for rent bounces.
    p.case("RET-06")
    p.payment("RET-06", "P1", "500.00", "2026-01-25")
    p.charge("RET-06", "FEB", "500.00", "2026-02-01")
    p.returned("RET-06", "P1", "500.00", "2026-02-03")

    # Money without a lease, matched after its month was closed; another receipt goes back unmatched.
    p.case("SUSPENSE")
    p.charge("SUSPENSE", "SEP", "700.00", "2026-09-01")
    for id_, amount in (("P1", "700.00"), ("P2", "60.00")):
        p.payment("SUSPENSE", id_, amount, "2026-09-10", lease_id="", entity_id="SUSPENSE")
    p.returned("SUSPENSE", "P2", "60.00", "2026-09-12")
    p.close("SUSPENSE", "2026-09", "2026-10-04T09:00:00-06:00")
    p.add(
        "payment_matches", "second", payment_id="SUSPENSE-P1", lease_id="SUSPENSE", matched_on="2026-10-06",
        matched_by="A. Clerk", recorded_at="2026-10-06T09:00:00-06:00",
    )  # fmt: skip

    # Money paid to one owner that belongs to a lease of another.
    p.case("PAYEE")
    p.case("FOREIGN")
    p.charge("FOREIGN", "SEP", "400.00", "2026-09-01")
    p.payment("FOREIGN", "P1", "400.00", "2026-09-10", lease_id="", entity_id="PAYEE")
    p.add(
        "payment_matches", payment_id="FOREIGN-P1", lease_id="FOREIGN", matched_on="2026-09-20", matched_by="A. Clerk",
        recorded_at="2026-09-20T09:00:00-06:00",
    )  # fmt: skip

    p.returned("FOREIGN", "P1", "400.00", "2026-10-05")

    # Paid through a platform that bears returns: its clearing account stands for cash, for money without a lease too.
    p.case("PLATFORM")
    p.add(
        "collection_arrangements", arrangement_id="ARR1", property_id="PLATFORM", payee_entity_id="PLATFORM",
        model="licensed_transmitter", settlement_account="platform-1", is_trust_account="false",
        returns_borne_by="platform", agreement_reference="services agreement of 2024", valid_from="2020-01-01",
    )  # fmt: skip
    p.charge("PLATFORM", "JUL", "500.00", "2026-07-01")
    p.payment("PLATFORM", "P1", "500.00", "2026-07-02", settlement_account="platform-1")
    p.payment("PLATFORM", "P2", "40.00", "2026-07-03", lease_id="", settlement_account="platform-1")
    p.returned("PLATFORM", "P1", "500.00", "2026-07-06")
    p.add(
        "payment_matches", payment_id="PLATFORM-P2", lease_id="PLATFORM", matched_on="2026-07-20",
        matched_by="A. Clerk", recorded_at="2026-07-20T09:00:00-06:00",
    )  # fmt: skip

    # A code is booked elsewhere from March on; undoing a February charge takes it out of the account it went to.
    p.case("REMAP")
    p.charge("REMAP", "FEB", "50.00", "2026-02-01", "GARAGE")
    p.charge("REMAP", "MAR", "50.00", "2026-03-01", "GARAGE")
    p.charge("REMAP", "REV", "-50.00", "2026-03-05", "GARAGE", reverses_charge_id="REMAP-FEB")

    # A deposit that was billed, one that was not, interest, an application to debt, a forfeit and a refund.
    p.case("DEPOSIT")
    p.charge("DEPOSIT", "DEP", "500.00", "2026-01-02", "DEP")
    p.payment("DEPOSIT", "P1", "500.00", "2026-01-02", designation="DEP")
    p.charge("DEPOSIT", "JUN", "900.00", "2026-06-01")
    for id_, kind, amount, on, charge in (
        ("M1", "received", "500.00", "2026-01-03", "DEPOSIT-DEP"),
        ("M2", "received", "100.00", "2026-01-04", ""),
        ("M3", "interest", "6.00", "2026-05-31", ""),
        ("M4", "applied", "400.00", "2026-06-10", ""),
        ("M5", "forfeited", "50.00", "2026-06-11", ""),
        ("M6", "refunded", "156.00", "2026-06-12", ""),
    ):
        p.add(
            "deposit_movements", movement_id=f"DEPOSIT-{id_}", lease_id="DEPOSIT", kind=kind, amount=amount,
            occurred_on=on, charge_id=charge, recorded_at=f"{on}T12:00:00-06:00",
        )  # fmt: skip

    # Written off, more than there was; then half of it is recovered after move-out.
    p.entity("WRITEOFF")
    p.property("WRITEOFF", "WRITEOFF")
    p.lease("WRITEOFF", "WRITEOFF", move_out_on="2026-04-30", end_on="2026-04-30")
    p.charge("WRITEOFF", "APR", "600.00", "2026-04-01")
    p.add(
        "write_offs", write_off_id="WRITEOFF-W1", lease_id="WRITEOFF", amount="600.00", written_off_on="2026-06-01",
        approved_by="A. Controller", reason="moved out", recorded_at="2026-06-01T09:00:00-06:00",
    )  # fmt: skip
    p.payment("WRITEOFF", "P1", "250.00", "2026-07-15", designation="written_off")

    # Debt moves to another lease of the house, then to one of another owner, then into an agreement and back in part.
    p.case("MOVE-A")
    p.lease("MOVE-B", "MOVE-A")
    p.case("MOVE-C")
    p.charge("MOVE-A", "JAN", "300.00", "2026-01-01")
    for id_, kind, from_, to, amount, on in (
        ("T1", "account", "MOVE-A", "MOVE-B", "300.00", "2026-02-01"),
        ("T2", "account", "MOVE-B", "MOVE-C", "200.00", "2026-03-01"),
        ("T3", "agreement_out", "MOVE-C", "", "200.00", "2026-04-01"),
        ("T4", "agreement_instalment", "", "MOVE-C", "50.00", "2026-05-01"),
    ):
        p.add(
            "transfers", transfer_id=id_, kind=kind, from_lease_id=from_, from_party="resident" if from_ else "",
            to_lease_id=to, to_party="resident" if to else "", amount=amount, transferred_on=on,
            agreement_id="AG1" if kind.startswith("agreement") else "", recorded_at=f"{on}T09:00:00-06:00",
        )  # fmt: skip
    p.add(
        "repayment_agreements", agreement_id="AG1", lease_id="MOVE-C", kind="back_rent", total="200.00",
        monthly_amount="50.00", first_month="2026-05-01", signed_on="2026-04-01",
    )  # fmt: skip

    # Income that was not reported: an agreement over 400 that was never billed, two instalments, then cancelled.
    p.case("UNREPORTED")
    p.add(
        "repayment_agreements", agreement_id="AG2", lease_id="UNREPORTED", kind="unreported_income", total="400.00",
        monthly_amount="100.00", first_month="2026-05-01", signed_on="2026-04-20",
    )  # fmt: skip
    for id_, on in (("T5", "2026-05-01"), ("T6", "2026-06-01")):
        p.add(
            "transfers", transfer_id=id_, kind="agreement_instalment", from_lease_id="", from_party="",
            to_lease_id="UNREPORTED", to_party="resident", amount="100.00", transferred_on=on, agreement_id="AG2",
            recorded_at=f"{on}T09:00:00-06:00",
        )  # fmt: skip
    p.add("repayment_events", agreement_id="AG2", event="cancelled", occurred_on="2026-06-15", reason="paid elsewhere")

    # Too much was paid and given back: 80 of it had been waiting, 20 had not.
    p.case("REFUND")
    p.payment("REFUND", "P1", "80.00", "2026-03-01")
    p.add(
        "refunds_of_credit", refund_id="REFUND-F1", lease_id="REFUND", amount="100.00", paid_on="2026-03-10",
        recorded_at="2026-03-10T09:00:00-06:00",
    )  # fmt: skip

    # Carried over from the books before: rent owed by one resident, money waiting for another.
    p.case("OPENING")
    p.lease("OPENING-2", "OPENING")
    for lease, amount in (("OPENING", "450.00"), ("OPENING-2", "-70.00")):
        p.add(
            "opening_balances", opening_id=f"{lease}-O", lease_id=lease, as_of="2026-01-31", charge_code="RENT",
            amount=amount, recorded_at="2026-02-01T00:00:00-06:00",
        )  # fmt: skip

    # Contract rent to the resident, the subsidy credited against it and charged to the agency: income once.
    p.entity("SUBSIDY")
    p.property("SUBSIDY", "SUBSIDY")
    p.lease("SUBSIDY", "SUBSIDY", program="voucher")
    p.charge("SUBSIDY", "RENT", "1000.00", "2026-03-01")
    p.charge("SUBSIDY", "CREDIT", "-700.00", "2026-03-01", "SUBSIDY", service_from="2026-03-01")
    p.charge("SUBSIDY", "HAP", "700.00", "2026-03-01", "HAP", ledger_party="subsidy")
    p.payment("SUBSIDY", "P1", "700.00", "2026-03-09", payer_kind="agency", ledger_party="subsidy")

    # A property is sold on 1 July; what was owed and what waited go with it, and a late charge of June comes after.
    p.entity("SELLER")
    p.entity("BUYER")
    p.property("SOLD", "SELLER", valid_to="2026-07-01")
    p.property("SOLD", "BUYER", valid_from="2026-07-01")
    p.lease("SOLD-1", "SOLD")
    p.lease("SOLD-2", "SOLD")
    p.charge("SOLD-1", "JUN", "900.00", "2026-06-01")
    p.payment("SOLD-2", "P1", "120.00", "2026-06-20")
    p.close("SELLER", "2026-06", "2026-07-03T09:00:00-06:00")
    p.charge("SOLD-1", "FEE", "45.00", "2026-06-10", "LATE", recorded_at="2026-07-08T09:00:00-06:00")
    p.payment("SOLD-1", "P1", "900.00", "2026-07-10")

    # A sale of 1 August that became known in December, when the old owner had closed September: it books in October.
    p.case("OLD-OWNER")
    p.entity("NEW-OWNER")
    p.charge("OLD-OWNER", "JUL", "600.00", "2026-07-01")
    p.close("OLD-OWNER", "2026-09", "2026-10-05T09:00:00-06:00")
    p.property("OLD-OWNER", "OLD-OWNER", valid_to="2026-08-01", run="second")
    p.property("OLD-OWNER", "NEW-OWNER", valid_from="2026-08-01", run="second")

    # A fiscal year that ends on a day that most years do not have.
    p.entity("LEAP", fiscal_year_end="02-29")
    p.property("LEAP", "LEAP")
    p.lease("LEAP", "LEAP")
    p.charge("LEAP", "FEB", "100.00", "2025-02-28")
    p.charge("LEAP", "MAR", "70.00", "2025-03-01")

    # A year's result is carried to retained earnings in the first month of the next.
    p.case("YEAR")
    p.charge("YEAR", "DEC", "12000.00", "2025-12-01")
    p.charge("YEAR", "JAN", "1000.00", "2026-01-01")

    add_concessions(p)
    add_moved_debts(p)
    add_closed_periods(p)
    add_owners_heard_of_late(p)
    add_outside_books(p)
    return p
