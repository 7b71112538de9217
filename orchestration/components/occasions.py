"""Jobs are occasions: what happens when somebody runs, closes, or night falls, and the sensor that sees new files."""

import hashlib
import json
from pathlib import Path

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from orchestration.components.landing import CLOSING_BOOK, POSTING_BOOK
from orchestration.home import Home

EVERYTHING = dg.AssetSelection.all()


def run_job() -> UnresolvedAssetJobDefinition:
    return dg.define_asset_job(
        "run",
        selection=EVERYTHING - dg.AssetSelection.assets(CLOSING_BOOK, POSTING_BOOK),
        description="Load, validate, build, test, tie out, publish.",
    )


def close_job() -> UnresolvedAssetJobDefinition:
    return dg.define_asset_job(
        "close",
        selection=EVERYTHING - dg.AssetSelection.assets(POSTING_BOOK),
        description="Close months of entities: write the closing book, land it, build and publish so that it shows.",
    )


def post_job() -> UnresolvedAssetJobDefinition:
    return dg.define_asset_job(
        "post",
        selection=EVERYTHING - dg.AssetSelection.assets(CLOSING_BOOK),
        description="Post what is due: write it as charges, land them, build and publish so that it shows.",
    )


def nightly_schedule(run: UnresolvedAssetJobDefinition) -> dg.ScheduleDefinition:
    """Each night at two: what lies in the watched folder is loaded, and the as-of day moves on."""
    return dg.ScheduleDefinition(
        name="nightly",
        job=run,
        cron_schedule="0 2 * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Build once a night, so that ages and arrears stand as of today.",
    )


def landing_sensor(run: UnresolvedAssetJobDefinition) -> dg.SensorDefinition:
    """Runs when a file of the watched folder is new or changed, and finished: no `.part`, no longer growing."""

    @dg.sensor(
        name="landing_folder",
        job=run,
        minimum_interval_seconds=20,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Starts a run when new or changed files in the watched folder have stopped growing.",
    )
    def look(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        folder = Home.at().landing
        seen = json.loads(context.cursor) if context.cursor else {"last": {}, "taken": {}}
        now = finished_candidates(folder)
        still = {name: stamp for name, stamp in now.items() if seen["last"].get(name) == stamp}
        new = {name: stamp for name, stamp in still.items() if seen["taken"].get(name) != stamp}
        growing = sorted(name for name in now if name not in still)
        if not new or growing:
            context.update_cursor(json.dumps({"last": now, "taken": seen["taken"]}))
            return dg.SkipReason(
                f"{folder}: waiting for {', '.join(growing)} to be finished" if growing else f"{folder}: nothing new"
            )
        context.update_cursor(json.dumps({"last": now, "taken": now}))
        key = hashlib.sha256(json.dumps(now, sort_keys=True).encode()).hexdigest()
        request = dg.RunRequest(run_key=key, run_config={"ops": {"landing": {"config": {"folder": str(folder)}}}})
        return dg.SensorResult(run_requests=[request])

    return look


def finished_candidates(folder: Path) -> dict[str, list[int]]:
    """Files that may be finished (no `.part`, not hidden): name in the folder -> [size, time of change]."""
    if not folder.is_dir():
        return {}
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and path.suffix != ".part" and not any(part.startswith(".") for part in relative.parts):
            status = path.stat()
            found[relative.as_posix()] = [status.st_size, status.st_mtime_ns]
    return found
