"""A posting run that is killed, wherever it stands, and started again: the same charges, one run row, nothing twice.

The process that posts is the real one and is killed by itself, in the middle of what it does: when it has opened,
made, renamed or removed its n-th file. No build lies between; what a build makes of a run is in `test_the_audits`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from orchestration.home import Home
from tests.conftest import BuildOf, Built
from tests.warehouse.late_fees.town import AS_OF, town

FULL = os.environ.get("TIEOUT_PROOF", "quick") == "full"
KILLS = 10 if FULL else 2

POST = """
import os, signal, sys
from pathlib import Path
home_path, folder, die_at = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
from orchestration.closing.close import closing_moment
from orchestration.errors import Refused
from orchestration.home import Home
from orchestration.landing import land
from orchestration.posting.post import Wanted, write_runs
from orchestration.publishing.publish import instant
import polars, duckdb
seen = 0
def moment(event, arguments):
    global seen
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.truncate") or event.startswith("shutil."):
        seen += 1
        if seen == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(moment)
home = Home(Path(home_path))
with home.locked("tieout post"):
    known, loaded_at = closing_moment(home)
    try:
        posted = write_runs(home, Wanted(("recurring", "late_fee")), instant(known), folder)
    except Refused as refused:
        print("refused", refused)
    else:
        land(home, folder, loaded_at=loaded_at, run_id="post")
        print("landed", posted.charges)
print("files", seen)
"""
CHARGES = "select charge_id, lease_id, charge_code, amount, service_from, posting_run_id from landing.charges"


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(town().files(), as_of=AS_OF)


def run(home: Path, folder: Path, die_at: int = 0) -> subprocess.CompletedProcess[str]:
    """Post in a process of its own that kills itself at its n-th file (0: never)."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", POST, str(home), str(folder), str(die_at)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def landed(home: Path) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]], int]:
    """What posting put into the raw file: charges, run rows, and how many lines."""
    with duckdb.connect(str(home / "raw.duckdb"), read_only=True) as raw:
        charges = raw.execute(f"{CHARGES} where charge_id like 'post-%' order by all").fetchall()
        runs = raw.execute("select posting_run_id, status, posted from landing.posting_runs order by all").fetchall()
        lines = raw.execute("select count(*) from landing.posting_run_lines").fetchone()
    assert lines is not None
    return charges, runs, lines[0]


def test_a_run_killed_at_any_point_and_started_again_posts_the_same_once(built: Built, tmp_path: Path) -> None:
    untouched = tmp_path / "untouched"
    shutil.copytree(built.home.path, untouched, symlinks=True)
    whole = run(untouched, tmp_path / "landing-untouched")
    assert whole.returncode == 0, whole.stderr
    said, files = whole.stdout.split("files ")
    assert "landed 7" in said
    right = landed(untouched)
    assert len(right[0]) == 7 and {status for _, status, _ in right[1]} == {"completed"}
    stages = set()
    for turn in range(KILLS):
        # From the first file to the last: the killed run has written nothing, a part of its files, or all and landed.
        die_at = 1 + round((int(files) - 1) * turn / (KILLS - 1))
        home = tmp_path / f"home{turn}"
        shutil.copytree(built.home.path, home, symlinks=True)
        killed = run(home, tmp_path / f"landing{turn}-killed", die_at)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        left = landed(home)
        assert left in (([], [], 0), right), f"half a run landed, killed at file {die_at} of {files}"
        stages.add(bool(left[0]))
        again = run(home, tmp_path / f"landing{turn}")
        assert again.returncode == 0, again.stderr
        assert landed(home) == right, f"killed at file {die_at} of {files}"
        # What was landed by the killed run is published before anything else is posted.
        assert ("refused" in again.stdout) == bool(left[0])
        assert Home(home).need_published().number == built.build.number
        shutil.rmtree(home)
    assert False in stages, "every kill came after the landing: nothing was proved"
