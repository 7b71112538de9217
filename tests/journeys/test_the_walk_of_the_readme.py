"""Every stop of the README's walk of one charge is a command that works, and its two commands are there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from orchestration.home import Home

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def between(first: str, last: str) -> str:
    return README.split(first, 1)[1].split(last, 1)[0]


STOPS = re.findall(r"^ +(grep .*|\.venv/bin/tieout .*)$", between("<!-- walk -->", "<!-- end walk -->"), re.MULTILINE)


@pytest.mark.parametrize("stop", STOPS)
def test_a_stop_of_the_walk_shows_something(stop: str, sample_home: Home, tmp_path: Path) -> None:
    command = stop.replace(".venv/bin/tieout", f"{sys.executable} -W ignore -m orchestration.cli")
    command = command.replace("--out statement.pdf", f"--out {tmp_path / 'statement.pdf'}")
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env={**os.environ, "TIEOUT_HOME": str(sample_home.path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and "(0 rows)" not in done.stdout


def test_the_walk_has_its_stops_and_the_two_commands_stand() -> None:
    assert len(STOPS) >= 11
    assert "tieout demo" in between("<!-- command: demo -->", "<!-- end -->")
    assert "pytest" in between("<!-- command: test -->", "<!-- end -->")
