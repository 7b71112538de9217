"""Run a Dagster job in this process, in the home's own Dagster instance.

A run by hand and a scheduled one are the same code and stand in the same history.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from orchestration.errors import TieoutError
from orchestration.home import HOME_VARIABLE, Build, Home
from orchestration.pipeline import telemetry_off
from orchestration.progress import say
from orchestration.resources.dbt import environment


def run(home: Home, folder: Path, *, as_of: str = "", loaded_at: datetime | None = None) -> Build:
    """The job `run`: load a folder, build, test, publish.

    Raises the errors of `orchestration.errors`; the published build is then as it was.
    """
    landing = {"folder": str(folder.absolute()), "must_load": True}
    return execute(home, "run", {"landing": landing}, as_of=as_of, loaded_at=loaded_at)


def rebuild(home: Home, *, install_rules: bool = False) -> Build:
    """The job `run` without a folder: judge the waiting rows again and build for the same day as the published build.

    With `install_rules` the rules that come with the product are landed first.
    """
    published = home.published()
    before = published.manifest if published else {}
    landing = {"waiting_rows_only": True, "install_rules": install_rules}
    return execute(home, "run", {"landing": landing}, as_of=before.get("as_of_given", ""))


def month_end(
    home: Home, folder: Path, *, by: str, reviewed_by: str = "", as_of: str = "", loaded_at: datetime | None = None
) -> Build:
    """The job `month_end`: load a folder, build, close what may close, draw statements, leave a report."""
    steps = {
        "load_and_build": {"folder": str(folder.absolute())},
        "close_finished": {"closed_by": by, "reviewed_by": reviewed_by},
    }
    return execute(home, "month_end", steps, as_of=as_of, loaded_at=loaded_at)


def execute(
    home: Home, job: str, steps: dict[str, dict[str, Any]], *, as_of: str = "", loaded_at: datetime | None = None
) -> Build:
    """Run a job with the config of its steps, holding the home's lock. Returns the build that it published."""
    with home.locked(f"tieout {job}"), _environment_of(home):
        home.create()
        say("Starting Dagster")
        import dagster as dg

        from orchestration.definitions import defs

        where = {"path": str(home.path), "as_of": as_of, "loaded_at": loaded_at.isoformat() if loaded_at else ""}
        config = {
            "resources": {"home": {"config": where}},
            "ops": {name: {"config": settings} for name, settings in steps.items()},
            "loggers": {"console": {"config": {"log_level": os.environ.get("TIEOUT_LOG", "CRITICAL")}}},
        }
        with dg.DagsterInstance.get() as instance:
            try:
                defs.resolve_job_def(job).execute_in_process(instance=instance, run_config=config, raise_on_error=True)
            except dg.Failure as failure:
                if isinstance(failure.__cause__, TieoutError):
                    raise failure.__cause__ from None
                raise
    build = home.published()
    assert build is not None
    return build


@contextlib.contextmanager
def _environment_of(home: Home) -> Iterator[None]:
    """Dagster and the steps of the job look up the home in the environment; it is as before afterwards."""
    telemetry_off()
    with environment({"DAGSTER_HOME": str(home.dagster), HOME_VARIABLE: str(home.path)}):
        yield
