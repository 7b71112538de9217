"""The harness: small files in, a built warehouse out, by the same steps that the Dagster job runs.

A test says which files arrive when, as texts or rows, and asks the published build. Builds are kept for the session by
their content, so tests that want the same history share one build: put many cases into one portfolio, as many leases.

    def test_a_payment_lowers_the_balance(build_of):
        built = build_of({"leases.csv": "lease_id,...\\nL1,...", ...}, as_of="2026-10-31")
        assert built.rows("select ... from resident_ledger where lease_id = ?", ["L1"]) == [...]
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration import pipeline
from orchestration.home import Build, Home
from orchestration.pipeline import Run
from tests.copied_rules import Land, copying

Rows = Sequence[Mapping[str, object]]
Files = Mapping[str, str | Rows]  # file name -> its text, or its rows
Load = tuple[str, Files]  # the moment of the run (ISO with offset; empty: now), the files that arrive
BuildOf = Callable[..., "Built"]


@dataclass(frozen=True)
class Built:
    """A home after its last load, and the build that is published in it."""

    home: Home
    build: Build
    run: Run

    def rows(self, sql: str, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """Rows of a query on the build. The published tables need no schema; inner ones are `core.x`, `gl.x`, ..."""
        with duckdb.connect(str(self.build.path), read_only=True) as connection:
            connection.execute("set TimeZone = 'UTC'")
            connection.execute("set schema = 'marts'")
            return connection.execute(sql, parameters).fetchall()

    def dicts(self, sql: str, parameters: Sequence[object] | None = None) -> list[dict[str, Any]]:
        """Rows of a query on the build as dicts."""
        with duckdb.connect(str(self.build.path), read_only=True) as connection:
            connection.execute("set TimeZone = 'UTC'")
            connection.execute("set schema = 'marts'")
            cursor = connection.execute(sql, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def one(self, sql: str, parameters: Sequence[object] | None = None) -> Any:
        """The single value of a query with one row and one column."""
        found = self.rows(sql, parameters)
        assert len(found) == 1 and len(found[0]) == 1, f"expected one value, found {found[:5]}"
        return found[0][0]

    def landed(self, sql: str, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """Rows of a query on the raw file: `landing.charges`, `landing.quarantine`, ..."""
        with duckdb.connect(str(self.home.raw), read_only=True) as connection:
            return connection.execute(sql, parameters).fetchall()

    @property
    def hashes(self) -> dict[str, str]:
        """The table hashes of the manifest."""
        return {name: table["hash"] for name, table in self.build.manifest["tables"].items() if "hash" in table}


_LAND_SHIPPED_RULES = pipeline.land_shipped_rules

#: In quick mode the simple twin plays fewer accounts in each build; tests of the twin itself set their own number.
if os.environ.get("TIEOUT_PROOF", "quick") != "full":
    os.environ.setdefault("TIEOUT_TWIN_ACCOUNTS", "40")


#: Files that ask for the same builds go to one worker, which makes each of them once; the others go file by file.
SHARED_BUILDS = (
    "tests/warehouse/books/",
    "tests/warehouse/late_fees/test_the_audits.py tests/warehouse/late_fees/test_a_posting_run_is_killed.py",
    "tests/warehouse/subledger/test_kinds_of_money.py tests/warehouse/subledger/test_order_of_arrival.py"
    " tests/warehouse/subledger/test_broken_subledger.py",
)
#: Fixtures behind which a build stands, the dearest first.
BUILDS = ("sample_home", "build_of", "built", "a_home", "small")


def work_of(nodeid: str) -> str:
    """What one worker does as a whole: the file of a test, or the files that share builds with it."""
    file = nodeid.split("::", 1)[0]
    return next((group for group in SHARED_BUILDS if any(file.startswith(of) for of in group.split())), file)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, then with what builds: what is short at the end keeps both workers busy.

    What one worker does as a whole stays together, and begins with the first of it.
    """

    def place(item: pytest.Item) -> int:
        if item.get_closest_marker("long") is not None:
            return 0
        asked = getattr(item, "fixturenames", ())
        return 1 + next((at for at, name in enumerate(BUILDS) if name in asked), len(BUILDS))

    first: dict[str, int] = {}
    for item in items:
        work = work_of(item.nodeid)
        first[work] = min(first.get(work, len(BUILDS) + 1), place(item))
    order = {work: at for at, work in enumerate(sorted(first, key=lambda work: first[work]))}
    items.sort(key=lambda item: order[work_of(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """`--dist loadfile`, with the files that share builds as one."""
    from xdist.scheduler import LoadFileScheduling

    class ByBuilds(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return work_of(nodeid)

    return ByBuilds(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def landing_of_rules() -> Land:
    """How the product lands the rules that come with it."""
    return _LAND_SHIPPED_RULES


@pytest.fixture(scope="session", autouse=True)
def rules_are_copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new home gets the shipped rules from another home in which they landed (see `copied_rules`)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "land_shipped_rules", copying(_LAND_SHIPPED_RULES, tmp_path_factory.mktemp("rules")))
        yield


def write_files(folder: Path, files: Files) -> Path:
    """Write files into a folder; rows become CSV with the columns of all rows in order of appearance, None empty."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else csv_text(content), encoding="utf-8")
        os.utime(path, (0, 0))  # files of long ago: the door need not watch whether they still grow
    return folder


def csv_text(rows: Rows) -> str:
    """Rows as CSV text."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{k: "" if v is None else v for k, v in row.items()} for row in rows])
    return stream.getvalue()


def build_history(
    home: Home, loads: Sequence[Load], as_of: str = "", *, expectations: bool = False, each: bool = True
) -> Built:
    """Run every load in turn in one home. Moments must rise. Returns the home after the last one.

    Without `each` the loads before the last are landed and not built: a build reads what has landed, never a build.

    The guard behind the door is left out unless asked for: it is tested on its own and costs three seconds a load.
    """
    built: Built | None = None
    for number, (moment, files) in enumerate(loads, start=1):
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder), files)
            if number < len(loads) and not each:
                with home.locked("run"):
                    pipeline.load(pipeline.begin(home, loaded_at=datetime.fromisoformat(moment)), Path(folder))
                continue
            build, run = pipeline.run_folder(
                home,
                Path(folder),
                as_of=as_of,
                loaded_at=datetime.fromisoformat(moment) if moment else None,
                expectations=expectations,
            )
        built = Built(home, build, run)
    assert built is not None, "a history needs a load"
    return built


@pytest.fixture(scope="session")
def build_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuildOf]:
    """`build_of(files, as_of=...)` or `build_of(loads=[(moment, files), ...], as_of=...)`: a Built, kept by content.

    Of several loads the last alone is built (see `build_history`).

    The home is shared with every test that gives the same content: read it, do not change it (see `a_home`).
    """
    known: dict[str, Built] = {}
    folder = tmp_path_factory.mktemp("homes")

    def build(files: Files | None = None, *, loads: Sequence[Load] | None = None, as_of: str = "") -> Built:
        history = loads if loads is not None else [("", files or {})]
        content = json.dumps([as_of, [(m, {n: _plain(f) for n, f in fs.items()}) for m, fs in history]], default=str)
        key = hashlib.sha256(content.encode()).hexdigest()[:16]
        if key not in known:
            known[key] = build_history(Home(folder / key), history, as_of, each=False)
        return known[key]

    yield build
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, str]:
    """The home that the command `tieout demo` leaves and what it printed, made once for all workers. Read it only."""
    root = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        root = root.parent
    folder = root / "demo"
    folder.mkdir(exist_ok=True)
    printed = folder / "printed.txt"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            command = [sys.executable, "-W", "ignore", "-m", "orchestration.cli", "demo", "--home", folder / "home"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            printed.write_text(done.stdout, "utf-8")
    return Home(folder / "home"), printed.read_text("utf-8")


@pytest.fixture(scope="session")
def sample_home(demo: tuple[Home, str]) -> Home:
    """The shipped sample, built as of its own day, with every finished month closed. Read it only."""
    return demo[0]


@pytest.fixture
def a_home(tmp_path: Path) -> Home:
    """An empty home of one test's own."""
    return Home(tmp_path / "home")


def _plain(content: str | Rows) -> object:
    return content if isinstance(content, str) else [dict(row) for row in content]
