"""The quarantine goes out as a workbook and comes back: text survives, touched rows are judged again, others stay."""

from __future__ import annotations

import csv
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import openpyxl
import pytest

from orchestration import pipeline
from orchestration.errors import UsageError
from orchestration.home import Home
from orchestration.landing.reasons import ways_out
from orchestration.quarantine import export, rows
from orchestration.quarantine_workbook import give_back
from tests.conftest import Files, write_files
from tests.orchestration.conftest import ONE_MORE, SMALL

pytestmark = pytest.mark.usefixtures("small")
FolderOf = Callable[[Files], Path]

BAD: Files = {
    "entities.csv": [{"entity_id": "E1", "name": "Oak LLC", "currency": "USD", "chart_id": "main"}],
    "persons.csv": [{"person_id": "007", "name": "Ann Ames"}, {"person_id": "008", "name": ""}],
    "properties.csv": [
        {
            "property_id": "0012", "entity_id": "E1", "name": '=HYPERLINK("http://x.invalid")',
            "jurisdiction": "US-IA", "time_zone": "America/Chigaco",
        },
        {
            "property_id": "0013", "entity_id": "E1", "name": "Two\r\nlines", "jurisdiction": "US-IA",
            "time_zone": "Central",
        },
    ],
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def definitions_of_the_small_project() -> Iterator[None]:
    """What Dagster runs is made of one dbt project when it is first loaded: here of the small one, and of whichever it
    was before for the tests that come after."""

    def loaded() -> list[str]:
        return [name for name in sys.modules if name.startswith(("orchestration.definitions", "orchestration.defs"))]

    before = {name: sys.modules.pop(name) for name in loaded()}
    yield
    for name in loaded():
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("quarantine")
    home = Home(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIEOUT_DBT_PROJECT", str(SMALL))
        pipeline.run_folder(home, write_files(folder / "files", BAD), expectations=False)
    return home


@pytest.fixture
def home(built: Home, tmp_path: Path) -> Home:
    """A copy of that home that a test may change."""
    shutil.copytree(built.path, tmp_path / "home", symlinks=True)
    return Home(tmp_path / "home")


def raw(home: Home, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(home.raw), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def sent(home: Home, tmp_path: Path) -> Path:
    out = tmp_path / "open rows.xlsx"
    assert export(home, rows(home, None, False), out) == 3
    return out


def corrected(path: Path, sheet: str, row: int, **values: object) -> Path:
    book = openpyxl.load_workbook(path)
    names = [cell.value for cell in book[sheet][1]]
    for name, value in values.items():
        book[sheet].cell(row, names.index(name) + 1).value = value
    book.save(path)
    return path


def test_a_sheet_per_table_with_words_a_frozen_header_and_nothing_but_text(home: Home, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(sent(home, tmp_path))
    assert book.sheetnames == ["how to", "persons", "properties"]
    sheet = book["properties"]
    assert sheet.freeze_panes == "D2"
    names = [cell.value for cell in sheet[1]]
    assert names[:5] == ["quarantine_id", "why_it_waits", "found_expected_what_to_do", "source_system", "property_id"]
    first = dict(zip(names, sheet[2], strict=True))
    assert first["property_id"].value == "0012" and first["name"].value.startswith("=HYPERLINK")
    assert {cell.data_type for row in sheet.iter_rows(min_row=2) for cell in row if cell.value is not None} == {"s"}
    assert "America/Chigaco" in first["found_expected_what_to_do"].value and first["why_it_waits"].value


def test_a_workbook_that_nobody_touched_changes_nothing(home: Home, tmp_path: Path) -> None:
    before = raw(home, "select * from landing.quarantine order by all"), home.need_published().number
    with pytest.raises(UsageError, match=r"no row that waits was changed\. 3 rows were left as they were"):
        give_back(home, sent(home, tmp_path), "Ann")
    assert (raw(home, "select * from landing.quarantine order by all"), home.need_published().number) == before


def test_a_corrected_row_takes_the_place_of_the_one_that_waits_and_the_others_stay(home: Home, tmp_path: Path) -> None:
    path = corrected(sent(home, tmp_path), "properties", 2, time_zone="America/Chicago")
    waiting = raw(home, "select quarantine_id from landing.quarantine where row_key <> 'default:0012|' order by 1")
    said = give_back(home, corrected(path, "persons", 2, name=None), "Ann Ames")
    assert said.startswith("Landed corrected rows: 1, of properties. Build 2 shows it.")
    assert "2 rows were left as they were." in said
    assert raw(home, "select property_id, name, time_zone from landing.properties") == [
        ("0012", '=HYPERLINK("http://x.invalid")', "America/Chicago")
    ]
    assert raw(home, "select quarantine_id from landing.quarantine where status = 'open' order by 1") == waiting
    ((by, told),) = raw(
        home,
        "select q.resolved_by, l.unknown_columns from landing.quarantine q, landing.landed_properties l"
        " where q.status = 'rejected' and l.file like 'properties-corrected-%'",
    )
    assert by == "corrected by a later row" and '"corrected_by":"Ann Ames"' in str(told)
    with pytest.raises(UsageError, match=r"Not taken, settled meanwhile: .* rejected by corrected by a later row"):
        give_back(home, path, "Ann Ames")


def test_a_row_that_is_still_wrong_waits_again_and_is_named(home: Home, tmp_path: Path) -> None:
    said = give_back(home, corrected(sent(home, tmp_path), "properties", 2, time_zone="Chicago"), "Ann")
    assert "0 of 1 corrected rows are settled; 1 wait again" in said and "'Chicago'" in said
    assert "row 2: unknown_time_zone" in said


@pytest.mark.parametrize(
    ("sheet", "values", "says"),
    [
        ("persons", {"quarantine_id": "nobody", "name": "Bo"}, "sheet persons, row 2, column quarantine_id"),
        ("persons", {"quarantine_id": None, "name": "Bo"}, "found 'nothing'"),
        ("properties", {"quarantine_id": "=id"}, "expected the id of a row of this table"),
    ],
)
def test_a_row_that_was_not_sent_is_refused_with_its_place(
    home: Home, tmp_path: Path, sheet: str, values: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        give_back(home, corrected(sent(home, tmp_path), sheet, 2, **values), "Ann")
    assert raw(home, "select count(*) from landing.batches where file like '%corrected%'") == [(0,)]


def test_the_csv_is_defused_and_says_what_the_build_lacks(home: Home, tmp_path: Path, folder_of: FolderOf) -> None:
    pipeline.run_folder(home, folder_of({"units.csv": "unit_id\nU1\n", **ONE_MORE}), expectations=False)
    export(home, rows(home, None, False), tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    (formula,) = [row for row in found if row["row.property_id"] == "0012"]
    assert formula["row.name"] == '\'=HYPERLINK("http://x.invalid")'
    assert all("units.csv" in row["incomplete"] for row in found)


def test_only_ways_that_lead_out_are_told() -> None:
    (changed,) = [line for line in ways_out(["changed_fact"]) if "changed fact" in line]
    assert "reversal" in changed and "new id" in changed
    assert not any("with the same key replaces" in line for line in ways_out(["changed_fact", "month_already_closed"]))
    assert any("lets in as it is: amount_out_of_range" in line for line in ways_out(["amount_out_of_range"]))
    assert not any("lets in" in line for line in ways_out(["not_a_date"]))
