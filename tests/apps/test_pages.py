"""The pages, run without a browser: what each says of the published build, and that it says it safely."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from apps.documents.formulas import defused
from apps.reports.launch import SCRIPT
from apps.reports.published import Published
from apps.reports.views.tables import Column, csv_bytes, table
from tests.apps.published_home import (
    FORMULA_NAME,
    MARKUP_NAME,
    Account,
    Portfolio,
    Property,
    day,
    portfolio,
    publish,
    rent,
)

PAGES = {
    "close": "app_pages/close_status.py",
    "completeness": "app_pages/completeness.py",
    "quarantine": "app_pages/quarantine.py",
    "aging": "app_pages/aging.py",
    "ledger": "app_pages/household_ledger.py",
}


def open_page(home: Path, monkeypatch: pytest.MonkeyPatch, page: str = "close", **asked: str) -> AppTest:
    monkeypatch.setenv("TIEOUT_HOME", str(home))
    app = AppTest.from_file(str(SCRIPT), default_timeout=60)
    for turn in ("close", page):
        for key, value in asked.items():
            app.query_params[key] = value
        app.switch_page(PAGES[turn]).run()
    assert not app.exception, app.exception
    return app


def shown(app: AppTest) -> str:
    """Everything that the page draws as HTML, as markup."""
    return "\n".join(element.proto.body for element in app.get("html"))


def lines(app: AppTest) -> list[list[str]]:
    """The cells of every table row on the page, as text."""
    rows = []
    for row in shown(app).split("<tr")[1:]:
        cells = row.split("</tr>")[0].split("<td")[1:]
        rows.append([unescape(_without_markup(cell[cell.index(">") + 1 :])) for cell in cells])
    return [row for row in rows if row]


def _without_markup(markup: str) -> str:
    text, inside = "", False
    for each in markup:
        inside = each == "<" or (inside and each != ">")
        if not inside and each != ">":
            text += each
    return text


@pytest.mark.parametrize("page", PAGES)
def test_each_page_says_what_to_do_where_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    app = open_page(tmp_path, monkeypatch, page)
    assert "Nothing is published yet." in shown(app)
    assert "tieout demo" in shown(app)


def test_close_status_shows_months_differences_late_arrivals_and_quarantine(
    small_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_home, monkeypatch, "close", entity="maple-llc")
    rows = lines(app)
    assert ["Maple Court LLC", "2026-02", "2026-03", "1", "0", "1"] in rows
    assert ["Birch LP", "", "2026-01", "3", "1", "0"] in rows
    assert ["2026-03", "Ready to close", "9", "0", "1", "-1,500.00", ""] in rows
    assert ["2026-01", "Closed", "9", "0", "0", "0.00", "2026-02-05 12:00 UTC by Dana Okafor"] in rows
    assert ["2026-02-05", "2026-03-01", "2026-03-03 16:00", "Payment", "P2", "t0001001", "-1,500.00"] in rows
    assert "every comparison of this entity agrees" in shown(app)
    assert [row[:4] for row in rows if row[0] == "Unknown lease"] == [["Unknown lease", "1", "75.00", "0"]]
    assert "tieout close --entity maple-llc --period 2026-03" in shown(app)
    assert "Apr 5, 2026" in shown(app)
    app.selectbox(key="choice-entity").select("birch-lp").run()
    rows = lines(app)
    assert any(row[-1] == "0.50" and row[0] == "open charges to receivable" for row in rows)
    assert ["2026-03", "Does not tie", "9", "1", "0", "0.00", ""] in rows


def test_two_entities_of_one_id_are_two_on_the_page_of_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another system calls an entity of its own maple-llc: nothing is closed there and nothing was late."""
    small = portfolio()
    others = [
        {**row, "source_system": "yardi", "entity_name": "Maple Two", "is_closed": False, "late_arrivals": 0}
        for row in small.close_status
        if row["entity_id"] == "maple-llc"
    ]
    ours = [{"source_system": "default", **row} for row in small.close_status]
    publish(tmp_path, replace(small, close_status=[*ours, *others]))
    app = open_page(tmp_path, monkeypatch, "close", entity="yardi:maple-llc")
    rows = lines(app)
    assert ["Maple Court LLC (default)", "2026-02", "2026-03", "1", "0", "1"] in rows
    assert ["Maple Two (yardi)", "", "2026-01", "3", "0", "0"] in rows
    assert "tieout close --entity maple-llc --source yardi --period 2026-01" in shown(app)
    assert "None: nothing was dated into a closed month" in shown(app)
    app.selectbox(key="choice-entity").select("default:maple-llc").run()
    assert ["2026-01", "Closed", "9", "0", "0", "0.00", "2026-02-05 12:00 UTC by Dana Okafor"] in lines(app)
    assert "None: nothing was dated" not in shown(app)


def test_an_incomplete_build_says_so_on_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, replace(portfolio(), manifest={"incomplete": ["payments.csv: the column amount is missing."]}))
    for page in PAGES:
        app = open_page(tmp_path, monkeypatch, page)
        assert "This build is incomplete." in shown(app)
        assert "payments.csv: the column amount is missing." in shown(app)


def test_aging_adds_up_from_leases_to_properties_to_the_entity(
    small_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_home, monkeypatch, "aging", entity="maple-llc", party="resident")
    rows = lines(app)
    assert ["Total", "0.00", "3,530.50", "1,600.00", "525.00", "207,745.88", "213,401.38", "0.00", "213,401.38"] in rows
    assert [
        "t0001001",
        "Ada ExampleUnit 2B · Maple Court",
        "0.00",
        "1,430.00",
        "1,600.00",
        "525.00",
        "0.00",
        "3,555.00",
        "0.00",
        "3,555.00",
    ] in rows
    app.selectbox(key="choice-day").select("2026-03-31").run()
    assert any(
        row[0] == "t0001001" and row[3:8] == ["1,630.00", "550.00", "25.00", "0.00", "2,205.00"] for row in lines(app)
    )


@pytest.mark.parametrize("as_of", ["2026-04-05", "2026-03-31", "2026-01-31"])
@pytest.mark.parametrize("party", [None, "resident", "subsidy"])
def test_a_drill_down_sums_to_its_figure(small: Published, as_of: str, party: str | None) -> None:
    for entity in small.query("aging_entities"):
        scope = {"entity_id": entity["entity_id"], "as_of": as_of, "basis": "business", "ledger_party": party}
        total = small.one("aging_total", **scope, property_id=None)
        properties = small.query("aging_by_property", **scope)
        leases = small.query(
            "aging_by_lease", **scope, property_id=None, ordering="largest", page_size=10_000, skipped=0
        )
        bars = {row["bucket"]: row["amount"] for row in small.query("aging_chart", **scope, property_id=None)}
        for figure in ("not_yet_due", "days_0_30", "days_31_60", "days_61_90", "days_over_90"):
            assert bars[figure] == total[figure]
        for figure in (*bars, "open_total", "unapplied_credit", "balance"):
            assert sum(row[figure] for row in properties) == total[figure]
            assert sum(row[figure] for row in leases) == total[figure]
        assert len(leases) == total["accounts"]
        for row in properties:
            part = small.one("aging_total", **scope, property_id=row["property_id"])
            assert part["balance"] == row["balance"]


def test_charges_behind_an_aging_row_sum_to_it(small: Published) -> None:
    rows = small.rows("select * from aging_month_end where basis = 'business'")
    assert rows
    for row in rows:
        charges = small.query(
            "statement_open_charges",
            first_lease=row["lease_id"],
            last_lease=row["lease_id"],
            ledger_party=row["ledger_party"],
            as_of=row["as_of"],
        )
        assert sum(charge["open_amount"] for charge in charges) == row["open_total"]


def test_an_entity_with_edges_of_its_own_sees_its_own_buckets(
    small_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account("L", "p", "1", "One", [rent("a", "2026-03-01", "5"), rent("b", "2026-03-20", "7")])
    path = publish(tmp_path, Portfolio(day("2026-03-31"), [Property("p", "P", "e", "E LLC")], [account]))
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "insert into marts.aging_buckets by name select a.*, b.*"
            " from (select as_of, basis, entity_id, property_id, source_system, lease_id, ledger_party"
            " from marts.aging_month_end where as_of = '2026-03-31') as a cross join (values"
            " (1, '0-15', 0, 15, 7.00, 7.00, 0.00), (2, 'over 15', 16, null, 5.00, 5.00, 0.00))"
            " as b (bucket_no, bucket, age_from, age_to, open_amount, rent_open, other_open)"
        )
    rows = lines(open_page(tmp_path, monkeypatch, "aging"))
    assert ["0-15", "7.00", "0.00", "7.00"] in rows and ["over 15", "5.00", "0.00", "5.00"] in rows
    assert ["Total", "12.00", "0.00", "12.00"] in rows
    assert "In the buckets of this entity" not in shown(open_page(small_home, monkeypatch, "aging"))


def test_credit_stands_apart_and_is_never_netted_into_a_bucket(
    small_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_home, monkeypatch, "aging", entity="birch-lp")
    assert ["Total", "0.00", "0.00", "0.00", "0.00", "0.00", "0.00", "750.25", "-750.25"] in lines(app)


def test_a_page_that_stays_open_shows_the_next_build_when_it_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, portfolio(), number=7)
    app = open_page(tmp_path, monkeypatch, "aging", entity="maple-llc")
    assert "<dd>7</dd>" in "".join(element.proto.body for element in app.sidebar.get("html"))
    publish(tmp_path, replace(portfolio(), as_of=day("2026-04-30")), number=8)
    app.run()
    assert not app.exception
    assert "<dd>8</dd>" in "".join(element.proto.body for element in app.sidebar.get("html"))
    assert app.selectbox(key="choice-day").options[0] == "2026-04-30"


def test_a_long_list_has_pages_and_a_narrower_choice_starts_at_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = Property("few", "Few", "e", "E LLC"), Property("many", "Many", "e", "E LLC")
    accounts = [
        Account(f"L{n:03}", "many", str(n), f"Household {n}", [rent(f"r{n}", "2026-03-01", str(100 + n))])
        for n in range(60)
    ]
    accounts.append(Account("FEW", "few", "1", "One", [rent("f", "2026-03-01", "5")]))
    publish(tmp_path, Portfolio(day("2026-03-31"), [few, many], accounts))
    app = open_page(tmp_path, monkeypatch, "aging")

    def listed() -> list[str]:
        return [row[0] for row in lines(app) if row[0][:1] in "LF" and row[0] not in ("Few",)]

    assert listed() == [f"L{n:03}" for n in range(59, 9, -1)]
    app.selectbox(key="page").select(2).run()
    assert listed() == [*(f"L{n:03}" for n in range(9, -1, -1)), "FEW"]
    app.selectbox(key="choice-property").select("few").run()
    assert not app.exception
    assert listed() == ["FEW"]
    assert [row[-1] for row in lines(app) if row[0] == "Total"] == ["7,775.00", "5.00"]


def test_an_entry_dated_after_the_day_of_the_build_says_that_it_is_in_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account("L", "p", "1", "One", [rent("a", "2026-03-01", "5"), rent("b", "2026-04-01", "5")])
    publish(tmp_path, Portfolio(day("2026-03-31"), [Property("p", "P", "e", "E LLC")], [account]))
    app = open_page(tmp_path, monkeypatch, "ledger", lease="L")
    later = [row for row in lines(app) if row[0] == "2026-04-01"]
    assert len(later) == 1 and "dated after the day of this build" in later[0][1]
    assert "$5.00" in shown(app)


def test_the_ledger_shows_running_balances_what_paid_what_and_what_is_open(
    small_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_home, monkeypatch, "ledger", lease="t0001001", source="default")
    rows = {row[2]: row for row in lines(app) if len(row) == 8 - 1}
    page = unescape(shown(app))
    assert "Ada Example" in page and "Unit 2B · Maple Court · Lease t0001001" in page
    assert rows["R2"][-2:] == ["3,025.00", "500.00 open"]
    assert rows["R4"][-2:] == ["3,755.00", "1,350.00 open"]
    assert rows["R1"][-1] == ""
    assert "2026-01-07: -1,500.00 from Payment (ACH) (P1), payment returned" in page
    assert "2026-03-02: 1,000.00 to Rent (R2)" in page
    assert "rule default v1" in page
    assert ["2026-02-01", "2026-02-28", "1,500.00", "1,000.00", "500.00", "0.00", "500.00"] in lines(app)
    app.segmented_control[0].select("subsidy").run()
    assert ["2026-03-01", "Housing assistance", "A1", "400.00", "", "400.00", "400.00 open"] in lines(app)


def test_entries_of_one_id_are_not_taken_for_each_other(small_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page(small_home, monkeypatch, "ledger", lease="Z-1", source="default")
    rows = [row for row in lines(app) if row[0].startswith("2026-03-0")]
    assert [(row[0], row[2], row[-2]) for row in rows] == [
        ("2026-03-01", "1", "10.00"),
        ("2026-03-01", "1", "0.00"),
        ("2026-03-02", "1", "10.00"),
        ("2026-03-03", "2", "0.00"),
    ]
    assert shown(app).count("<li>") == 3 + 2 + 1


def test_the_search_finds_names_whatever_their_case_and_accents(
    small_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_home, monkeypatch, "ledger")
    assert "No household chosen." in shown(app)
    for typed, lease_id in (
        ("muller", "S-1"),
        ("ПАПАДОПОУЛОС", None),
        ("ковалева", "S-1"),
        ("2b", "t0001001"),
        ("%", None),
    ):
        app.text_input(key="find").input(typed).run()
        found = [row[0] for row in lines(app)]
        assert found == ([lease_id] if lease_id else []), typed
    assert "No lease found." in shown(app)


@pytest.mark.parametrize("lease_id, name", [("M-1", MARKUP_NAME), ("F-1", FORMULA_NAME)])
def test_names_are_shown_as_they_are_and_never_run(
    small_home: Path, monkeypatch: pytest.MonkeyPatch, lease_id: str, name: str
) -> None:
    for page, asked in (
        ("ledger", {"lease": lease_id}),
        ("ledger", {"find": lease_id}),
        ("aging", {"entity": "maple-llc"}),
    ):
        app = open_page(small_home, monkeypatch, page, **asked)
        assert "<script" not in shown(app)
        assert name in unescape(shown(app))


def test_an_unknown_lease_in_the_address_is_answered_in_words(
    small_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_home, monkeypatch, "ledger", lease="<b>nope</b>")
    assert "No such lease." in shown(app) and "<b>nope" not in shown(app)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_files_never_carry_a_formula(text: str) -> None:
    assert defused(text) == f"'{text}"
    assert defused("Ada - Example") == "Ada - Example"
    file = csv_bytes([{"name": text}], [Column("name", "Name")]).decode("utf-8-sig")
    assert f"'{text}" in file


def test_tables_escape_names_headings_and_addresses() -> None:
    markup = table(
        [{"name": '<b>&"', "id": "a"}],
        [Column("name", "<i>", href=lambda row: 'x?"onclick="y')],
        caption="<u>",
    )
    for raw in ("<b>", "<i>", "<u>", 'x?"'):
        assert raw not in markup
