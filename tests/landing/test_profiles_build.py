"""One portfolio landed under the contract's names and through a profile: the published tables are identical."""

from __future__ import annotations

from decimal import Decimal

from tests.conftest import BuildOf
from tests.warehouse.subledger.portfolio import Portfolio

AS_OF = "2026-04-05"
TITLES = "Maple LLC,,,,,,\nAll transactions,,,,,,\n,,,,,,\n"


def portfolio() -> Portfolio:
    book = Portfolio()
    lease = book.lease("L1")
    for name, code, on, amount in (
        ("JAN", "rent", "2026-01-01", "1500.00"),
        ("NSF", "nsf_fee", "2026-01-07", "25.00"),
        ("FEB", "rent", "2026-02-01", "1500.00"),
        ("LATE", "late_fee", "2026-02-06", "50.00"),
        ("MAR", "rent", "2026-03-01", "1550.00"),
        ("CONC", "concession", "2026-03-01", "-200.00"),
    ):
        lease.charge(name, code, on, amount)
    lease.pay("P1", "2026-02-05", "1500.00").pay("P2", "2026-03-02", "1000.00")
    book.lease("L2").charge("JAN", "rent", "2026-01-01", "900.50").pay("P1", "2026-01-03", "1000.00")
    return book


def as_a_ledger(book: Portfolio) -> dict[str, object]:
    """The same rows in one export of another layout: titles, thousands, dashes, credits on their own side, a total."""
    rows = []
    for charge in book.rows["charges"]:
        amount = Decimal(str(charge["amount"]))
        sides = (f"{amount:,.2f}", "-") if amount > 0 else ("-", f"${-amount:,.2f}")
        rows.append((charge["posted_on"], charge["lease_id"], charge["charge_id"], charge["charge_code"], *sides))
    for payment in book.rows["payments"]:
        amount = Decimal(str(payment["amount"]))
        rows.append((payment["received_on"], payment["lease_id"], payment["payment_id"], "", "", f"{amount:,.2f}"))
    lines = ["Date,Lease,Transaction,Code,Debit,Credit,Description"]
    lines += [",".join(f'"{value}"' for value in row) + "," for row in sorted(rows, key=str)]
    files = {name: content for name, content in book.files().items() if name not in ("charges.csv", "payments.csv")}
    return {**files, "transactions.csv": TITLES + "\n".join([*lines, 'Total,,,,"5,525.50","3,700.00",']) + "\n"}


def test_the_same_portfolio_has_the_same_table_hashes_through_a_profile(build_of: BuildOf) -> None:
    book = portfolio()
    canonical = build_of(book.files(), as_of=AS_OF)
    through = build_of(as_a_ledger(book), as_of=AS_OF)
    assert through.run.report is not None and not through.run.report.refused
    assert canonical.rows("select lease_id, sum(amount) from resident_ledger group by 1 order by 1") == [
        ("L1", Decimal("1925.00")),
        ("L2", Decimal("-99.50")),
    ]
    assert through.hashes == canonical.hashes
    assert through.rows(
        'select "table", profile, rows_landed, rows_loaded, rows_skipped, amount_landed, amount_loaded'
        " from load_batches where profile is not null order by 3 desc"
    ) == [
        ("charges", "charges-and-payments", 10, 6, 4, Decimal("5525.50"), Decimal("5525.50")),
        ("payments", "charges-and-payments", 3, 3, 0, Decimal("3500.00"), Decimal("3500.00")),
        ("charges", "charges-and-payments", 1, 1, 0, Decimal("-200.00"), Decimal("-200.00")),
    ]
    assert through.rows("select row_number, rule from skipped_rows order by 1") == [
        (1, "title lines"),
        (2, "title lines"),
        (3, "blank rows"),
        (15, "total rows"),
    ]
    assert through.rows("select count(*) from tie_outs where tie_out_no = 9 and status <> 'ties'") == [(0,)]
    where = "select file, row_number from resident_ledger where source_id = 'L1.CONC'"
    assert through.rows(where) == [("transactions.csv", 12)]
