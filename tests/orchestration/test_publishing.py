"""A build is published whole or not at all, and what was published can be told apart from what was not."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from orchestration import pipeline
from orchestration.errors import CheckFailed, NothingLoadable, UsageError
from orchestration.home import Home
from orchestration.publishing.hashing import table_hashes
from orchestration.publishing.publish import check_published
from orchestration.report import close_report
from orchestration.resources.dbt import DbtFailed
from tests.conftest import Files, write_files
from tests.orchestration.conftest import MISMATCH, ONE_MORE, PEOPLE, SMALL

pytestmark = pytest.mark.usefixtures("small")
FolderOf = Callable[[Files], Path]


def run(home: Home, folder: Path, **options: object) -> tuple[object, pipeline.Run]:
    return pipeline.run_folder(home, folder, expectations=False, **options)  # type: ignore[arg-type]


def test_the_same_folder_twice_loads_nothing_and_gives_the_same_hashes(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of(PEOPLE)
    first, _ = run(a_home, folder)
    second, again = run(a_home, folder)
    assert again.report is not None
    assert [noted.file for noted in again.report.skipped] == ["persons.csv"]
    assert not again.report.batches and not again.report.verdicts
    hashes = [{n: t.get("hash") for n, t in build.manifest["tables"].items()} for build in (first, second)]
    assert hashes[0] == hashes[1] and hashes[0]["people"]
    assert second.number == first.number + 1


def test_one_file_or_two_in_any_order_give_the_same_hashes(tmp_path: Path, folder_of: FolderOf) -> None:
    both: Files = {"persons.csv": [*PEOPLE["persons.csv"], *ONE_MORE["persons-2.csv"]]}  # type: ignore[misc]
    homes = [Home(tmp_path / name) for name in ("one", "two", "turned")]
    run(homes[0], folder_of(both))
    run(homes[1], folder_of({**PEOPLE, **ONE_MORE}))
    run(homes[2], folder_of(ONE_MORE))
    run(homes[2], folder_of(PEOPLE))
    hashes = [home.need_published().manifest["tables"]["people"]["hash"] for home in homes]
    assert len(set(hashes)) == 1


def test_the_table_hash_is_the_one_that_the_contract_describes(a_home: Home, folder_of: FolderOf) -> None:
    awkward: Files = {
        "persons.csv": 'person_id,name,email\nP2,"Tab\there, ""quoted""",\nP1,back\\slash,x@example.org\n'
    }
    build, _ = run(a_home, folder_of(awkward))
    with duckdb.connect(str(build.path), read_only=True) as connection:
        rows = connection.execute("select email, name, person_id from marts.people").fetchall()

    def text(value: str | None) -> str:
        if value is None:
            return "\\N"
        return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")

    lines = ["\t".join(map(text, row)) + "\n" for row in rows]
    pieces = sorted(hashlib.sha256(line.encode()).digest() for line in lines)
    expected = hashlib.sha256(b"email\tname\tperson_id\n" + b"".join(pieces)).hexdigest()
    assert build.manifest["table_hash"] == 2
    assert build.manifest["tables"]["people"]["hash"] == expected, "batch_id is lineage and must not count"

    # A build of an earlier version of the product was hashed over the text itself, and is still checked by that.
    earlier = hashlib.sha256("".join(["email\tname\tperson_id\n", *sorted(lines)]).encode()).hexdigest()
    with duckdb.connect(str(build.path), read_only=True) as connection:
        hashes = table_hashes(connection, version=1)
        with pytest.raises(ValueError, match="no table hash 3"):
            table_hashes(connection, version=3)
    assert hashes["people"] == earlier
    manifest = {**build.manifest, "tables": {name: {"hash": value} for name, value in hashes.items()}}
    del manifest["table_hash"]
    (a_home.builds / f"{build.number}.json").write_text(json.dumps(manifest), "utf-8")
    assert not [name for name in check_published(a_home) if name in hashes]
    manifest["tables"]["people"]["hash"] = expected
    (a_home.builds / f"{build.number}.json").write_text(json.dumps(manifest), "utf-8")
    assert list(check_published(a_home)) == ["people"]


def test_the_table_hash_knows_rows_and_not_where_they_lie() -> None:
    def hashed(rows: str) -> str:
        with duckdb.connect() as connection:
            connection.execute("create schema marts")
            connection.execute(
                f"create table marts.money as select * from (values {rows}) as v(name, amount, batch_id)"
            )
            return table_hashes(connection)["money"]

    first = hashed("('a', 1.00, 'x'), ('b', 2.00, 'x'), ('b', 2.00, 'y')")
    assert hashed("('b', 2.00, 'x'), ('b', 2.00, 'x'), ('a', 1.00, 'z')") == first
    others = ["('a', 1.00, 'x'), ('b', 2.00, 'x')", "('a', 1.00, 'x'), ('b', 2.01, 'x'), ('b', 2.00, 'x')"]
    others += [
        "('a', 1.0, 'x'), ('b', 2.0, 'x'), ('b', 2.0, 'x')",
        "('a', 1.00, 'x'), ('a', 1.00, 'x'), ('b', 2.00, 'x')",
    ]
    assert len({first, *map(hashed, others)}) == 5


def test_the_manifest_says_what_the_build_is_made_of(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of(PEOPLE)
    build, done = run(a_home, folder, as_of="2026-09-30")
    manifest = json.loads((a_home.builds / f"{build.number}.json").read_text())
    digest = hashlib.sha256((folder / "persons.csv").read_bytes()).hexdigest()
    assert digest in [batch["batch_id"] for batch in manifest["batches"]]
    assert manifest["as_of"] == "2026-09-30" == manifest["as_of_given"]
    assert manifest["build_no"] == build.number and manifest["incomplete"] == []
    assert manifest["versions"]["duckdb"] == duckdb.__version__
    assert {"dbt-core", "python"} <= set(manifest["versions"]) and "+" in manifest["code_version"]
    assert {check["status"] for check in manifest["checks"]} == {"passed"}
    assert manifest["tables"]["people"]["rows"] == 2
    assert manifest["run_id"] == done.run_id


def test_a_reader_has_the_build_alone(a_home: Home, folder_of: FolderOf, tmp_path: Path) -> None:
    build, _ = run(a_home, folder_of(PEOPLE))
    alone = tmp_path / "alone.duckdb"
    shutil.copyfile(build.path, alone)
    with duckdb.connect(str(alone), read_only=True) as connection:
        assert connection.execute("select count(*) from duckdb_views() where not internal").fetchone() == (0,)
        assert connection.execute("select people from marts.build_info").fetchone() == (2,)


def test_a_failed_check_names_the_rows_and_leaves_the_published_build(a_home: Home, folder_of: FolderOf) -> None:
    good, _ = run(a_home, folder_of(PEOPLE))
    with pytest.raises(CheckFailed) as failed:
        run(a_home, folder_of(MISMATCH))
    text = str(failed.value)
    assert "no_difference_tie_outs_ on tie_outs (1 row)" in text
    assert "2026-10-31 E1 P1: people 3.00, names that match 2.00, difference 1.00; look at person P9" in text
    assert f"Build {good.number} stays published" in text
    assert "fact by a row that undoes it" in text, "a corrected file never changes a fact that was accepted"
    published = a_home.need_published()
    assert published.number == good.number and check_published(a_home) == {}
    report = json.loads((a_home.builds / f"{good.number + 1}.failed.json").read_text())
    assert report["failed"][0]["name"] == "no_difference_tie_outs_"
    with duckdb.connect(str(a_home.builds / f"{good.number + 1}.failed.duckdb"), read_only=True) as kept:
        assert kept.execute("select look_at from marts.tie_outs").fetchone() == ("person P9",)


def test_only_the_last_failed_build_is_kept(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of({**PEOPLE, **MISMATCH})
    for _ in range(2):
        with pytest.raises(CheckFailed, match="Nothing is published yet"):
            run(a_home, folder)
    assert sorted(found.name for found in a_home.builds.iterdir()) == ["2.failed.duckdb", "2.failed.json"]


def test_three_builds_are_kept_and_those_that_a_close_or_a_claim_names(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of(PEOPLE)
    run(a_home, folder)
    run(a_home, folder)
    (a_home.closes / "E1-2026-09.json").write_text('{"build": 1}')
    (a_home.claims / "a").mkdir()
    (a_home.claims / "a" / "claim.json").write_text('{"evidence": [{"build_no": 2}]}')
    for _ in range(5):
        run(a_home, folder)
    assert sorted(int(found.stem) for found in a_home.builds.glob("*.duckdb")) == [1, 2, 5, 6, 7]
    assert sorted(int(found.stem) for found in a_home.builds.glob("*.json")) == [1, 2, 3, 4, 5, 6, 7]


def test_what_a_killed_run_left_is_swept_away(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of(PEOPLE)
    run(a_home, folder)
    (a_home.builds / "2.building" / "spill").mkdir(parents=True)
    (a_home.builds / "2.building" / "warehouse.duckdb").write_text("half")
    (a_home.builds / "3.json").write_text("{}")
    (a_home.builds / "3.duckdb").write_text("whole but never published")
    (a_home.builds / "4.json.part").write_text("{")
    build, again = run(a_home, folder)
    assert sorted(again.swept) == ["2.building", "3.duckdb", "3.json", "4.json.part"]
    assert build.number == 4
    assert sorted(found.name for found in a_home.builds.iterdir()) == ["1.duckdb", "1.json", "4.duckdb", "4.json"]


def test_a_view_is_never_published(
    a_home: Home, folder_of: FolderOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = planted(tmp_path, "models/marts/people.sql", "select", "{{ config(materialized='view') }} select")
    monkeypatch.setenv("TIEOUT_DBT_PROJECT", str(project))
    with pytest.raises(CheckFailed, match="publishes views: people"):
        run(a_home, folder_of(PEOPLE))
    assert a_home.published() is None


def test_a_model_that_does_not_run_is_a_bug_and_leaves_the_published_build(
    a_home: Home, folder_of: FolderOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(PEOPLE)
    good, _ = run(a_home, folder)
    project = planted(tmp_path, "models/marts/people.sql", "email", "e_mail")
    monkeypatch.setenv("TIEOUT_DBT_PROJECT", str(project))
    with pytest.raises(DbtFailed, match="people") as failed:
        run(a_home, folder)
    assert "e_mail" in str(failed.value) and failed.value.exit_code == 1
    assert a_home.need_published().number == good.number


def test_a_folder_with_nothing_to_load_ends_without_a_build(a_home: Home, folder_of: FolderOf) -> None:
    with pytest.raises(NothingLoadable, match="holds no file to load") as nothing:
        run(a_home, folder_of({"readme.txt": "hello"}))
    assert nothing.value.exit_code == 4
    with pytest.raises(NothingLoadable, match="name"):
        run(a_home, folder_of({"persons.csv": "person_id\nP1\n"}))
    with pytest.raises(UsageError, match="There is no folder"):
        run(a_home, Path("/nonexistent"))
    assert a_home.published() is None


def test_a_refused_file_marks_the_build_incomplete(a_home: Home, folder_of: FolderOf) -> None:
    build, _ = run(a_home, folder_of({**PEOPLE, "units.csv": "unit_id\nU1\n"}))
    assert len(build.manifest["incomplete"]) == 1
    assert "units.csv" in build.manifest["incomplete"][0]


def test_a_day_that_is_none_is_refused(a_home: Home, folder_of: FolderOf) -> None:
    with pytest.raises(UsageError, match="not a day"):
        run(a_home, folder_of(PEOPLE), as_of="31.10.2026")


def planted(tmp_path: Path, file: str, found: str, put: str) -> Path:
    """A copy of the small project with one text replaced."""
    project = tmp_path / "project"
    shutil.copytree(SMALL, project)
    text = (project / file).read_text()
    assert found in text
    (project / file).write_text(text.replace(found, put, 1))
    return project


def test_what_was_not_loaded_is_told_with_its_reason(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of({**PEOPLE, "notes.txt": "x", "payments.csv.part": "x"})
    run(a_home, folder)
    build, _ = run(a_home, write_files(folder, {"units.csv": "unit_id,property_id,unit_number,colour\nU,P,1,red\n"}))
    told = "\n".join(close_report(a_home))
    assert build.manifest["landing"]["left_alone"] == [
        {"file": "payments.csv.part", "message": "still being written (its name says so)"}
    ]
    for line in (
        "known already    persons.csv: the same bytes were loaded before as persons.csv",
        "left alone       payments.csv.part: still being written",
        "no data          notes.txt: not a data file",
        "unknown columns  units.csv: kept aside, unused: colour",
    ):
        assert line in told


def test_a_refused_file_counts_until_it_is_gone_or_replaced(a_home: Home, folder_of: FolderOf) -> None:
    folder = folder_of({**PEOPLE, "units.csv": "unit_id\nU1\n", "leases.csv": "lease_id\nL1\n"})
    run(a_home, folder)
    build, _ = run(a_home, folder_of({"persons-2.csv": "person_id,name\nP7,Al\n"}))
    assert len(build.manifest["incomplete"]) == 2, "another folder says nothing about this one"
    (folder / "leases.csv").unlink()
    build, _ = run(a_home, folder)
    assert [line[:9] for line in build.manifest["incomplete"]] == ["units.csv"]
    with pytest.raises(NothingLoadable):
        run(a_home, folder_of({"charges.csv": "by mistake\n"}))
    build, _ = run(a_home, folder_of({"units.csv": "unit_id,property_id,unit_number\nU1,P1,1\n"}))
    assert build.manifest["incomplete"] == []
