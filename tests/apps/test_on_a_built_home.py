"""Pages and statements over a home that the whole product built from files: the published cases from end to end.

The small home of the other tests is written by hand; here its shape is held against what is really published, and the
statement cases walk from CSV to the printed page.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pypdfium2
import pytest

from apps.documents.statement import read_statements, statement_leases, statement_of, statement_pdf
from apps.reports.published import Published
from tests.apps.published_home import FORMULA_NAME, MARKUP_NAME, TABLES, money
from tests.apps.test_pages import PAGES, lines, open_page, shown

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.conftest import BuildOf, Built

pytestmark = pytest.mark.journey

CASES = {
    row["case_id"]: (json.loads(row["input_json"]), json.loads(row["expected_json"]))
    for row in csv.DictReader((Path(__file__).parent / "statement_cases.csv").open(newline="", encoding="utf-8"))
}
Rows = Sequence[Mapping[str, object]]

RESIDENTS = {
    "STM-01": "Several Rows",
    "STM-02": "Opening Balance",
    "STM-04": "Held Charge",
    "LATE": "Łukasz Müller",
    "M-1": MARKUP_NAME,
    "F-1": FORMULA_NAME,
}


def _charge(charge_id: str, lease_id: str, on: str, amount: str, **more: object) -> dict[str, object]:
    return {
        "charge_id": charge_id,
        "lease_id": lease_id,
        "charge_code": "RENT",
        "amount": amount,
        "posted_on": on,
        "due_on": on,
        **more,
    }


def _payment(payment_id: str, lease_id: str, on: str, amount: str, **more: object) -> dict[str, object]:
    return {
        "payment_id": payment_id,
        "lease_id": lease_id,
        "amount": amount,
        "received_on": on,
        "method": "check",
        **more,
    }


def files() -> dict[str, Rows]:
    charges, payments, openings = [], [], []
    rows, _ = CASES["STM-01"]
    for number, (on, amount) in enumerate(rows["rows"], start=1):
        if amount.startswith("-"):
            payments.append(_payment(f"B{number:02}", "STM-01", on, amount[1:]))
        else:
            charges.append(_charge(f"B{number:02}", "STM-01", on, amount))
    facts, _ = CASES["STM-02"]
    openings.append(
        {
            "opening_id": "O1",
            "lease_id": "STM-02",
            "as_of": "2020-12-31",
            "charge_code": "RENT",
            "amount": facts["opening_before"],
        }
    )
    payments += [_payment("S2", "STM-02", on, amount.lstrip("-")) for on, amount in facts["rows"]]
    facts, _ = CASES["STM-04"]
    charges += [_charge(code, "STM-04", on, amount) for code, _, on, amount, *_ in facts["charges"]]
    payments += [_payment(key, "STM-04", on, amount) for key, on, amount, _ in facts["payments"]]
    # A check of 28 February, keyed on 3 March at 22:30 in New York; and more money than is owed.
    charges += [
        _charge("F", "LATE", "2021-02-01", "1000.00", recorded_at="2021-02-01T09:00:00-05:00"),
        _charge("M", "LATE", "2021-03-01", "1000.00", recorded_at="2021-03-01T09:00:00-05:00"),
    ]
    payments += [
        _payment("C", "LATE", "2021-02-28", "1000.00", recorded_at="2021-03-03T22:30:00-05:00"),
        _payment("D", "LATE", "2021-03-05", "1250.75", recorded_at="2021-03-05T09:00:00-05:00"),
    ]
    charges += [_charge("M1", "M-1", "2021-03-01", "1200.50"), _charge("F1", "F-1", "2021-03-20", "900.00")]
    leases = list(RESIDENTS)
    return {
        "entities.csv": [
            {
                "entity_id": "maple-llc",
                "name": "Maple Court LLC",
                "currency": "USD",
                "chart_id": "us",
                "operator_name": "Harbour & Vine Management",
            }
        ],
        "properties.csv": [
            {
                "property_id": "maple1",
                "entity_id": "maple-llc",
                "name": "Maple <Court>",
                "jurisdiction": "US-NY",
                "time_zone": "America/New_York",
            }
        ],
        "units.csv": [
            {"unit_id": f"u{n}", "property_id": "maple1", "unit_number": f"{n}A"} for n, _ in enumerate(leases, start=1)
        ],
        "persons.csv": [{"person_id": f"h-{key}", "name": name} for key, name in RESIDENTS.items()],
        "leases.csv": [
            {"lease_id": key, "property_id": "maple1", "unit_id": f"u{n}", "start_on": "2017-01-01"}
            for n, key in enumerate(leases, start=1)
        ],
        "lease_parties.csv": [
            {"lease_id": key, "person_id": f"h-{key}", "role": "leaseholder", "valid_from": "2017-01-01"}
            for key in leases
        ],
        "charge_codes.csv": [
            {
                "charge_code": "RENT",
                "name": "Rent",
                "category": "rent",
                "is_mandatory": "true",
                "is_recurring": "true",
                "in_advertised_price": "true",
                "counts_as_rent": "true",
                "prorates": "true",
            }
        ],
        "gl_accounts.csv": [
            {"chart_id": "us", "account": account, "name": role, "type": kind, "role": role}
            for account, kind, role in (
                ("1010", "asset", "cash"),
                ("1020", "asset", "trust_cash"),
                ("1050", "asset", "clearing"),
                ("1200", "asset", "receivable_resident"),
                ("1210", "asset", "receivable_subsidy"),
                ("1220", "asset", "receivable_third_party"),
                ("2100", "liability", "prepaid"),
                ("2200", "liability", "suspense"),
                ("2300", "liability", "deposits_held"),
                ("2310", "liability", "deposits_billed"),
                ("3000", "equity", "opening_equity"),
                ("3900", "equity", "retained_earnings"),
                ("6100", "expense", "bad_debt"),
                ("4900", "income", "bad_debt_recovery"),
            )
        ]
        + [{"chart_id": "us", "account": "4000", "name": "Rent", "type": "income"}],
        "gl_mappings.csv": [{"chart_id": "us", "charge_code": "RENT", "account": "4000"}],
        "charges.csv": charges,
        "payments.csv": payments,
        "opening_balances.csv": openings,
        "case_holds.csv": [],
    }


@pytest.fixture(scope="session")
def built(build_of: BuildOf) -> Built:
    given = {name: rows for name, rows in files().items() if rows}
    return build_of(given, as_of="2021-03-31")


@pytest.fixture(scope="session")
def published(built: Built) -> Published:
    return Published(built.home.path)


def test_what_the_small_home_of_the_tests_holds_is_what_is_published(built: Built) -> None:
    with duckdb.connect() as connection:
        for table, columns in TABLES.items():
            connection.execute(f"create table {table} ({columns})")
        told = {
            (table, column): kind
            for table, column, kind in connection.execute(
                "select table_name, column_name, data_type from information_schema.columns"
            ).fetchall()
        }
    real = {
        (table, column): kind
        for table, column, kind in built.rows(
            "select table_name, column_name, data_type from information_schema.columns where table_schema = 'marts'"
        )
    }
    assert {key: real.get(key) for key in told} == told


def test_case_stm_01_from_files_to_the_running_balance(published: Published) -> None:
    _, expected = CASES["STM-01"]
    reader = published.reader()
    january, february = (statement_of(reader, "STM-01", month) for month in ("2018-01", "2018-02"))
    assert [row["running_balance"] for row in (*january.entries, *february.entries)] == [
        money(value) for value in expected["running"]
    ]
    assert january.charges + february.charges == money(expected["debits"])
    assert january.credits + february.credits == money(expected["credits"])
    assert february.closing == money(expected["closing"])


def test_case_stm_02_from_files_to_the_opening_balance(published: Published) -> None:
    _, expected = CASES["STM-02"]
    statement = statement_of(published.reader(), "STM-02", "2021-01")
    assert statement.opening == money(expected["opening"])
    assert statement.entries[0]["running_balance"] == money(expected["first_running"])


def test_case_stm_04_from_files_to_opening_and_closing(published: Published) -> None:
    facts, expected = CASES["STM-04"]
    statement = statement_of(published.reader(), "STM-04", facts["statement"])
    assert statement.opening == money(expected["opening"])
    assert statement.closing == money(expected["closing"])
    assert [(row["charge_id"], row["open_amount"]) for row in statement.open_charges] == [("APR", Decimal("200.00"))]


def test_a_check_keyed_late_is_in_the_opening_and_listed_on_its_local_day(published: Published) -> None:
    statement = statement_of(published.reader(), "LATE", "2021-03")
    assert statement.opening == money("0")
    assert [(row["entry_on"], row["known_on"], row["amount"]) for row in statement.became_known] == [
        (date(2021, 2, 28), date(2021, 3, 3), Decimal("-1000.00"))
    ]
    assert statement.closing == money("-250.75") and statement.unapplied == money("250.75")


def test_every_statement_of_every_month_explains_itself(published: Published) -> None:
    reader = published.reader()
    read = 0
    for month in ("2018-01", "2018-02", "2019-01", "2019-04", "2020-12", "2021-01", "2021-02", "2021-03"):
        read += len(list(read_statements(reader, month, statement_leases(published, month))))
    assert read > 20


def test_the_printed_statement_shows_names_as_they_are(published: Published) -> None:
    for lease_id, name in (("M-1", MARKUP_NAME), ("F-1", FORMULA_NAME), ("LATE", "Łukasz Müller")):
        document = pypdfium2.PdfDocument(statement_pdf(published, lease_id, "2021-03"))
        printed = "".join(page.get_textpage().get_text_range() for page in document)
        assert name.replace(" ", "") in "".join(printed.split())
        assert "Maple <Court>" in printed


def test_every_page_opens_on_what_was_built(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"lease": "LATE", "entity": "maple-llc"}
    pages = {page: open_page(built.home.path, monkeypatch, page, **asked) for page in PAGES}
    assert any(row[0] == "Maple Court LLC" for row in lines(pages["close"]))
    assert any(row[0] == "LATE" and row[-1] == "-250.75" for row in lines(pages["aging"]))
    (payment_row,) = [row for row in lines(pages["ledger"]) if row[0] == "2021-03-05"]
    assert payment_row[1].startswith("Payment (check)What it paid2021-03-05: 1,000.00 to Rent (M)")
    assert payment_row[-1] == "250.75 waiting"
    assert "<script" not in shown(pages["aging"])


def of_lease(page: AppTest, lease: str) -> list[str]:
    """The figures of a lease on the aging page, from not yet due to the balance; empty where it owes nothing."""
    (found,) = [row[2:] for row in lines(page) if row[0] == lease] or [[]]
    return found


def test_the_aging_page_answers_any_day_and_any_moment(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of 28 February was keyed on 3 March at 22:30 in New York, which is the 4th in UTC."""
    home, asked = built.home.path, {"entity": "maple-llc", "day": "2021-02-28"}
    owing = ["0.00", "1,000.00", "0.00", "0.00", "0.00", "1,000.00", "0.00", "1,000.00"]
    assert of_lease(open_page(home, monkeypatch, "aging", **asked), "LATE") == []
    before = open_page(home, monkeypatch, "aging", **asked, known="then", at="2021-03-04T03:29:00")
    assert of_lease(before, "LATE") == owing
    assert "As of Feb 28, 2021, as it was known at 2021-03-04 03:29 UTC." in shown(before)
    after = before.get("datetime_input")[0].set_value(datetime(2021, 3, 4, 3, 30)).run()
    assert of_lease(after, "LATE") == []
    between = open_page(home, monkeypatch, "aging", entity="maple-llc", day="another", on="2021-03-02")
    assert of_lease(between, "LATE") == owing
    later = between.date_input(key="day-on").set_value(date(2021, 3, 5)).run()
    assert of_lease(later, "LATE") == ["0.00", "0.00", "0.00", "0.00", "0.00", "0.00", "250.75", "-250.75"]
    assert later.query_params["on"] in ("2021-03-05", ["2021-03-05"])


def test_asked_of_the_function_a_reported_day_is_what_its_table_says(published: Published) -> None:
    reader = published.reader()
    for basis in ("business", "books"):
        for row in reader.query("aging_days", entity_id="maple-llc"):
            scope = {"entity_id": "maple-llc", "as_of": row["as_of"], "basis": basis, "ledger_party": None}
            for name, more in (
                ("aging_total", {"property_id": None}),
                ("aging_by_property", {}),
                ("aging_own_buckets", {}),
                ("aging_chart", {"property_id": None}),
            ):
                held = reader.query(name, **scope, **more)
                assert held == reader.query_as_of(name, known_at=None, **scope, **more)


def test_the_drill_down_of_a_built_aging_sums_to_its_figures(published: Published) -> None:
    for basis in ("business", "books"):
        for row in published.query("aging_days", entity_id="maple-llc"):
            scope = {"entity_id": "maple-llc", "as_of": row["as_of"], "basis": basis, "ledger_party": None}
            total = published.one("aging_total", **scope, property_id=None)
            leases = published.query(
                "aging_by_lease", **scope, property_id=None, ordering="lease", page_size=1000, skipped=0
            )
            assert sum(lease["balance"] for lease in leases) == total["balance"]
