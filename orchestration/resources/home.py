"""The home of a run, as a Dagster resource: the lock is taken when a run starts and freed when it ends."""

import contextlib
from collections.abc import Generator
from datetime import datetime

import dagster as dg
from pydantic import PrivateAttr

from orchestration import pipeline
from orchestration.errors import TieoutError
from orchestration.home import Home


class HomeResource(dg.ConfigurableResource):
    """Which home a run works in and the day that its build stands for.

    All steps of a run share one process (a DuckDB file has one writer), hence one instance of this resource, which
    carries the run from step to step. A run that is started again from a failed step begins with what is in the home.
    """

    path: str = ""
    """The home's folder; empty: $TIEOUT_HOME, else ./tieout-home."""
    as_of: str = ""
    """The as-of day of the build, YYYY-MM-DD; empty: the earliest local date among the properties."""
    loaded_at: str = ""
    """The moment of the run, ISO with offset, for a close that must come just before it; empty: now."""

    _run: pipeline.Run | None = PrivateAttr(default=None)

    @property
    def home(self) -> Home:
        return Home.at(self.path or None)

    @contextlib.contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator["HomeResource", None, None]:
        with self.home.locked(f"Dagster run {context.run.run_id}" if context.run else "Dagster"):
            yield self

    def run(self, run_id: str) -> pipeline.Run:
        """The run in progress; begun at the first call."""
        if self._run is None or self._run.run_id != run_id:
            moment = datetime.fromisoformat(self.loaded_at) if self.loaded_at else None
            self._run = pipeline.begin(self.home, as_of=self.as_of, run_id=run_id, loaded_at=moment)
        return self._run


@contextlib.contextmanager
def failures_in_words() -> Generator[None, None, None]:
    """Turn an expected failure into a Dagster failure whose description is the message for a person."""
    try:
        yield
    except TieoutError as error:
        raise dg.Failure(
            description=str(error), metadata={"exit_code": error.exit_code}, allow_retries=False
        ) from error
