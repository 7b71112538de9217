"""A run from files to a published build, as plain steps.

`begin` -> `load` -> `validate` -> `build` -> `publish`. Dagster's assets call these steps one by one (so that each
shows in its history) and the tests call `run_folder`, which is the same steps in a row. A step that fails raises and
nothing after it happens: the published build stays as it was.

The caller holds the home's lock from `begin` to the end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from orchestration.errors import CheckFailed, NothingLoadable, UsageError
from orchestration.home import Build, Home
from orchestration.progress import say
from orchestration.publishing.publish import BuildFacts, Check, building_path, instant, publish, sweep
from orchestration.resources import dbt
from orchestration.resources.memory import memory_limit

if TYPE_CHECKING:
    from orchestration.landing import LandingReport
    from orchestration.resources.dbt import Node

CHECKS_SHOWN = 8
# Two hundred accounts of two years cost some ten seconds of the twin; all of a large portfolio would cost hours.
TWIN_VARIABLE, TWIN_ACCOUNTS = "TIEOUT_TWIN_ACCOUNTS", 200
SHIPPED_RULES = (
    "application_rules.csv",
    "calendar_days.csv",
    "charge_treatments.csv",
    "forum_rules.csv",
    "late_fee_components.csv",
    "late_fee_rules.csv",
    "notice_rules.csv",
)


@dataclass
class Run:
    """One run and what it has found so far. `loaded_at` is later than every earlier run and close of this home."""

    home: Home
    run_id: str
    loaded_at: datetime
    number: int
    as_of_given: str = ""
    shipped: LandingReport | None = None
    report: LandingReport | None = None
    expectations: Sequence[Any] = ()
    nodes: Sequence[Node] = ()
    timings: dict[str, float] = field(default_factory=dict)
    swept: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def timed(self, step: str) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.timings[step] = self.timings.get(step, 0.0) + time.monotonic() - started


def begin(home: Home, *, as_of: str = "", run_id: str | None = None, loaded_at: datetime | None = None) -> Run:
    """Start a run: make the home if it is new (the shipped rules are landed first), sweep away what a killed run left.

    `as_of` is an ISO day or empty (the default day of the build). `loaded_at` is for replays of history; it must be
    later than everything the home has seen. Raises UsageError for a day or a moment that cannot be.
    """
    from orchestration.landing import ensure_raw

    if as_of:
        try:
            as_of = date.fromisoformat(as_of).isoformat()
        except ValueError:
            raise UsageError(f"--as-of {as_of!r} is not a day; expected YYYY-MM-DD.") from None
    home.create()
    number = home.next_build_number()
    swept = sweep(home)
    ensure_raw(home)
    run = Run(home, run_id or str(uuid.uuid4()), next_moment(home, loaded_at), number, as_of_given=as_of, swept=swept)
    if not _anything_landed(home):
        with run.timed("load"):
            land_shipped_rules(run)
    return run


def load(run: Run, folder: Path | None) -> LandingReport:
    """Land the new files of a folder and judge every row that waits. Without a folder only the waiting rows are judged.

    Raises UsageError when the folder does not exist and NothingLoadable when no file of it could be loaded.
    """
    from orchestration.landing import land

    if folder is not None and not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.", "Give the folder that holds the files with --landing DIR.")
    say(f"Loading {folder}" if folder else "Judging the rows in quarantine again")
    with run.timed("load"), contextlib.ExitStack() as stack:
        source = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run.report = land(run.home, source, loaded_at=run.loaded_at, run_id=run.run_id)
    report = run.report
    if folder is not None and not report.batches and not report.skipped:
        if report.refused:
            raise NothingLoadable(
                f"No file of {folder} could be loaded:\n" + "\n".join(f"  {each.message}" for each in report.refused),
                "Correct these files and run again. The published build is as it was.",
            )
        raise NothingLoadable(
            f"{folder} holds no file to load.",
            "Files are named after their table: charges.csv, payments-2026-10.parquet, leases.jsonl, properties.xlsx.",
        )
    return report


def validate(run: Run) -> Sequence[Any]:
    """Run the expectations on the landed rows. Raises nothing: `stop_if_unexpected` decides."""
    from orchestration.expectations import validate as validate_landing

    say("Checking what was landed")
    with run.timed("validate"):
        run.expectations = validate_landing(run.home.raw)
    return run.expectations


def stop_if_unexpected(run: Run) -> None:
    """Raise CheckFailed when an expectation on the landed rows failed."""
    failed = [result for result in run.expectations if not result.passed]
    if failed:
        raise CheckFailed(
            "The landed rows are not as they must be:\n"
            + "\n".join(f"  {result.table}: {result.name}: {result.message}" for result in failed),
            "The published build is as it was. Nothing has been built from these rows.",
        )


def build(
    run: Run, project: dbt.Parsed | None = None, on_event: Callable[[dict[str, Any]], None] | None = None
) -> Sequence[Node]:
    """Build and test the warehouse in a new file. Raises CheckFailed (the file is kept) when a check fails.

    An error that is not a failed check (SQL that does not run) raises DbtFailed, a bug.
    """
    say("Reading the models")
    with run.timed("parse"):
        project = project or dbt.parsed()
    building = building_path(run.home, run.number)
    shutil.rmtree(building.parent, ignore_errors=True)
    building.parent.mkdir(parents=True)
    variables = {
        "TIEOUT_BUILD_PATH": str(building),
        "TIEOUT_RAW_PATH": str(run.home.raw),
        "TIEOUT_TEMP_PATH": str(building.parent / "spill"),
        "TIEOUT_AS_OF": run.as_of_given,
        "TIEOUT_BUILD_NO": str(run.number),
        "TIEOUT_LOADED_AT": instant(run.loaded_at),
        "TIEOUT_MEMORY_LIMIT": memory_limit(),
        TWIN_VARIABLE: _twin_accounts(),
    }
    counter = _Counter(len(project.node_ids()), on_event)
    with run.timed("build"):
        run.nodes = dbt.build(project, run.home.dagster / "dbt", variables, counter.event)
    stop_if_failed(run)
    return run.nodes


def _twin_accounts() -> str:
    """On how many accounts the simple twin is played: $TIEOUT_TWIN_ACCOUNTS. Raises UsageError if it is no number."""
    wanted = os.environ.get(TWIN_VARIABLE) or str(TWIN_ACCOUNTS)
    if not wanted.isascii() or not wanted.isdecimal() or len(wanted) > 9:
        raise UsageError(
            f"{TWIN_VARIABLE} is {wanted!r}; expected a whole number of accounts, such as {TWIN_ACCOUNTS}."
        )
    return wanted


def stop_if_failed(run: Run) -> None:
    """Keep the file and raise when a node of the build failed; do nothing when all passed."""
    from orchestration.publishing.failure import keep_failed

    if not any(node.status in ("fail", "error", "runtime error") for node in run.nodes):
        return
    checks, report = keep_failed(run.home, run.number, run.nodes)
    published = run.home.published()
    kept = f"Build {published.number} stays published." if published else "Nothing is published yet."
    own = [check for check in checks if not check.repeats]
    message = "\n".join(check.text() for check in own[:CHECKS_SHOWN])
    if len(own) > CHECKS_SHOWN:
        message += f"\nand {len(own) - CHECKS_SHOWN} more; the report has them all"
    again = [check.name for check in checks if check.repeats]
    if again:
        message += f"\nThe same shows in {len(again)} more: {', '.join(again)}"
    look = f"{kept} The failed build is kept in {report.with_suffix('.duckdb')}, the report in {report}."
    if any(not check.is_data for check in checks):
        error = dbt.DbtFailed(f"A model could not be built:\n{message}", look)
        error.checks = checks
        raise error
    raise CheckFailed(
        f"{len(checks)} {'check' if len(checks) == 1 else 'checks'} failed:\n{message}",
        f"{look} Put the rows named above right at their source and run again: an accepted charge, payment or other "
        "fact by a row that undoes it and a new one with a new id, anything else by a corrected file.",
        checks,
    )


def publish_build(run: Run) -> Build:
    """Publish the file that was built and checked."""
    say("Publishing")
    checks = [
        Check(result.name, "expectation", "passed" if result.passed else "failed", result.failures, result.table)
        for result in run.expectations
    ] + [
        Check(node.name, "dbt_test", "warned" if node.status == "warn" else "passed", node.failures, node.table)
        for node in run.nodes
        if node.resource_type in ("test", "unit_test")
    ]
    with run.timed("publish"):
        return publish(
            run.home,
            BuildFacts(
                run.number, run.loaded_at, run.run_id, dbt.code_version(), run.as_of_given, checks,
                run.report.not_loaded() if run.report else {}, dict(run.timings),
            ),
        )  # fmt: skip


def run_folder(
    home: Home,
    folder: Path | None,
    *,
    as_of: str = "",
    loaded_at: datetime | None = None,
    expectations: bool = True,
) -> tuple[Build, Run]:
    """Every step in a row, without Dagster: the same functions, for tests and for whoever embeds the warehouse.

    `expectations=False` leaves out the guard behind the door (Great Expectations, three seconds a run).
    """
    with home.locked("run"):
        run = begin(home, as_of=as_of, loaded_at=loaded_at)
        load(run, folder)
        if expectations:
            validate(run)
            stop_if_unexpected(run)
        build(run)
        return publish_build(run), run


def waiting_by_table(home: Home) -> dict[str, int]:
    """Rows that wait in quarantine, by landing table."""
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        return dict(
            raw.execute(
                "select table_name, count(*) from landing.quarantine where status = 'open' group by 1"
            ).fetchall()
        )


def next_moment(home: Home, wanted: datetime | None = None) -> datetime:
    """The `loaded_at` of a new run: now, and later than all the home knows. Raises UsageError if `wanted` is not."""
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        moments = (("batches", "loaded_at"), ("verdicts", "decided_at"), ("period_closes", "registered_at"))
        known = [raw.execute(f"select max({column}) from landing.{table}").fetchone()[0] for table, column in moments]
    latest = max((moment for moment in known if moment is not None), default=None)
    moment = (wanted or datetime.now(UTC)).astimezone(UTC)
    if latest is None:
        return moment
    latest = latest.replace(tzinfo=UTC) if latest.tzinfo is None else latest
    if moment > latest:
        return moment
    if wanted is not None:
        raise UsageError(f"A run cannot stand at {instant(wanted)}: this home already knows {instant(latest)}.")
    return latest + timedelta(microseconds=2)


def shipped_rules_folder() -> Path:
    """Where the rules that come with the product lie."""
    return Path(__file__).resolve().parents[1] / "seeds" / "rules"


def land_shipped_rules(run: Run) -> LandingReport | None:
    """Land the rules that come with the product, a microsecond before the files of the run. Known files are skipped."""
    from orchestration.landing import land

    found = [path for name in SHIPPED_RULES if (path := shipped_rules_folder() / name).is_file()]
    if not found:
        return None
    say("Landing the shipped rules")
    with tempfile.TemporaryDirectory() as folder:
        for path in found:
            shutil.copy2(path, Path(folder) / path.name)
        moment = run.loaded_at - timedelta(microseconds=1)
        run.shipped = land(
            run.home, Path(folder), loaded_at=moment, run_id=run.run_id, file_prefix="shipped/", source_system="default"
        )
    return run.shipped


def _anything_landed(home: Home) -> bool:
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        return raw.execute("select count(*) from landing.batches").fetchone()[0] > 0


class _Counter:
    """Counts finished nodes for the progress line and hands events on. dbt calls it from several threads."""

    def __init__(self, total: int, on_event: Callable[[dict[str, Any]], None] | None) -> None:
        self.total, self.done, self.on_event = total, 0, on_event

    def event(self, event: dict[str, Any]) -> None:
        if event["info"]["name"] in ("LogModelResult", "LogTestResult"):
            self.done += 1
            node = event["data"]["node_info"]
            verb = "Testing" if node["resource_type"] == "test" else "Building"
            say(f"{verb} {node['node_name']}", self.done, self.total)
        if self.on_event is not None:
            self.on_event(event)


def telemetry_off() -> None:
    """Set every switch that keeps libraries from calling home, before any of them is imported."""
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "false")
