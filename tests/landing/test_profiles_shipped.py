"""The shipped profiles on files of their systems: what loads, what is held and why, what each rule sets aside."""

from __future__ import annotations

import csv
import io
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
ADA, BO = "c0000000-0000-4000-8000-000000000001", "c0000000-0000-4000-8000-000000000002"


def leases(*ids: str) -> dict[str, list[dict[str, str]]]:
    return {"leases": [{"lease_id": i, "property_id": "P1", "unit_id": "U1", "start_on": "2019-01-01"} for i in ids]}


def codes(*ids: str, category: str = "other") -> dict[str, list[dict[str, str]]]:
    return {"charge_codes": [{"charge_code": i, "name": i, "category": category, **CODE} for i in ids]}


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A portfolio with two contacts and a customer as leases, and the tables of both systems, landed in one run."""
    door = Door(tmp_path_factory.mktemp("books"))
    door.write(portfolio())
    door.write({**leases(ADA, BO), **codes("200", "210", "TAX", "CREDIT")}, "-xero", "xero")
    door.write({**leases("301"), **codes("11", "12", "TAX", "DISCOUNT")}, "-books", "quickbooks")
    for system in ("quickbooks", "xero"):
        for path in (FIXTURES / f"{system}_invented").glob("*.csv"):
            shutil.copy(path, door.folder / system / path.name)
    report = door.land()
    assert not report.refused, report.refused
    yield door


def held(door: Door, file: str) -> list[tuple[int, str]]:
    return door.rows(
        "SELECT row_number, reason FROM landing.quarantine WHERE file LIKE ? ORDER BY 1", ["%/" + file + ".csv"]
    )


def set_aside(door: Door, file: str) -> list[tuple[str, list[int]]]:
    return door.rows(
        "SELECT rule, list(row_number ORDER BY row_number) FROM landing.skipped_rows WHERE file LIKE ?"
        " GROUP BY rule ORDER BY rule",
        [file + "%"],
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
        "SELECT lease_id, charge_code, posted_on, due_on, amount, row_number FROM landing.charges"
        " WHERE file LIKE 'xero/xero_invoice_line%' ORDER BY row_number, charge_code"
    )
    january, february, march = ((f"2026-{month}-01", f"2026-{month}-05") for month in ("01", "02", "03"))
    assert found == [
        (ADA, "200", *january, "1400.00", 2),
        (ADA, "210", *january, "50.00", 3),
        (BO, "200", *january, "1200.00", 4),
        (BO, "210", *january, "100.00", 5),
        (BO, "TAX", *january, "8.25", 5),
        (ADA, "200", *february, "1400.00", 6),
        (ADA, "210", *february, "50.00", 7),
        (BO, "200", *february, "1200.00", 8),
        (ADA, "200", *march, "1400.00", 9),
        (ADA, "210", *march, "50.00", 10),
        # Its 8.25 of tax is in the 108.25: the invoice is Inclusive, and its tax is no second charge.
        (BO, "210", *march, "108.25", 16),
    ]
    # Two lines of 990.00 are of a contact that was not landed as a lease.
    assert held(books, "xero_invoice_line_item_data") == [(row, "unknown_reference") for row in (11, 12)]
    assert set_aside(books, "xero/xero_invoice_line") == [
        ("lines of bills (ACCPAY)", [13]),
        ("lines of drafts, voided and deleted invoices", [14, 15]),
    ]


def test_xero_invoices_give_what_was_paid_and_credited_on_them(books: Door) -> None:
    found = books.rows(
        "SELECT lease_id, amount, received_on, source_reference FROM landing.payments WHERE source_system = 'xero'"
        " ORDER BY row_number"
    )
    # The 990.00 came from the contact that is no lease: money in suspense. The 320.00 of the bill are not taken.
    assert found == [
        (ADA, "1450.00", "2026-01-05", "INV-0001"),
        (BO, "1308.25", "2026-01-06", "INV-0002"),
        (ADA, "1300.00", "2026-02-09", "INV-0003"),
        (None, "990.00", "2026-02-20", "INV-0006"),
    ]
    credited = books.rows(
        "SELECT lease_id, charge_code, amount, posted_on FROM landing.charges WHERE file LIKE 'xero/xero_invoice_d%'"
    )
    assert credited == [(ADA, "CREDIT", "-150.00", "2026-02-09")]
    assert set_aside(books, "xero/xero_invoice_d") == [
        ("bills (ACCPAY)", [9]),
        ("drafts, voided and deleted invoices", [10, 11]),
        ("invoices on which nothing was paid or credited", [6, 8, 12]),
    ]
    # 500.00 of 1,200.00 were paid on the invoice in row 5, and the table has no day for them.
    assert held(books, "xero_invoice_data") == [(5, "missing_required")]


def test_what_two_xero_leases_owe_is_what_their_invoices_say_is_due(books: Door) -> None:
    """By hand: charged 3 x 1,450.00 and 1,308.25 + 1,200.00 + 108.25, of which 150.00 was credited; paid 1,450.00,
    1,308.25 and 1,300.00. That leaves 2,758.25. The invoices say 1,450.00 + 700.00 + 108.25 = 2,258.25 is due; the
    500.00 between them wait in quarantine for their day."""
    charged, paid = (
        books.rows(
            f"SELECT sum(CAST(amount AS DECIMAL(18,2))) FROM landing.{table} WHERE lease_id IN ('{ADA}', '{BO}')"
        )[0][0]
        for table in ("charges", "payments")
    )
    assert (charged, paid) == (Decimal("6816.50"), Decimal("4058.25"))
    assert charged - paid - Decimal("500.00") == Decimal("2258.25")


def invoices() -> list[dict[str, str]]:
    with (FIXTURES / "xero_invented" / "xero_invoice_data.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("row", "total", "parts"),
    [(2, "1451", "1450.00"), (4, "1451", "1450.00"), (5, "1201", "1200.00"), (6, "1451", "1450.00")],
    ids=["paid", "credited", "paid in part", "not paid, and no data but for this"],
)
def test_an_xero_invoice_that_does_not_add_up_is_held_and_named(row: int, total: str, parts: str) -> None:
    profile = load_profile(shipped_folder() / "xero-invoices.yaml")
    data = invoices()
    data[row - 2]["total"] = total
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(data[0]))
    writer.writeheader()
    writer.writerows(data)
    read = read_profiled(profile, "xero_invoice_data.csv", text.getvalue().encode(), "xero", {})
    frame = read.parts[0].read.frame
    faulty = frame.filter(frame["profile_fault"].is_not_null())
    assert faulty["row_number"].to_list() == [row]
    assert faulty["profile_fault"].to_list() == ["profile_check_failed"]
    assert faulty["profile_detail"][0].startswith(
        f"total = paid + credited + due: found total = {total}.00 and amount_paid + amount_credited + amount_due ="
        f" {parts}; expected them equal"
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
    # 1,450.00 + 75.00 - 100.00 = 1,431.19 - 6.19, and 1,450.00 and 40.00 are the whole of 7003 and 7006.
    assert loaded == [
        ("7001-1", "301", "11", "1450.00", "2026-01-01", "2026-01-05"),
        ("7001-2", "301", "12", "75.00", "2026-01-01", "2026-01-05"),
        ("7001-3", "301", "DISCOUNT", "-100.00", "2026-01-01", "2026-01-05"),
        ("7001-tax", "301", "TAX", "6.19", "2026-01-01", "2026-01-05"),
        ("7003-1", "301", "11", "1450.00", "2026-02-01", "2026-02-05"),
        ("7006-1", "301", "12", "40.00", "2026-04-03", "2026-04-03"),
    ]
    # 7999 has no invoice here; the lines of 7004 and 7005 are not the invoice: 2 x 1,450.00 of 1,450.00 and 75.00 of
    # 1,525.00.
    unjoined, unequal = "not_in_joined_file", "profile_check_failed"
    assert held(books, "invoice_line_data") == [
        (10, unequal), (11, unequal), (12, unequal), (13, unjoined), (14, unjoined),
    ]  # fmt: skip
    (detail,) = books.rows(
        "SELECT detail FROM landing.quarantine WHERE row_number = 10 AND file LIKE 'quickbooks/invoice_line%'"
    )[0]
    assert "found amount = 2900.00 over the rows of invoice_id 7004" in detail
    assert "invoice.total_amount - invoice.total_tax = 1450.00" in detail


def test_quickbooks_subtotals_and_deleted_invoices_are_set_aside_by_name(books: Door) -> None:
    assert set_aside(books, "quickbooks/invoice_line") == [
        ("lines of deleted invoices", [6]),
        ("lines that are text only", [9]),
        ("subtotal lines", [2, 8, 15]),
    ]
    assert set_aside(books, "quickbooks/invoice_data") == [
        ("deleted invoices", [3]),
        ("invoices without tax", [4, 5, 6, 7]),
    ]


def test_quickbooks_payments_of_unknown_customers_are_money_in_suspense(books: Door) -> None:
    found = books.rows(
        "SELECT payment_id, amount, received_on, lease_key IS NULL FROM landing.payments"
        " WHERE source_system = 'quickbooks' ORDER BY 1"
    )
    assert found == [
        ("8001", "1431.19", "2026-01-05", False),
        ("8002", "1200.00", "2026-01-08", True),
        ("8003", "640.50", "2026-01-09", True),
    ]
    assert set_aside(books, "quickbooks/payment_data") == [("deleted payments", [5]), ("payments of nothing", [6])]
    # One payment line in four finds its payment; a fifth names no invoice.
    assert held(books, "payment_line_data") == [(row, "not_in_joined_file") for row in (2, 3, 4)]
    assert set_aside(books, "quickbooks/payment_line") == [("lines that name no invoice", [6])]
    assert books.rows("SELECT payment_id, charge_id, amount, applied_on FROM landing.source_applications") == [
        ("8001", "7001", "1431.19", "2026-01-05")
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
