"""Kills, readers and two runs at once: nothing is lost and nobody sees half a build. Sized by TIEOUT_PROOF."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestration import pipeline
from orchestration.home import Home
from orchestration.publishing.publish import check_published
from tests.conftest import Files
from tests.orchestration.conftest import FULL, ONE_MORE, PEOPLE, RUN_FOLDER, SMALL, start

pytestmark = [pytest.mark.usefixtures("small"), pytest.mark.long]
FolderOf = Callable[[Files], Path]
SLOW = {"TIEOUT_DBT_PROJECT": str(SMALL), "SMALL_SLOW": "30"}

READ = """
import sys, time
from pathlib import Path
import duckdb
home, ends = Path(sys.argv[1]), time.monotonic() + 120
seen, reads = [], 0
while not (home / "stop").exists() and time.monotonic() < ends:
    with duckdb.connect(str((home / "current").resolve()), read_only=True) as connection:
        info = connection.execute("select build_no, people from marts.build_info").fetchone()
        people = connection.execute("select count(*) from marts.people").fetchone()[0]
        settings = connection.execute("select build_no from core.int_build__settings").fetchone()[0]
    assert info == (settings, people), (info, settings, people)
    reads += 1
    if not seen or seen[-1] != info[0]:
        seen.append(info[0])
print(reads, *seen)
"""


def test_a_run_killed_while_it_builds_leaves_the_old_build_and_the_next_run_works(
    a_home: Home, folder_of: FolderOf
) -> None:
    old, _ = pipeline.run_folder(a_home, folder_of(PEOPLE), expectations=False)
    before = old.manifest["tables"]["people"]["hash"]
    folder = folder_of(ONE_MORE)
    process = start(RUN_FOLDER, a_home.path, folder, **SLOW)
    half_made = a_home.builds / f"{old.number + 1}.building" / "warehouse.duckdb"
    wait_for(lambda: half_made.exists() and half_made.stat().st_size > 0, process)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert half_made.exists(), "the kill came too late to prove anything"
    assert a_home.need_published().number == old.number and check_published(a_home) == {}
    assert a_home.need_published().manifest["tables"]["people"]["hash"] == before
    new, again = pipeline.run_folder(a_home, folder, expectations=False)
    assert new.manifest["tables"]["people"]["rows"] == 3
    assert f"{old.number + 1}.building" in again.swept and not half_made.exists()


def test_a_kill_at_any_moment_leaves_a_whole_build(a_home: Home, folder_of: FolderOf) -> None:
    pipeline.run_folder(a_home, folder_of(PEOPLE), expectations=False)
    chance = random.Random(7)
    for turn in range(25 if FULL else 3):
        person = {"person_id": f"Q{turn}", "name": f"Name {turn}", "email": None}
        process = start(RUN_FOLDER, a_home.path, folder_of({f"persons-{turn}.csv": [person]}))
        time.sleep(chance.uniform(0.5, 9.0))
        process.kill()
        process.wait()
        assert check_published(a_home) == {}, f"turn {turn}"
        with a_home.locked("a look after the kill"):
            pass
    everyone = {f"persons-{t}.csv": [{"person_id": f"Q{t}", "name": f"Name {t}", "email": None}] for t in range(3)}
    final, _ = pipeline.run_folder(a_home, folder_of(everyone), expectations=False)
    assert final.manifest["tables"]["people"]["rows"] == (27 if FULL else 5)
    assert check_published(a_home) == {}


def test_a_reader_never_fails_and_never_sees_a_mixture_while_builds_are_published(
    a_home: Home, folder_of: FolderOf
) -> None:
    pipeline.run_folder(a_home, folder_of(PEOPLE), expectations=False)
    readers = [start(READ, a_home.path) for _ in range(2)]
    time.sleep(1.0)
    builds = []
    for turn in range(12 if FULL else 3):
        person = {"person_id": f"R{turn}", "name": f"Name {turn}", "email": None}
        build, _ = pipeline.run_folder(a_home, folder_of({f"persons-{turn}.csv": [person]}), expectations=False)
        builds.append(build.number)
    time.sleep(1.0)
    (a_home.path / "stop").touch()
    for reader in readers:
        out, err = reader.communicate(timeout=60)
        assert reader.returncode == 0, err
        reads, *seen = map(int, out.split())
        assert reads > 20 and seen == sorted(seen) and seen[-1] == builds[-1]


def test_of_two_runs_at_once_the_second_is_refused_and_the_first_publishes(a_home: Home, folder_of: FolderOf) -> None:
    a_home.create()
    first = start(RUN_FOLDER, a_home.path, folder_of(PEOPLE), **SLOW)
    wait_for(lambda: a_home.lock.exists() and "process" in a_home.lock.read_text(), first)
    second = start(RUN_FOLDER, a_home.path, folder_of(ONE_MORE))
    _, refused = second.communicate(timeout=60)
    assert second.returncode != 0 and "Another run holds" in refused and str(first.pid) in refused
    out, err = first.communicate(timeout=120)
    assert first.returncode == 0, err
    assert a_home.need_published().number == int(out)


def wait_for(happened: Callable[[], bool], process: object, seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, process.communicate()  # type: ignore[attr-defined]
        assert time.monotonic() < ends, "waited too long"
        time.sleep(0.02)
