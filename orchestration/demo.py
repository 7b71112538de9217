"""The demonstration: the shipped sample portfolio, from an empty folder to closed months."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from orchestration import jobs
from orchestration.closing.close import Month, close, finished_months
from orchestration.errors import UsageError
from orchestration.home import Home
from orchestration.progress import say

CLOSED_BY = "tieout demo"
#: What the sample holds on purpose, so that it can be looked at: nobody is left to correct it.
ACCEPTED = {"quarantine", "suspense", "late fees"}
BECAUSE = "The sample shows bad rows, money without a lease and doubtful late fees; they stay for everybody to look at."


def run_demo(home: Home) -> list[Month]:
    """Land and build the sample in `home`, then close every finished month in one run. Returns the months closed.

    A second demo in the same home loads nothing and changes nothing. Raises UsageError where the home holds other data.
    """
    from orchestration.sample import write_sample

    with home.locked("tieout demo"), tempfile.TemporaryDirectory() as folder:
        say("Writing the sample portfolio")
        sample = write_sample(Path(folder))
        refuse_other_data(home, set(sample.files))
        jobs.run(home, Path(folder), as_of=sample.as_of.isoformat())
        months = finished_months(home, despite=ACCEPTED)
        if months:
            close(home, months, by=CLOSED_BY, accept=BECAUSE)
        return months


def refuse_other_data(home: Home, files: set[str]) -> None:
    """Raise UsageError where the home holds files that are not of the sample."""
    if not home.raw.exists():
        return
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        found = raw.execute("select file from landing.batches where status = 'loaded'").fetchall()
    other = sorted(
        file
        for (file,) in found
        if file not in files and not file.startswith("shipped/") and file != "period_closes.csv"
    )
    if other:
        raise UsageError(
            f"{home.path} holds other data ({', '.join(other[:3])}); the sample would be mixed with it.",
            "Choose another folder with --home.",
        )
