"""The home: one writer at a time, and a lock that a kill frees."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from orchestration.errors import HomeLocked, UsageError
from orchestration.home import Home
from orchestration.quarantine import Waiting, export
from tests.orchestration.conftest import start

HOLD = """
import sys, time
from pathlib import Path
from orchestration.home import Home
with Home(Path(sys.argv[1])).locked("a long load"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_told_who_holds_the_lock(a_home: Home) -> None:
    a_home.create()
    holder = start(HOLD, a_home.path)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(HomeLocked) as refused, a_home.locked("another"):
            pass
        assert refused.value.exit_code == 5
        assert f"process {holder.pid}" in str(refused.value) and "a long load" in str(refused.value)
        assert "Wait until it ends" in str(refused.value)
    finally:
        holder.kill()
        holder.wait()


def test_a_kill_frees_the_lock(a_home: Home) -> None:
    a_home.create()
    holder = start(HOLD, a_home.path)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with a_home.locked("the next run"):
        assert str(os.getpid()) in a_home.lock.read_text()


def test_the_process_that_holds_the_lock_may_enter_again(a_home: Home) -> None:
    with a_home.locked("outer"):
        with a_home.locked("inner"):
            pass
        assert "outer" in a_home.lock.read_text()
        other = start("import sys\nfrom pathlib import Path\nfrom orchestration.home import Home\n"
                      "with Home(Path(sys.argv[1])).locked('x'): pass", a_home.path)  # fmt: skip
        _, err = other.communicate()
        assert "HomeLocked" in err, "leaving the inner block must not free the outer one's lock"
    with a_home.locked("later"):
        pass


def test_the_default_home_is_the_variable_then_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TIEOUT_HOME", raising=False)
    assert Home.at(None).path == tmp_path / "tieout-home"
    monkeypatch.setenv("TIEOUT_HOME", str(tmp_path / "elsewhere"))
    assert Home.at(None).path == tmp_path / "elsewhere"
    assert Home.at("given").path == tmp_path / "given"


def test_a_missing_home_says_how_to_make_one(a_home: Home) -> None:
    with pytest.raises(UsageError, match="tieout demo"):
        a_home.need()


def test_a_home_that_cannot_be_is_a_mistake_in_the_command_and_no_bug(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a home")
    for place, words in ((tmp_path / "file", "is a file; a home is a folder"), (Path("/proc/home"), "cannot be made")):
        home = Home(place)
        with pytest.raises(UsageError, match=words), home.locked("tieout run"):
            pass
        with pytest.raises(UsageError, match=words):
            home.create()


def test_an_export_to_a_folder_that_is_not_there_is_no_bug_either(a_home: Home, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        export(a_home, Waiting([]), tmp_path / "missing" / "rows.csv")


def test_a_build_number_is_never_used_twice(a_home: Home) -> None:
    a_home.create()
    assert a_home.next_build_number() == 1
    for name in ("3.json", "5.failed.duckdb", "4.duckdb"):
        (a_home.builds / name).touch()
    (a_home.builds / "7.building").mkdir()
    assert a_home.next_build_number() == 8


def test_dagster_sends_nothing_and_runs_one_at_a_time(a_home: Home) -> None:
    settings = (a_home.create().dagster / "dagster.yaml").read_text()
    assert "telemetry:\n  enabled: false" in settings
    assert "max_concurrent_runs: 1" in settings


def test_the_command_is_refused_within_seconds_while_a_run_holds_the_home(a_home: Home) -> None:
    from tests.orchestration.conftest import tieout

    a_home.create()
    holder = start(HOLD, a_home.path)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        began = time.monotonic()
        second = tieout("run", "--landing", a_home.path, home=a_home)
        assert second.returncode == 5
        assert "Another run holds" in second.stderr and "Traceback" not in second.stderr
        assert time.monotonic() - began < 30
    finally:
        holder.kill()
        holder.wait()
