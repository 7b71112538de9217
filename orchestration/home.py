"""A home: the one folder that holds everything a warehouse knows.

    files/<sha256>      the bytes of every landed file
    raw.duckdb          landing: every row as read, the accepted rows, batches, verdicts, quarantine
    builds/<n>.duckdb   a published build; <n>.json is its manifest
    current             a symlink to the published build, replaced in one step
    closes/  claims/    what people signed: closes of months, claims that were issued
    dagster/            Dagster's own history and the dbt targets
    lock                an OS lock: one writer at a time, freed by the kernel when its holder dies

This module imports the standard library only, so that `tieout status` starts at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from orchestration.errors import HomeLocked, UsageError

HOME_VARIABLE = "TIEOUT_HOME"
DEFAULT_HOME = "tieout-home"

DAGSTER_YAML = """\
# Written by tieout. One run at a time: DuckDB has one writer. Nothing is sent anywhere.
nux:
  enabled: false
telemetry:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 1
event_log_storage:
  module: orchestration.resources.event_log
  class: HomeEventLog
  config:
    base_dir: {env: DAGSTER_HOME}
# A run's messages stand in its event log; capturing the process streams as well would cost a process per step.
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""

_BUILD_FILE = re.compile(r"^(\d+)\.(?:duckdb|json|building|failed\.duckdb|failed\.json)$")

# Locks that this process holds: realpath of the lock file -> (descriptor, depth).
_held: dict[Path, tuple[int, int]] = {}


@dataclass(frozen=True)
class Build:
    """A published build: its number, its DuckDB file (read only, never changed again) and its manifest."""

    number: int
    path: Path
    manifest: Mapping[str, Any]

    @property
    def as_of(self) -> date:
        return date.fromisoformat(self.manifest["as_of"])


@dataclass(frozen=True)
class Home:
    """Paths of a home. Creating the object touches nothing; `create()` makes the folders."""

    path: Path

    @classmethod
    def at(cls, path: str | os.PathLike[str] | None = None) -> Home:
        """The home at `path`, else at $TIEOUT_HOME, else ./tieout-home."""
        return cls(Path(path or os.environ.get(HOME_VARIABLE) or DEFAULT_HOME).expanduser().absolute())

    @property
    def files(self) -> Path:
        return self.path / "files"

    @property
    def raw(self) -> Path:
        return self.path / "raw.duckdb"

    @property
    def builds(self) -> Path:
        return self.path / "builds"

    @property
    def current(self) -> Path:
        return self.path / "current"

    @property
    def closes(self) -> Path:
        return self.path / "closes"

    @property
    def claims(self) -> Path:
        return self.path / "claims"

    @property
    def dagster(self) -> Path:
        return self.path / "dagster"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def landing(self) -> Path:
        """The folder that the landing sensor watches: $TIEOUT_LANDING, else `landing` in the home."""
        watched = os.environ.get("TIEOUT_LANDING")
        return Path(watched).expanduser().absolute() if watched else self.path / "landing"

    def exists(self) -> bool:
        """Whether this folder was made by `create`."""
        return (self.dagster / "dagster.yaml").is_file()

    def create(self) -> Home:
        """Make the folders that are missing and Dagster's settings (telemetry off, one run at a time)."""
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{self.path} is a file; a home is a folder.", "Give another --home.")
        for folder in (self.files, self.builds, self.closes, self.claims, self.dagster):
            folder.mkdir(parents=True, exist_ok=True)
        settings = self.dagster / "dagster.yaml"
        if not settings.exists():
            write_whole(settings, DAGSTER_YAML)
        return self

    def need(self) -> Home:
        """This home, which must exist. Raises UsageError with the way to make one."""
        if not self.exists():
            raise UsageError(
                f"There is no home at {self.path}.",
                "Make one with `tieout demo` or `tieout run --landing DIR`, or name another with --home.",
            )
        return self

    def published(self) -> Build | None:
        """The build that `current` points to, or None before the first one."""
        try:
            target = self.builds / Path(os.readlink(self.current)).name
        except FileNotFoundError:
            return None
        number = int(target.name.removesuffix(".duckdb"))
        return Build(number, target, json.loads((self.builds / f"{number}.json").read_text("utf-8")))

    def need_published(self) -> Build:
        """The published build, which must exist."""
        build = self.need().published()
        if build is None:
            raise UsageError(
                f"Nothing is published yet in {self.path}.", "Run `tieout run --landing DIR`, or `tieout demo`."
            )
        return build

    def next_build_number(self) -> int:
        """One more than the highest number ever used here. No number is used twice: DuckDB remembers files by name."""
        used = [int(m.group(1)) for f in self.builds.iterdir() if (m := _BUILD_FILE.match(f.name))]
        return max(used, default=0) + 1

    @contextlib.contextmanager
    def locked(self, purpose: str) -> Iterator[None]:
        """Hold the home's lock while the block runs; a lock that this process already holds is entered again.

        The kernel frees it when the process ends in whatever way. Raises HomeLocked at once when another process
        holds it: waiting would hide that two schedules collide.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        key = self.lock.resolve()
        descriptor, depth = _held.get(key, (-1, 0))
        if depth == 0:
            descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(descriptor, 500, 0).decode("utf-8", "replace").strip() or "a nameless process"
                os.close(descriptor)
                raise HomeLocked(
                    f"Another run holds {self.lock}: {holder}.",
                    "Wait until it ends and try again. Stopping that process frees the lock; "
                    "deleting the file does not help.",
                ) from None
            os.ftruncate(descriptor, 0)
            holder = f"process {os.getpid()}, {purpose}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%SZ}\n"
            os.pwrite(descriptor, holder.encode(), 0)
        _held[key] = (descriptor, depth + 1)
        try:
            yield
        finally:
            descriptor, depth = _held[key]
            if depth == 1:
                del _held[key]
                os.close(descriptor)
            else:
                _held[key] = (descriptor, depth - 1)


def write_whole(path: Path, text: str) -> None:
    """Write a small file so that a reader, or a machine that loses power, sees the old text or the new one."""
    part = path.with_name(path.name + ".part")
    with open(part, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in this folder survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
