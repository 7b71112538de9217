"""The shipped profiles on files of their systems: what loads, what is held and why, what each rule sets aside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.landing import FileRefused
from orchestration.profiles.parse import load_profile, parse_profile
from orchestration.profiles.read import read_profiled
from orchestration.profiles.shelf import load_folder, shipped_folder
from tests.landing.portfolio import CODE, Door, portfolio

FIXTURES = Path(__file__).parent / "profiles"
SHIPPED = sorted(shipped_folder().glob("*.yaml"))


def leases(*ids: str) -> dict[str, list[dict[str, str]]]:
    return {"leases": [{"lease_id": i, "property_id": "P1", "unit_id": "U1", "start_on": "2019-01-01"} for i in ids]}


def codes(*ids: str, category: str = "other") -> dict[str, list[dict[str, str]]]:
    return {"charge_codes": [{"charge_code": i, "name": i, "category": category, **CODE} for i in ids]}


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A portfolio with the contacts and customers as leases, and the samples of both packages, landed in one run."""
    door = Door(tmp_path_factory.mktemp("books"))
    door.write(portfolio())
    contacts = ("b958faad-9781-4ca5-a654-7bb3e22be5a5", "cfeedcb2-65d8-4f36-af83-5b3cb971bf20")
    door.write({**leases(*contacts), **codes("200", "TAX")}, "-xero", "xero")
    door.write({**leases("4783"), **codes("9999", "100", "TAX", "DISCOUNT")}, "-books", "quickbooks")
    for system in ("quickbooks", "xero"):
        for path in (FIXTURES / system).glob("*.csv"):
            shutil.copy(path, door.folder / system / path.name)
    report = door.land()
    assert not report.refused, report.refused
    yield door


def held(door: Door, file: str) -> list[tuple[int, str]]:
    return door.rows(
        "SELECT row_number, reason FROM landing.quarantine WHERE file LIKE ? ORDER BY 1", ["%/" + file + ".csv"]
    )


def test_every_shipped_profile_can_be_used_and_has_a_name_of_its_file() -> None:
    profiles = load_folder(shipped_folder())
    assert len(profiles) == len(SHIPPED) >= 8
    assert [profile.name for profile in profiles] == [path.stem for path in SHIPPED]


def test_rows_and_cents_of_profiled_files_are_accounted_for(books: Door) -> None:
    assert books.untied() == []
    assert len(books.rows("SELECT DISTINCT file FROM landing.batches WHERE profile IS NOT NULL")) == 6


def test_xero_lines_become_charges_dated_and_placed_by_their_invoices(books: Door) -> None:
    found = books.rows(
        "SELECT lease_id, posted_on, due_on, amount, row_number FROM landing.charges WHERE source_system = 'xero'"
        " ORDER BY row_number"
    )
    assert len(found) == 9
    assert found[0] == ("b958faad-9781-4ca5-a654-7bb3e22be5a5", "2019-12-31", "2020-01-27", "3000.00", 2)
    assert sum(Decimal(row[3]) for row in found) == Decimal("43835.00")
    # Four lines are of a contact that was not landed as a lease: 4 x 2,250.00.
    assert held(books, "xero_invoice_line_item_data") == [(row, "unknown_reference") for row in (10, 11, 12, 13)]


def test_xero_invoices_give_what_was_paid_on_them(books: Door) -> None:
    paid = books.rows(
        "SELECT count(*), sum(CAST(amount AS DECIMAL(18,2))) FROM landing.payments WHERE source_system = 'xero'"
    )
    assert paid == [(8, Decimal("42350.00"))]
    unpaid = books.rows(
        "SELECT rule, count(*) FROM landing.skipped_rows WHERE file LIKE 'xero/xero_invoice_d%' GROUP BY ALL"
    )
    assert unpaid == [("invoices on which nothing was paid or credited", 5)]
    assert held(books, "xero_invoice_data") == []


@pytest.mark.parametrize(
    ("row", "paid", "due", "total"),
    [(3, "9750", "0", "9751"), (10, "0", "2250", "2251")],
    ids=["paid", "not paid, and no data but for this"],
)
def test_an_xero_invoice_that_does_not_add_up_is_held_and_named(row: int, paid: str, due: str, total: str) -> None:
    profile = load_profile(shipped_folder() / "xero-invoices.yaml")
    data = (FIXTURES / "xero" / "xero_invoice_data.csv").read_text().splitlines(keepends=True)
    sound = int(paid) + int(due)
    data[row - 1] = data[row - 1].replace(f",0,{due},{paid},{sound},{sound},0,", f",0,{due},{paid},{sound},{total},0,")
    read = read_profiled(profile, "xero_invoice_data.csv", "".join(data).encode(), "xero", {})
    frame = read.parts[0].read.frame
    faulty = frame.filter(frame["profile_fault"].is_not_null())
    assert faulty["row_number"].to_list() == [row]
    assert faulty["profile_fault"].to_list() == ["profile_check_failed"]
    assert faulty["profile_detail"][0].startswith(
        f"total = paid + credited + due: found total = {total}.00 and amount_paid + amount_credited + amount_due ="
        f" {sound}.00; expected them equal"
    )


def test_what_is_credited_on_an_invoice_or_paid_without_a_day_is_not_lost() -> None:
    profile = load_profile(shipped_folder() / "xero-invoices.yaml")
    head = "invoice_id,contact_id,date,fully_paid_on_date,amount_credited,amount_due,amount_paid,total,"
    head += "invoice_number,status,type\n"
    data = head + "I1,K1,2026-10-01,,100,500,400,1000,INV-1,AUTHORISED,ACCREC\n"
    paid, credited = read_profiled(profile, "xero_invoice_data.csv", data.encode(), "xero", {}).parts
    assert paid.read.frame.select("payment_id", "amount", "received_on").rows() == [("I1-paid", "400.00", None)]
    assert credited.read.frame.select("charge_id", "amount", "posted_on").rows() == [("I1-credited", "-100.00", None)]


def test_quickbooks_lines_load_where_their_invoice_is_there_and_adds_up(books: Door) -> None:
    loaded = books.rows(
        "SELECT charge_id, lease_id, charge_code, amount, posted_on, due_on FROM landing.charges"
        " WHERE source_system = 'quickbooks' ORDER BY charge_id"
    )
    assert loaded == [
        ("40114-1", "4783", "100", "1000.00", "2021-01-19", "2021-02-03"),
        ("40114-2", "4783", "9999", "175.00", "2021-01-19", "2021-02-03"),
        ("40114-3", "4783", "9999", "55650.00", "2021-01-19", "2021-02-03"),
        ("40114-tax", "4783", "TAX", "5682.50", "2021-01-19", "2021-02-03"),
        ("40115-1", "4783", "9999", "1005.00", "2021-02-03", "2021-02-03"),
        ("40115-tax", "4783", "TAX", "10.05", "2021-02-03", "2021-02-03"),
        ("40116-1", "4783", "9999", "500.00", "2021-02-03", "2021-02-03"),
        ("40116-tax", "4783", "TAX", "4.00", "2021-02-03", "2021-02-03"),
    ]
    # 35647 and 40092 have no invoice here; the lines of 40113 and 50001 are not the invoice: 2,500.00 of 565,214.00
    # and 2,000.00 of 1,000.00.
    unjoined, unequal = "not_in_joined_file", "profile_check_failed"
    assert held(books, "invoice_line_data") == [
        *((row, unjoined) for row in (2, 3, 4, 5, 6, 7, 8)),
        (14, unequal), (22, unequal), (23, unequal),
    ]  # fmt: skip
    (detail,) = books.rows(
        "SELECT detail FROM landing.quarantine WHERE row_number = 22 AND file LIKE '%invoice_line%'"
    )[0]
    assert "found amount = 2000.00 over the rows of invoice_id 50001" in detail
    assert "invoice.total_amount - invoice.total_tax = 1000.00" in detail


def test_quickbooks_subtotals_and_deleted_invoices_are_set_aside_by_name(books: Door) -> None:
    counted = books.rows(
        "SELECT rule, count(*), min(row_number), max(row_number) FROM landing.skipped_rows WHERE file LIKE"
        " 'quickbooks/invoice_line%' GROUP BY rule ORDER BY rule"
    )
    assert counted == [("lines of deleted invoices", 1, 15, 15), ("subtotal lines", 6, 9, 20)]


def test_quickbooks_payments_of_unknown_customers_are_money_in_suspense(books: Door) -> None:
    found = books.rows(
        "SELECT count(*), count(lease_key), sum(CAST(amount AS DECIMAL(18,2))) FROM landing.payments"
        " WHERE source_system = 'quickbooks'"
    )
    assert found == [(12, 0, Decimal("166553.72"))]
    # One payment line in twelve finds its payment.
    assert [row for row in held(books, "payment_line_data")] == [(row, "not_in_joined_file") for row in range(2, 13)]
    assert books.rows("SELECT payment_id, charge_id, amount, applied_on FROM landing.source_applications") == [
        ("9001", "50001", "1000.00", "2026-02-01")
    ]


def test_assistance_lines_charge_the_agency_and_credit_the_resident(tmp_path: Path) -> None:
    door = Door(tmp_path)
    door.write(portfolio())
    door.write({**leases("101", "102"), **codes("SUBSIDY", category="subsidy")}, "-hud", "hud")
    shutil.copy(FIXTURES / "hud-52670-A.csv", door.folder / "hud")
    assert not door.land().refused
    assert door.rows(
        "SELECT lease_id, ledger_party, amount, posted_on, service_to, row_number FROM landing.charges ORDER BY 1, 2"
    ) == [
        ("101", "resident", "-900.00", "2026-10-01", "2026-10-31", 5),
        ("101", "subsidy", "900.00", "2026-10-01", "2026-10-31", 5),
        ("102", "resident", "120.00", "2026-10-01", "2026-10-31", 6),
        ("102", "subsidy", "-120.00", "2026-10-01", "2026-10-31", 6),
    ]
    # 900.00 + 40.00 is not 950.00: the line is held on both sides, so that the two never part.
    assert door.rows("SELECT row_number, reason, count(*) FROM landing.quarantine GROUP BY ALL") == [
        (7, "profile_check_failed", 2)
    ]
    assert door.untied() == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_profile_takes_no_file_that_is_named_after_a_table(path: Path) -> None:
    from orchestration.contract import contract
    from orchestration.landing.read import table_of

    profile = parse_profile(path.name, path.read_text())
    names = [pattern.replace("*", "") for pattern in profile.files]
    assert [table_of(name, tuple(contract().tables)) for name in names] == [None] * len(names)


LINES = {
    "charge": '2026-10-01,L1,{id},RENT,Total loss of key,"1,500.00",-',
    "credit": "2026-10-02,L1,{id},RENT,Concession,,($50.00)",
    "payment": "2026-10-03,L1,{id},PMT,check,,20.5",
    "money without a code": "2026-10-03,L1,{id},,check,-,20.50",
    "both": "2026-10-03,L1,{id},PMT,check,1.00,20.50",
    "neither": "2026-10-03,L1,{id},RENT,Balance forward,,-",
    "unreadable": "2026-10-03,L1,{id},RENT,x,1.234,",
    "total": ',,,,Sub total,"9,999.00",9.00',
    "forward": ",,,,Balance forward,5.00,",
    "blank": ",,,,,,",
}
PLACES = {
    "charge": "charges", "credit": "credits", "payment": "payments", "money without a code": "payments",
    "both": "held two_places_in_profile", "neither": "held no_place_in_profile", "unreadable": "held not_an_amount",
    "total": "total rows", "forward": "balances brought or carried forward", "blank": "blank rows",
}  # fmt: skip


@settings(max_examples=2_000 if os.environ.get("TIEOUT_PROOF") == "full" else 30, deadline=None)
@given(st.lists(st.sampled_from(sorted(LINES)), min_size=1, max_size=25), st.integers(0, 4))
def test_every_row_of_a_ledger_is_in_one_place_whatever_stands_beside_it(kinds: list[str], titles: int) -> None:
    lines = [f"Title {n}" for n in range(titles)] + ["Date,Lease,Transaction,Code,Description,Debit,Credit"]
    lines += [LINES[kind].format(id=f"T{n}") for n, kind in enumerate(kinds)]
    profile = load_profile(shipped_folder() / "charges-and-payments.yaml")
    expected = {number + titles + 2: PLACES[kind] for number, kind in enumerate(kinds)}
    expected |= {number + 1: "title lines" for number in range(titles)}
    if not {kind for kind in kinds} - {"total", "forward", "blank"}:
        if {kind for kind in kinds} - {"blank"}:
            with pytest.raises(FileRefused, match="every one set aside"):
                read_profiled(profile, "transactions.csv", "\n".join(lines).encode(), "x", {})
        return
    read = read_profiled(profile, "transactions.csv", "\n".join(lines).encode(), "x", {})
    found = {row["row_number"]: row["rule"] for row in read.skipped.iter_rows(named=True)}
    for part in read.parts:
        for row in part.read.frame.iter_rows(named=True):
            assert row["row_number"] not in found
            fault = row["profile_fault"]
            found[row["row_number"]] = f"held {fault}" if fault else part.output.name
    assert found == expected
