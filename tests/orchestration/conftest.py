"""A small dbt project over the real door: builds take two seconds, so that kills and readers can be tried often."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestration.home import Home
from tests.conftest import Files, write_files

SMALL = Path(__file__).parent / "small_project"
FULL = os.environ.get("TIEOUT_PROOF", "quick") == "full"

PEOPLE: Files = {
    "persons.csv": [
        {"person_id": "P1", "name": "Ann Ames", "email": "ann@example.org"},
        {"person_id": "P2", "name": "Bo Berg", "email": None},
    ]
}
ONE_MORE: Files = {"persons-2.csv": [{"person_id": "P3", "name": "Cy Cole", "email": None}]}
MISMATCH: Files = {"persons-3.csv": [{"person_id": "P9", "name": "Mismatch", "email": None}]}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the small project instead of the product's own."""
    monkeypatch.setenv("TIEOUT_DBT_PROJECT", str(SMALL))


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[[Files], Path]:
    """Write files into a new folder and return it."""
    made = iter(range(1000))

    def write(files: Files) -> Path:
        return write_files(tmp_path / f"landing{next(made)}", files)

    return write


def start(code: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    """Start a Python process on this code; `sys.argv[1:]` are the arguments."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


RUN_FOLDER = """
import sys
from pathlib import Path
from orchestration import pipeline
from orchestration.home import Home
build, run = pipeline.run_folder(Home(Path(sys.argv[1])), Path(sys.argv[2]), expectations=False)
print(build.number)
"""


def tieout(*arguments: object, home: Home | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command `tieout` in a process of its own."""
    where = ["--home", str(home.path)] if home else []
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "orchestration.cli", *map(str, arguments), *where],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def run_python() -> Callable[[str], str]:
    """Run Python code in a process of its own and return what it printed."""

    def run(code: str) -> str:
        process = start(code)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out

    return run
