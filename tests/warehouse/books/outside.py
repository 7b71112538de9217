"""What other people's books say: balances and lines of the general ledger, a bank's deposits, an old system's aging.

Each case is an entity of its own, so that a difference that is planted in one is nobody else's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.warehouse.books.portfolio import Portfolio

BOOKED = "2026-06-30"


def add_outside_books(p: Portfolio) -> None:
    _by_hand(p)
    _control_account(p)
    _timing(p)
    _missing_batch(p)
    _late_in_the_books(p)
    _bank(p)
    _trust(p)
    _go_live(p)


def booked(p: Portfolio, entity: str, as_of: str, **balances: str) -> None:
    """Balances of the books: accounts are named `a1200=...`."""
    for account, balance in balances.items():
        p.add(
            "gl_balances", entity_id=entity, property_id=entity, account=account[1:], as_of=as_of, balance=balance,
            basis="accrual",
        )  # fmt: skip


def entry(p: Portfolio, entity: str, id_: str, on: str, memo: str = "", **amounts: str) -> None:
    """One journal entry of the books; accounts are named `a1200=...`, debit positive."""
    for line_no, (account, amount) in enumerate(amounts.items(), 1):
        p.add(
            "gl_journal_lines", entry_id=f"{entity}-{id_}", line_no=str(line_no), entity_id=entity, property_id=entity,
            account=account[1:], posted_on=on, amount=amount, memo=memo, basis="accrual",
        )  # fmt: skip


def _by_hand(p: Portfolio) -> None:
    """GLT-08: residents owe 5,000, the receivable account says 4,750, and somebody booked 250 by hand."""
    p.case("GLT-08")
    p.charge("GLT-08", "JUN", "5000.00", "2026-06-01")
    booked(p, "GLT-08", BOOKED, a1200="4750.00", a4000="-5000.00", a6999="250.00")
    entry(p, "GLT-08", "JE-1", "2026-06-01", "rents", a1200="5000.00", a4000="-5000.00")
    entry(p, "GLT-08", "JE-17", "2026-06-12", "to agree", a1200="-250.00", a6999="250.00")


def _control_account(p: Portfolio) -> None:
    """GLT-01: the control account says 64,969 and the list of balances 65,132; the facts say 64,216. Four errors in the
    account, four in the list, and the books keep the credit balance of 53 apart, as prepaid."""
    p.case("GLT-01")
    for name in ("BILL", "NOTE", "SMALL", "CREDIT"):
        p.lease(f"GLT-01-{name}", "GLT-01")
    p.charge("GLT-01", "ALL", "131799.00", "2026-06-01")
    p.charge("GLT-01-NOTE", "ALL", "1000.00", "2026-06-01")
    p.charge("GLT-01-SMALL", "ALL", "20.00", "2026-06-01")
    p.charge("GLT-01-BILL", "BILL", "320.00", "2026-06-03")
    p.charge("GLT-01", "RETURNS", "-540.00", "2026-06-04", "CONC")
    p.charge("GLT-01-NOTE", "RETURNS", "-460.00", "2026-06-04", "CONC")
    p.charge("GLT-01", "DISCOUNT", "-15.00", "2026-06-05", "CONC")
    p.payment("GLT-01", "P1", "67855.00", "2026-06-06")
    p.payment("GLT-01-CREDIT", "P1", "53.00", "2026-06-06")
    booked(p, "GLT-01", BOOKED, a1200="65022.00", a2000="-53.00")
    for id_, on, receivable, prepaid in (
        ("1", "2026-06-01", "132819.00", ""),
        ("2", "2026-06-03", "230.00", ""),
        ("3", "2026-06-04", "-100.00", ""),
        ("4", "2026-06-06", "-67927.00", "-53.00"),  # 67,980 in all
    ):
        entry(p, "GLT-01", id_, on, a1200=receivable, **({"a2000": prepaid} if prepaid else {}))
    # The small balance of 20 was left out of the list.
    for lease, amount in (
        ("GLT-01", "63389.00"),
        ("GLT-01-BILL", "230.00"),
        ("GLT-01-NOTE", "1460.00"),
        ("GLT-01-CREDIT", "53.00"),
        ("", "65132.00"),
    ):
        p.add(
            "control_totals", source_report="list of balances", as_of=BOOKED, property_id="GLT-01", lease_id=lease,
            measure="balance", amount=amount,
        )  # fmt: skip


def _timing(p: Portfolio) -> None:
    """Money of the last day of June that the books post on 2 July."""
    p.case("TIMING")
    p.charge("TIMING", "JUN", "800.00", "2026-06-01")
    p.payment("TIMING", "P1", "800.00", "2026-06-30")
    booked(p, "TIMING", BOOKED, a1000="0.00", a1200="800.00", a4000="-800.00")
    booked(p, "TIMING", "2026-07-31", a1000="800.00", a1200="0.00", a4000="-800.00")
    entry(p, "TIMING", "1", "2026-06-01", a1200="800.00", a4000="-800.00")
    entry(p, "TIMING", "2", "2026-07-02", a1000="800.00", a1200="-800.00")


def _missing_batch(p: Portfolio) -> None:
    """Charges were promised for 10 June and no file brought them; nobody promised those of the 20th, made by hand."""
    p.case("NO-BATCH")
    p.add(
        "expected_batches", table_name="charges", period_grain="day", due_days="0", entity_id="NO-BATCH",
        valid_from="2026-06-10", valid_to="2026-06-11",
    )  # fmt: skip
    p.charge("NO-BATCH", "JUN", "500.00", "2026-06-01")
    booked(p, "NO-BATCH", BOOKED, a1200="641.00", a4000="-641.00")
    for id_, on, amount in (
        ("1", "2026-06-01", "500.00"),
        ("2", "2026-06-10", "60.00"),
        ("3", "2026-06-10", "70.00"),
        ("4", "2026-06-20", "5.00"),
        ("5", "2026-06-20", "6.00"),
    ):
        entry(p, "NO-BATCH", id_, on, a1200=amount, a4000=f"-{amount}")


def _late_in_the_books(p: Portfolio) -> None:
    """A check of 2 October that came after October was closed: the books posted it on its own day."""
    p.case("LATE-BOOKS")
    p.charge("LATE-BOOKS", "OCT", "1000.00", "2026-10-01")
    p.close("LATE-BOOKS", "2026-10", "2026-11-05T09:00:00-06:00")
    p.payment("LATE-BOOKS", "P1", "100.00", "2026-10-02", "second", recorded_at="2026-11-06T10:00:00-06:00")
    booked(p, "LATE-BOOKS", "2026-10-31", a1000="100.00", a1200="900.00", a4000="-1000.00")
    entry(p, "LATE-BOOKS", "1", "2026-10-01", a1200="1000.00", a4000="-1000.00")
    entry(p, "LATE-BOOKS", "2", "2026-10-02", a1000="100.00", a1200="-100.00")


def _bank(p: Portfolio) -> None:
    """A settlement account whose bank was heard: one payment arrives ten short, one is taken back."""
    p.case("TRANSIT")
    p.add(
        "collection_arrangements", arrangement_id="ARR2", property_id="TRANSIT", payee_entity_id="TRANSIT",
        model="direct_settlement", settlement_account="bank-1", is_trust_account="false", returns_borne_by="owner",
        agreement_reference="management agreement of 2024", valid_from="2020-01-01",
    )  # fmt: skip
    p.charge("TRANSIT", "JUN", "800.00", "2026-06-01")
    p.payment("TRANSIT", "P1", "500.00", "2026-06-01", settlement_account="bank-1", settled_on="2026-06-03")
    p.payment("TRANSIT", "P2", "300.00", "2026-06-02", settlement_account="bank-1", settled_on="2026-06-05")
    p.returned("TRANSIT", "P1", "500.00", "2026-06-10")
    for id_, amount, on in (
        ("D1", "500.00", "2026-06-03"),
        ("D2", "290.00", "2026-06-05"),
        ("D3", "-500.00", "2026-06-10"),
    ):
        p.add("bank_deposits", deposit_id=id_, settlement_account="bank-1", amount=amount, deposited_on=on)


def _trust(p: Portfolio) -> None:
    """Houses whose deposits lie in one trust account: 40 of what was received never reached the bank. The third house
    is kept in another system, whose owner has the same name."""
    p.entity("TRUST")
    for name in ("TRUST-1", "TRUST-2"):
        p.property(name, "TRUST")
        p.lease(name, name)
        p.add(
            "collection_arrangements", arrangement_id=f"ARR-{name}", property_id=name, payee_entity_id="TRUST",
            model="direct_settlement", settlement_account="trust-1", is_trust_account="true", returns_borne_by="owner",
            agreement_reference="management agreement of 2024", valid_from="2020-01-01",
        )  # fmt: skip
    other, house = "first/other", "TRUST-3"
    p.entity("TRUST", run=other)
    p.property(house, "TRUST", run=other)
    p.add("units", other, unit_id="U3", property_id=house, unit_number="1")
    p.add("leases", other, lease_id=house, property_id=house, unit_id="U3", start_on="2020-01-01", rent_due_day="1")
    p.add("collection_arrangements", other, **{**p.rows["first", "collection_arrangements"][-1], "property_id": house})
    p.add(
        "deposit_movements", other, movement_id="M1", lease_id=house, kind="received", amount="100.00",
        occurred_on="2026-05-04", recorded_at="2026-05-04T12:00:00-06:00",
    )  # fmt: skip
    for lease, id_, kind, amount, on in (
        ("TRUST-1", "M1", "received", "500.00", "2026-04-02"),
        ("TRUST-2", "M1", "received", "300.00", "2026-04-20"),
        ("TRUST-1", "M2", "refunded", "200.00", "2026-05-30"),
    ):
        p.add(
            "deposit_movements", movement_id=f"{lease}-{id_}", lease_id=lease, kind=kind, amount=amount,
            occurred_on=on, recorded_at=f"{on}T12:00:00-06:00",
        )  # fmt: skip
    for id_, amount, on in (
        ("T1", "500.00", "2026-04-03"),
        ("T2", "260.00", "2026-04-21"),
        ("T4", "100.00", "2026-05-05"),
        ("T3", "-200.00", "2026-06-01"),
    ):
        p.add("bank_deposits", deposit_id=id_, settlement_account="trust-1", amount=amount, deposited_on=on)


def _go_live(p: Portfolio) -> None:
    """Two households came over as the old system had them; a third was left behind."""
    p.case("GO-LIVE")
    for name in ("GO-LIVE-2", "GO-LIVE-3"):
        p.lease(name, "GO-LIVE")
    for lease, id_, due_on, amount in (
        ("GO-LIVE", "O1", "2026-01-01", "450.00"),
        ("GO-LIVE", "O2", "2025-11-15", "200.00"),
        ("GO-LIVE-2", "O3", "2026-01-31", "-70.00"),
    ):
        p.add(
            "opening_balances", opening_id=f"{lease}-{id_}", lease_id=lease, as_of="2026-01-31", charge_code="RENT",
            due_on=due_on, amount=amount, recorded_at="2026-02-01T00:00:00-06:00",
        )  # fmt: skip
    for lease, measure, amount in (
        ("GO-LIVE", "days_0_30", "450.00"),
        ("GO-LIVE", "days_61_90", "200.00"),
        ("GO-LIVE", "balance", "650.00"),
        ("GO-LIVE-2", "unapplied_credit", "70.00"),
        ("GO-LIVE-2", "balance", "-70.00"),
        ("GO-LIVE-3", "days_0_30", "25.00"),
        ("GO-LIVE-3", "balance", "25.00"),
    ):
        p.add(
            "control_totals", source_report="aging of the old system", as_of="2026-01-31", property_id="GO-LIVE",
            lease_id=lease, measure=measure, amount=amount,
        )  # fmt: skip
