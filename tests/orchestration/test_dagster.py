"""Dagster: what it shows, how it is joined, and that a run by hand stands in its history."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from orchestration.errors import CheckFailed
from orchestration.home import Home
from orchestration.publishing.publish import check_published
from tests.conftest import Files
from tests.orchestration.conftest import MISMATCH, PEOPLE, SMALL, tieout

FolderOf = Callable[[Files], Path]


@pytest.fixture(scope="module")
def defs() -> dg.Definitions:
    """The product's own definitions, loaded once."""
    assert "TIEOUT_DBT_PROJECT" not in os.environ
    from orchestration.definitions import defs

    return defs


@pytest.fixture(scope="module")
def graph(defs: dg.Definitions) -> dg.AssetGraph:  # type: ignore[name-defined]
    return defs.resolve_asset_graph()


def test_every_published_table_reaches_a_landing_asset(graph) -> None:  # type: ignore[no-untyped-def]
    marts = [key for key in graph.get_all_asset_keys() if key.path[0] == "marts"]
    assert len(marts) > 15
    for key in marts:
        above = graph.get_ancestor_asset_keys(key)
        assert any(up.path[0] == "landing" for up in above), f"{key.to_user_string()} comes from nowhere"
        assert dg.AssetKey(["files", "landing_folder"]) in above


def test_no_asset_hangs_in_the_air(graph) -> None:  # type: ignore[no-untyped-def]
    known = graph.get_all_asset_keys()
    for key in known:
        assert graph.get(key).parent_keys <= known, f"{key} has a parent that nothing describes"
    roots = {key.to_user_string() for key in known if not graph.get(key).parent_keys}
    # Balances kept for closed months are written by the builds before; files come from outside.
    own = {"files/landing_folder", "files/closing_book", "files/posting_book", "landing/closed_balances"}
    assert own <= roots
    made_of_nothing = {key for key in roots - own if not key.startswith(("core/", "rules/"))}
    assert not made_of_nothing, "only calendars and settings may come from no landed row"


def test_every_source_of_the_warehouse_is_a_landing_asset(graph) -> None:  # type: ignore[no-untyped-def]
    manifest = the_manifest()
    sources = {dg.AssetKey([s["source_name"], s["name"]]) for s in manifest["sources"].values()}
    assert sources <= graph.get_all_asset_keys()


def test_every_dbt_test_is_a_check_that_blocks(defs: dg.Definitions, graph) -> None:  # type: ignore[no-untyped-def]
    manifest = the_manifest()
    tests = {n["name"] for n in manifest["nodes"].values() if n["resource_type"] == "test"}
    checks = {key.name: key for key in graph.asset_check_keys}
    assert tests <= checks.keys(), f"tests that Dagster would not show: {sorted(tests - checks.keys())}"
    severe = {
        n["name"]
        for n in manifest["nodes"].values()
        if n["resource_type"] == "test" and n["config"]["severity"].lower() == "error"
    }
    assert all(graph.get(checks[name]).blocking for name in severe)


def test_what_was_landed_is_checked_before_anything_is_built(graph) -> None:  # type: ignore[no-untyped-def]
    checks = [key for key in graph.asset_check_keys if key.asset_key.path[0] == "landing"]
    assert len(checks) > 10
    assert all(graph.get(key).blocking for key in checks)


def test_occasions_have_names_and_one_process(defs: dg.Definitions) -> None:
    assert {job.name for job in defs.resolve_all_job_defs() if not job.name.startswith("__")} == {
        "run", "close", "month_end", "post",
    }  # fmt: skip
    for name in ("run", "close", "month_end", "post"):
        assert defs.resolve_job_def(name).executor_def.name == "in_process"
    assert [s.name for s in defs.schedules or []] == ["nightly", "month_end"]
    assert [s.name for s in defs.sensors or []] == ["landing_folder"]


@pytest.fixture
def looks(defs: dg.Definitions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Let the sensor look once; returns how many runs it asks for."""
    monkeypatch.setenv("TIEOUT_LANDING", str(tmp_path / "watched"))
    sensor = next(iter(defs.sensors or []))
    cursor: list[str | None] = [None]

    def look() -> int:
        with dg.build_sensor_context(cursor=cursor[0], definitions=defs) as context:
            data = sensor.evaluate_tick(context)
            cursor[0] = data.cursor
            for request in data.run_requests or []:
                assert request.run_config["ops"]["landing"]["config"]["folder"] == str(tmp_path / "watched")
            return len(data.run_requests or [])

    yield look


def test_the_sensor_starts_a_run_for_a_new_or_changed_file_once_it_is_finished(
    looks: Callable[[], int], tmp_path: Path
) -> None:
    assert looks() == 0, "no folder yet"
    folder = tmp_path / "watched"
    folder.mkdir()
    (folder / "persons.csv.part").write_text("person_id,name\n")
    assert looks() == 0 and looks() == 0, "a .part file is left alone"
    (folder / "persons.csv").write_text("person_id,name\n")
    assert looks() == 0, "just seen: it may still grow"
    (folder / "persons.csv").write_text("person_id,name\nP1,Ann\n")
    assert looks() == 0, "it grew"
    assert looks() == 1
    assert looks() == 0, "nothing new"
    (folder / "persons.csv").write_text("person_id,name\nP1,Ann\nP2,Bo\n")
    assert looks() == 0
    assert looks() == 1, "a changed file is loaded again"
    (folder / "source").mkdir()
    (folder / "source" / "units.csv").write_text("unit_id\n")
    looks()
    assert looks() == 1


def test_a_run_by_hand_stands_in_dagsters_history(a_home: Home, folder_of: FolderOf) -> None:
    small = {"TIEOUT_DBT_PROJECT": str(SMALL)}
    done = tieout("run", "--landing", folder_of(PEOPLE), "--as-of", "2026-10-31", home=a_home, **small)
    assert done.returncode == 0, done.stderr
    assert "Build 1 is published, as of 2026-10-31." in done.stdout
    assert check_published(a_home) == {}
    failed = tieout("run", "--landing", folder_of(MISMATCH), home=a_home, **small)
    assert failed.returncode == CheckFailed.exit_code == 3
    assert "look at person P9" in failed.stderr and "Traceback" not in failed.stderr
    assert a_home.need_published().number == 1
    look = tieout("status", home=a_home)
    assert look.returncode == 0 and "Build 2 failed and is not published" in look.stdout
    assert "persons-3.csv" in look.stdout, "what is loaded and not published is named"

    with instance_of(a_home) as instance:
        runs = instance.get_runs()
        assert [(run.job_name, run.status.value) for run in runs] == [("run", "FAILURE"), ("run", "SUCCESS")]
        key = dg.AssetKey(["published", "build"])
        event = instance.get_latest_materialization_event(key)
        assert event is not None and event.run_id == runs[1].run_id, "a failed run publishes nothing"
        assert event.asset_materialization is not None
        assert event.asset_materialization.metadata["build"].value == 1
        rows = instance.event_log_storage.get_logs_for_run(runs[0].run_id)
        evaluations = [
            record.dagster_event.asset_check_evaluation_data
            for record in rows
            if record.dagster_event and record.dagster_event.event_type_value == "ASSET_CHECK_EVALUATION"
        ]
        failing = [check for check in evaluations if not check.passed]
        assert [check.check_name for check in failing] == ["no_difference_tie_outs_"]
        assert "look at person P9" in (failing[0].description or ""), "the check itself shows the rows"


def the_manifest() -> dict[str, dict[str, dict[str, Any]]]:
    """The manifest that the definitions were made from."""
    from orchestration.defs.warehouse import project

    return json.loads(project.manifest_json.read_text())


def instance_of(home: Home) -> dg.DagsterInstance:
    os.environ["DAGSTER_HOME"] = str(home.dagster)
    try:
        return dg.DagsterInstance.get()
    finally:
        del os.environ["DAGSTER_HOME"]
