"""A posting run: what the published build says is due, written as rows to land.

The decision itself is in the warehouse (`postings_due`): which schedule is open to posting, what it comes to, and why
another is left. A run writes it down once: a charge for each line without a reason against it, a line for every
selected one, and one row for the run. Ids are made of what is charged, the schedule and its period, or the late
payment and the day, so that the same line is the same charge however often a run is started: a run that was killed and
started again finds its charges landed and writes none of them twice.

The run stands on the day of the published build. A property whose own calendar has not come to that day is left alone.
"""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from orchestration.errors import Refused, UsageError
from orchestration.home import Build, Home

KINDS = ("recurring", "late_fee")
POSTED_BY = "tieout post"
RUN_COLUMNS = (
    "posting_run_id", "source_system", "property_id", "kind", "business_date", "status", "selected", "posted",
    "skipped", "recorded_at",
)  # fmt: skip
LINE_COLUMNS = (
    "posting_run_id", "source_system", "line_key", "lease_id", "charge_code", "period_from", "amount", "outcome",
    "reason", "charge_id", "recorded_at",
)  # fmt: skip
CHARGE_COLUMNS = (
    "charge_id", "source_system", "lease_id", "charge_code", "amount", "posted_on", "due_on", "service_from",
    "service_to", "ledger_party", "responsible_person_id", "schedule_id", "posting_run_id", "concession_id",
    "proration_method", "corrects_charge_id", "reason", "posted_by", "recorded_at",
)  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What a person asked to be posted: kinds, one property or all, how far ahead, and how far back."""

    kinds: tuple[str, ...] = ("recurring",)
    property_id: str = ""
    days_ahead: int = 0
    since: str = ""


@dataclass
class Posted:
    """What a run wrote: charges, and lines by outcome; `waiting` are properties whose day has not come."""

    runs: list[str] = field(default_factory=list)
    charges: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def text(self) -> str:
        """What happened, in a few lines."""
        left = sum(self.skipped.values())
        said = [f"{self.charges} charges posted, {left} lines left, in {len(self.runs)} runs."]
        said += [f"  {number} {reason.replace('_', ' ')}" for reason, number in sorted(self.skipped.items())]
        said += [f"  {name}: its own day has not come" for name in self.waiting]
        return "\n".join(said)


def wanted(home: Home, kinds: Iterable[str], property_id: str, days_ahead: int, since: str) -> Wanted:
    """What was asked for, checked against the published build. Raises UsageError for what cannot be."""
    kinds = tuple(kinds)
    if since:
        try:
            date.fromisoformat(since)
        except ValueError:
            raise UsageError(f"--since {since!r} is not a day; expected YYYY-MM-DD.") from None
    if not 0 <= days_ahead <= 31:
        raise UsageError(f"--days-ahead {days_ahead} is out of range; expected 0 to 31.")
    if property_id:
        with _read(home.need_published()) as build:
            known = [r[0] for r in build.execute("select property_id from marts.properties order by 1").fetchall()]
        if property_id not in known:
            raise UsageError(f"There is no property {property_id!r}.", f"The properties: {', '.join(known)}.")
    return Wanted(kinds, property_id, days_ahead, since)


def refuse(home: Home) -> Build:
    """The published build, when a run may stand on it: it holds every file that was loaded. Raises Refused else."""
    build = home.need_published()
    published = {batch["batch_id"] for batch in build.manifest["batches"]}
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        loaded = raw.execute("select batch_id, file from landing.batches where status = 'loaded' order by 2").fetchall()
    missing = [file for batch_id, file in loaded if batch_id not in published]
    if missing:
        raise Refused(
            f"Nothing posted: loaded but not in published build {build.number}: {', '.join(missing[:5])}.",
            "Run `tieout run` first: what is due is read from the published build.",
        )
    return build


def write_runs(home: Home, asked: Wanted, recorded_at: str, folder: Path) -> Posted:
    """Write posting_runs, posting_run_lines and charges of what is due into `folder`. Raises Refused, then none is.

    `recorded_at` is the moment of the run, ISO with offset: when the books first knew the charges.
    """
    build = refuse(home)
    moment = datetime.fromisoformat(recorded_at)
    lines, ended = _lines(build, asked)
    by_run: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    result = Posted()
    waiting = set()
    for line in lines:
        if moment.astimezone(ZoneInfo(line["time_zone"] or "UTC")).date() < build.as_of:
            waiting.add(line["property_id"])
            continue
        by_run[(line["source_system"], line["property_id"], line["kind"])].append(line)
    result.waiting = sorted(waiting)
    rows: dict[str, list[dict[str, object]]] = {"posting_runs": [], "posting_run_lines": [], "charges": []}
    for (source, property_id, kind), mine in sorted(by_run.items()):
        run_id = f"{property_id}:{kind}:{build.as_of}"
        new = [line for line in mine if not line["skip_code"]]
        for line in mine:
            if line["skip_code"]:
                result.skipped[line["skip_code"]] = result.skipped.get(line["skip_code"], 0) + 1
        if (source, run_id) in ended and not new:
            continue  # this day's run of the property is there already and nothing is to be added
        result.runs.append(run_id)
        result.charges += len(new)
        rows["charges"] += [_charge(line, run_id, recorded_at) for line in new]
        before = ended.get((source, run_id), 0)
        rows["posting_run_lines"] += [
            _line(line, run_id, recorded_at) for line in mine if not before or not line["skip_code"]
        ]
        posted = before + len(new)
        skipped = max(len(mine) - len(new) - before, 0)
        rows["posting_runs"].append(
            dict(posting_run_id=run_id, source_system=source, property_id=property_id, kind=kind, status="completed")
            | dict(business_date=build.as_of.isoformat(), selected=posted + skipped, posted=posted, skipped=skipped)
            | dict(recorded_at=recorded_at)
        )
    columns = {"posting_runs": RUN_COLUMNS, "posting_run_lines": LINE_COLUMNS, "charges": CHARGE_COLUMNS}
    for table, made in rows.items():
        if made:
            result.files.append(_write(folder / f"{table}.csv", columns[table], made))
    return result


def charge_id(line: Mapping[str, Any]) -> str:
    """The id of the charge of a line: the same for the same schedule and period, or late payment and day."""
    key = f"{line['source_system']}|{line['line_key']}"
    return f"post-{hashlib.sha256(key.encode()).hexdigest()[:20]}"


def _lines(build: Build, asked: Wanted) -> tuple[list[dict[str, Any]], dict[tuple[str, str], int]]:
    """Lines of the published build, decided as asked, and what runs posted before: (source, run) -> charges."""
    with _read(build) as connection:
        cursor = connection.execute(
            "select * from marts.postings_due where list_contains(?, kind) and (? = '' or property_id = ?) "
            "order by source_system, property_id, kind, lease_id, period_from, line_key",
            [list(asked.kinds), asked.property_id, asked.property_id],
        )
        names = [column[0] for column in cursor.description]
        lines = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        ended = connection.execute(
            "select source_system, posting_run_id, posted from marts.posting_runs where status = 'completed'"
        ).fetchall()
    reach = build.as_of + timedelta(days=asked.days_ahead)
    for line in lines:
        ahead = line["skip_code"] == "not_yet_due" and line["due_on"] <= reach
        back = line["skip_code"] == "period_over" and asked.since and str(line["period_from"]) >= asked.since
        if ahead or (back and line["kind"] == "recurring"):
            line["skip_code"] = line["reason"] = None
    return lines, {(source, run): posted or 0 for source, run, posted in ended}


def _charge(line: Mapping[str, Any], run_id: str, recorded_at: str) -> dict[str, object]:
    kept = {name: line[name] for name in CHARGE_COLUMNS if name in line}
    if line["corrects_charge_id"]:
        kept["schedule_id"] = None
    return kept | {
        "charge_id": charge_id(line),
        "posting_run_id": run_id,
        "posted_by": POSTED_BY,
        "recorded_at": recorded_at,
    }


def _line(line: Mapping[str, Any], run_id: str, recorded_at: str) -> dict[str, object]:
    kept = {name: line[name] for name in LINE_COLUMNS if name in line}
    outcome = "skipped" if line["skip_code"] else "posted"
    made = None if line["skip_code"] else charge_id(line)
    return kept | {"posting_run_id": run_id, "outcome": outcome, "charge_id": made, "recorded_at": recorded_at}


def _write(path: Path, columns: tuple[str, ...], rows: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(["" if row.get(name) is None else row[name] for name in columns] for row in rows)
    return path


def _read(build: Build) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(build.path), read_only=True)


def post(home: Home, asked: Wanted) -> tuple[Build, Posted]:
    """A posting run through the job `post`. Returns the build that shows it and what was written.

    What was loaded and is not published yet, as by a run that was killed, is published first.
    """
    import tempfile

    from orchestration import jobs
    from orchestration.closing.close import closing_moment
    from orchestration.publishing.publish import instant

    with home.locked("tieout post"), tempfile.TemporaryDirectory() as folder:
        before = _with_all_that_is_loaded(home)
        moment, loaded_at = closing_moment(home)
        plan = write_runs(home, asked, instant(moment), Path(folder) / "plan")
        if not plan.files:
            return before, plan
        steps = {
            "files__posting_book": {
                "kinds": list(asked.kinds),
                "property_id": asked.property_id,
                "days_ahead": asked.days_ahead,
                "since": asked.since,
                "recorded_at": instant(moment),
                "folder": str(Path(folder) / "landing"),
            },
            "landing": {
                "folder": str(Path(folder) / "landing"),
                "must_load": True,
            },
        }
        build = jobs.execute(home, "post", steps, as_of=_as_of(before), loaded_at=loaded_at)
        return build, plan


def _with_all_that_is_loaded(home: Home) -> Build:
    """The published build, built again for its own day where it does not hold everything that was loaded."""
    from orchestration import jobs

    try:
        return refuse(home)
    except Refused:
        build = home.need_published()
        landing = {"waiting_rows_only": True}
        return jobs.execute(home, "run", {"landing": landing}, as_of=_as_of(build))


def _as_of(build: Build) -> str:
    """The day a run stands on is the day of the build it was read from, whatever the clock says when it ends."""
    return build.manifest.get("as_of_given", "") or build.as_of.isoformat()
