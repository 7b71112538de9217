"""The shipped sample by the command alone: from an empty folder to a closed month and a resident's statement."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from orchestration.home import Home
from tests.orchestration.conftest import tieout

pytestmark = [pytest.mark.journey, pytest.mark.long]


@pytest.fixture(scope="module")
def worked(demo: tuple[Home, str], tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A copy of the home after `tieout demo`, to work in."""
    home = Home(tmp_path_factory.mktemp("demo") / "home")
    shutil.copytree(demo[0].path, home.path, symlinks=True)
    return home


def asked(home: Home, sql: str) -> list[dict[str, object]]:
    answer = tieout("query", sql, "--format", "json", home=home)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_the_demo_closes_what_is_finished_and_says_so(demo: tuple[Home, str]) -> None:
    home, printed = demo
    assert "all agree" in printed and "DIFFER" not in printed
    assert "wait." in printed, "the rows that the sample spoils on purpose are reported"
    assert "Open the pages with `tieout app" in printed
    closed = {path.name for path in home.closes.glob("*.json")}
    assert closed
    open_and_over = asked(home, "select count(*) as n from close_status where is_over and not is_closed")
    assert open_and_over == [{"n": 0}]
    for path in home.closes.glob("*.json"):
        record = json.loads(path.read_text())
        assert (home.builds / f"{record['build']}.duckdb").is_file(), "the build that a close names is kept"


def test_every_landed_row_and_cent_is_accounted_for(demo: tuple[Home, str]) -> None:
    home, _ = demo
    lost = asked(
        home,
        'select "table", file from load_batches where rows_landed <> rows_loaded + rows_duplicate + rows_quarantined '
        "or amount_landed <> amount_loaded + amount_duplicate + amount_quarantined",
    )
    assert lost == []


def test_a_second_demo_changes_nothing(worked: Home) -> None:
    home = worked
    before = home.need_published()
    again = tieout("demo", home=home)
    assert again.returncode == 0, again.stderr
    after = home.need_published()
    assert after.number == before.number + 1, "nothing was left to close, so it is one build"
    changed = {name for name, table in after.manifest["tables"].items() if table != before.manifest["tables"][name]}
    assert changed == set()
    assert "Closed in this run: nothing" in again.stdout


def test_a_statement_is_written_and_an_unknown_lease_is_told(demo: tuple[Home, str], tmp_path: Path) -> None:
    home, _ = demo
    lease = asked(home, "select min(lease_id) as lease_id from resident_ledger where entry_on >= date '2026-10-01'")
    out = tmp_path / "statement.pdf"
    done = tieout("statement", "--lease", lease[0]["lease_id"], "--month", "2026-10", "--out", out, home=home)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(b"%PDF-")
    unknown = tieout("statement", "--lease", "NOBODY", "--month", "2026-10", "--out", out, home=home)
    assert unknown.returncode == 2 and "NOBODY" in unknown.stderr and "Traceback" not in unknown.stderr
    folder = tieout("statement", "--lease", lease[0]["lease_id"], "--month", "2026-10", "--out", tmp_path, home=home)
    assert folder.returncode == 2 and "is a folder" in folder.stderr


def test_the_quarantine_is_listed_exported_and_worked(worked: Home, tmp_path: Path) -> None:
    home = worked
    listed = tieout("quarantine", "list", home=home)
    waiting = asked(home, "select quarantine_id, reason from quarantine where status = 'open' order by quarantine_id")
    assert waiting and all(row["quarantine_id"] in listed.stdout for row in waiting)
    out = tmp_path / "quarantine.csv"
    assert tieout("quarantine", "export", "--out", out, home=home).returncode == 0
    with open(out, encoding="utf-8", newline="") as stream:
        exported = list(csv.DictReader(stream))
    assert {row["quarantine_id"] for row in exported} == {row["quarantine_id"] for row in waiting}
    assert all(row["detail"] for row in exported)
    first = waiting[0]["quarantine_id"]
    done = tieout("quarantine", "resolve", first, "--by", "A. Clerk", "--reason", "sent twice", "--no-build", home=home)
    assert done.returncode == 0, done.stderr
    assert str(first) not in tieout("quarantine", "list", home=home).stdout
    assert "A. Clerk" in tieout("quarantine", "list", "--all", home=home).stdout
    again = tieout("quarantine", "resolve", first, "--by", "A. Clerk", "--reason", "x", home=home)
    assert again.returncode == 2 and "A. Clerk" in again.stderr


def test_the_rules_are_listed_and_installed_already(worked: Home) -> None:
    home = worked
    listed = tieout("rules", "list", home=home)
    assert listed.returncode == 0 and "citation" in listed.stdout.splitlines()[0] and "US-CO" in listed.stdout
    installed = tieout("rules", "install", home=home)
    assert installed.returncode == 0 and "installed already" in installed.stdout


def test_the_demo_does_not_mix_with_other_data(tmp_path: Path) -> None:
    from tests.conftest import write_files

    home = Home(tmp_path / "home")
    folder = write_files(tmp_path / "in", {"persons-of-mine.csv": "person_id,name\nP1,Ann\n"})
    from orchestration.landing import ensure_raw, land
    from orchestration.pipeline import next_moment

    ensure_raw(home.create())
    land(home, folder, loaded_at=next_moment(home), run_id="by hand")
    refused = tieout("demo", home=home)
    assert refused.returncode == 2 and "holds other data (persons-of-mine.csv)" in refused.stderr
