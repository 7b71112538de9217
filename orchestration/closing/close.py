"""Closing a month of an entity, for good.

A close says: these are the books. So it is refused while the published build does not hold everything that was loaded,
while the month is not over, and while an item of its checklist refuses: comparisons that differ, what is missing, rows
in quarantine, old money in suspense, late fees that nothing proves. A person may accept what the checklist refuses with
a reason, which is kept; the other reasons cannot be accepted away. The checklist is kept with the close.

The close is written into `closes/` and then landed like any other file, with `closed_at` just before the run that
lands it, so that everything known until now is in and everything later is a late arrival.
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import duckdb

from orchestration.closing.checklist import Item, as_record, checklist
from orchestration.errors import Refused, UsageError
from orchestration.home import Build, Home, write_whole
from orchestration.pipeline import next_moment
from orchestration.publishing.publish import instant

_PERIOD = re.compile(r"^(\d{4})-(0[1-9]|1[0-2])$")
SHOWN = 5
#: How the items of the checklist that refuse are told as reasons.
REFUSALS = {
    "tie-outs": "a tie-out differs",
    "completeness": "the books are incomplete",
    "quarantine": "waits in quarantine and may be of these books",
    "suspense": "stands in suspense since before the month",
    "late fees": "a late fee is unproven or unlawful",
}


@dataclass(frozen=True)
class Reason:
    """Why a month may not be closed. `item`: the item of the checklist that a person may accept; empty: nobody may."""

    text: str
    item: str = ""


@dataclass(frozen=True, order=True)
class Month:
    """A month of an entity; `period` as in `2026-10`."""

    source_system: str
    entity_id: str
    period: str

    def __str__(self) -> str:
        return f"{self.entity_id} {self.period}"

    @property
    def first(self) -> date:
        return date(int(self.period[:4]), int(self.period[5:]), 1)

    @property
    def last(self) -> date:
        return (self.first + timedelta(days=31)).replace(day=1) - timedelta(days=1)

    @property
    def key(self) -> str:
        return f"{self.source_system}:{self.entity_id}"


@dataclass(frozen=True)
class Decision:
    """Who closes, who looked over it, when, and why a difference is accepted (empty: none is)."""

    closed_by: str
    reviewed_by: str
    accept: str
    closed_at: str

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.closed_at)


def month_of(home: Home, entity_id: str, period: str, source_system: str | None = None) -> Month:
    """The month that a person named. Raises UsageError for a malformed period or an entity that is not known."""
    if not _PERIOD.match(period):
        raise UsageError(f"--period {period!r} is not a month; expected YYYY-MM, as in 2026-10.")
    with _read(home.need_published()) as build:
        found = build.execute("select source_system, entity_id from core.int_portfolio__entities").fetchall()
    mine = sorted({s for s, e in found if e == entity_id and source_system in (None, s)})
    if not mine:
        known = ", ".join(sorted({e for _, e in found}))
        raise UsageError(f"There is no entity {entity_id!r}.", f"The entities: {known}.")
    if len(mine) > 1:
        raise UsageError(f"{entity_id!r} is an entity of {', '.join(mine)}.", "Say which with --source.")
    return Month(mine[0], entity_id, period)


def finished_months(home: Home, moment: datetime | None = None, despite: Collection[str] = ()) -> list[Month]:
    """Months that could be closed at `moment` (None: now), by entity and period: over, open, all before agree.

    These are read from the published close status; an entity's list ends before its first month against which anything
    speaks but what the items `despite` of the checklist refuse, which whoever closes then has to accept.
    """
    build = home.need_published()
    with _read(build) as connection:
        if not _has(connection, "marts", "close_status"):
            return []
        rows = connection.execute(
            "select source_system, entity_id, s.period, s.is_closed, s.is_over, s.tie_outs_that_differ "
            "from marts.close_status s join core.int_portfolio__entities e using (source_system, entity_id) "
            "order by 1, 2, 3"
        ).fetchall()
    months, stopped = [], set()
    for source_system, entity_id, period, is_closed, is_over, differing in rows:
        month = Month(source_system, entity_id, period)
        if month.key in stopped or is_closed:
            continue
        reasons = _reasons(home, month, moment or datetime.now(UTC)) if is_over and not differing else []
        if not is_over or differing or any(reason.item not in despite for reason in reasons):
            stopped.add(month.key)
            continue
        months.append(month)
    return months


def reasons_against(home: Home, month: Month, moment: datetime) -> list[str]:
    """Why this month may not be closed at `moment`; empty when nothing speaks against it."""
    return [reason.text for reason in _reasons(home, month, moment)]


def refuse(home: Home, months: Sequence[Month], decision: Decision) -> dict[Month, list[str]]:
    """Raise Refused, with every reason, when a month may not be closed. Returns what was accepted, by month."""
    refused: list[str] = []
    accepted: dict[Month, list[str]] = {}
    can_accept = False
    for month in months:
        reasons = _reasons(home, month, decision.moment)
        standing = [reason for reason in reasons if not (reason.item and decision.accept)]
        accepted[month] = [reason.text for reason in reasons if reason.item and decision.accept]
        refused += [f"{month}: {reason.text}" for reason in standing]
        can_accept = can_accept or any(reason.item for reason in standing)
    if refused:
        raise Refused(
            "Not closed.\n" + "\n".join(f"  {line}" for line in refused),
            "What the checklist refuses may be accepted with --accept REASON; reason and name are kept with the close."
            if can_accept
            else "",
        )
    return accepted


def write_book(home: Home, months: Sequence[Month], decision: Decision, folder: str) -> list[Path]:
    """Refuse what may not be closed; else write `closes/<entity>-<period>.json` for each month and the rows to land.

    Raises Refused with every reason for every month; nothing is written then. A file of a close that was written but
    never landed (the process was killed in between) is written again.
    """
    accepted = refuse(home, months, decision)
    build = home.need_published()
    written = []
    for month in months:
        path = close_file(home, month)
        record: dict[str, Any] = {
            "entity_id": month.entity_id,
            "source_system": month.source_system,
            "period": month.period,
            "closed_at": decision.closed_at,
            "closed_by": decision.closed_by,
            "reviewed_by": decision.reviewed_by or None,
            "build": build.number,
            "table_hash": build.manifest.get("table_hash", 1),
            "tables": {name: table.get("hash") for name, table in build.manifest["tables"].items()},
            "accepted": (
                {"reason": decision.accept, "by": decision.closed_by, "what": accepted[month]}
                if accepted[month]
                else None
            ),
            "checklist": as_record(items_of(home, month)),
        }
        write_whole(path, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        written.append(path)
    _write_rows(Path(folder), months, decision)
    return written


def items_of(home: Home, month: Month) -> list[Item]:
    """The checklist of a month as it stands in the published build; empty where the build has no books."""
    build = home.need_published()
    with _read(build) as connection:
        return _items(connection, build, month)


def _items(connection: duckdb.DuckDBPyConnection, build: Build, month: Month) -> list[Item]:
    tables = ("tie_outs", "quarantine", "late_arrivals", "late_fee_audit")
    if not all(_has(connection, "marts", table) for table in tables):
        return []
    missing = _incomplete(connection, month)
    return checklist(connection, build, month.source_system, month.entity_id, month.first, month.last, missing)


def close_file(home: Home, month: Month) -> Path:
    """The file of a close. Characters of an entity's id that a file name cannot hold are percent-encoded."""
    source = "" if month.source_system == "default" else f"{quote(month.source_system, safe='')}-"
    return home.closes / f"{source}{quote(month.entity_id, safe='')}-{month.period}.json"


def closing_moment(home: Home, moment: datetime | None = None) -> tuple[datetime, datetime]:
    """When a close made at `moment` (None: now) happens, and the `loaded_at` of the run that lands it: a microsecond
    later."""
    closed_at = next_moment(home, moment)
    return closed_at, closed_at + timedelta(microseconds=1)


def _write_rows(folder: Path, months: Sequence[Month], decision: Decision) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "period_closes.csv", "w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow(["source_system", "entity_id", "period", "closed_at", "closed_by", "reviewed_by"])
        for month in sorted(months):
            rows.writerow(
                [month.source_system, month.entity_id, month.period, decision.closed_at, decision.closed_by,
                 decision.reviewed_by]
            )  # fmt: skip


def _reasons(home: Home, month: Month, moment: datetime) -> list[Reason]:
    """Reasons against a close: those that nobody can accept away, then what the checklist refuses, item by item."""
    build = home.need_published()
    reasons: list[Reason] = []
    with _read(build) as connection, duckdb.connect(str(home.raw), read_only=True) as raw:
        closed = connection.execute(
            "select period, closed_at, closed_by from core.int_closes__periods where entity_key = ? and period >= ? "
            "order by period limit 1",
            [month.key, month.period],
        ).fetchone()
        landed = raw.execute(
            "select period, closed_at, closed_by from landing.period_closes "
            "where entity_key = ? and period >= ? order by period limit 1",
            [month.key, month.period],
        ).fetchone()
        if closed:
            by = "" if closed[0] == month.period else f" with {closed[0]}"
            text = f"closed already{by} at {closed[1]}Z by {closed[2]}; a closed month is never reopened"
            reasons.append(Reason(text))
        elif landed and landed[0] == month.period:
            reasons.append(Reason(f"a close at {landed[1]} by {landed[2]} is landed; publish it with `tieout run`"))
        reasons += _not_over(connection, build, month, moment)
        reasons += _not_published(raw, build)
        if not closed:
            if not _has(connection, "tie_outs", "int_tie_outs__incomplete"):
                reasons.append(Reason("the published build does not say what is missing; run `tieout run` first"))
            for item in _items(connection, build, month):
                shown = [Reason(f"{REFUSALS[item.name]}: {line}", item.name) for line in item.refusing[:SHOWN]]
                reasons += shown
                if item.refuses > SHOWN:
                    reasons.append(Reason(f"{REFUSALS[item.name]}: and {item.refuses - SHOWN} more", item.name))
    return reasons


def _not_over(connection: duckdb.DuckDBPyConnection, build: Build, month: Month, moment: datetime) -> list[Reason]:
    zones = [
        zone
        for (zone,) in connection.execute(
            "select distinct time_zone from core.int_portfolio__properties where entity_key = ?", [month.key]
        ).fetchall()
        if zone
    ]
    today = min((moment.astimezone(ZoneInfo(zone)).date() for zone in zones), default=moment.astimezone(UTC).date())
    if today <= month.last:
        return [Reason(f"the month is not over before {month.last + timedelta(days=1)}; today is {today}")]
    if build.as_of < month.last:
        return [Reason(f"the published build stands as of {build.as_of}, before the month's last day {month.last}")]
    return []


def _not_published(raw: duckdb.DuckDBPyConnection, build: Build) -> list[Reason]:
    published = {batch["batch_id"] for batch in build.manifest["batches"]}
    loaded = raw.execute(
        "select batch_id, file from landing.batches where status = 'loaded' order by loaded_at, file"
    ).fetchall()
    missing = [file for batch_id, file in loaded if batch_id not in published]
    decided = raw.execute(
        "select count(*) from landing.verdicts where decided_at > ?",
        [datetime.fromisoformat(build.manifest["loaded_at"]).replace(tzinfo=None)],
    ).fetchone()[0]
    reasons = []
    if missing:
        named = ", ".join(missing[:SHOWN]) + (f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else "")
        reasons.append(Reason(f"loaded but not in published build {build.number}: {named}; run `tieout run` first"))
    elif decided:
        rows = "1 row was" if decided == 1 else f"{decided} rows were"
        reasons.append(Reason(f"{rows} decided after build {build.number}; run `tieout run` first"))
    return reasons


def _incomplete(connection: duckdb.DuckDBPyConnection, month: Month) -> list[str]:
    """What is missing for this entity up to the end of the month; what is missing for nobody in particular, too.

    The rows of `incomplete_data`, with the key of the entity: ids alone are not unique across source systems.
    """
    if not _has(connection, "tie_outs", "int_tie_outs__incomplete"):
        return []
    found = connection.execute(
        "select distinct message from tie_outs.int_tie_outs__incomplete where (entity_key is null or entity_key = ?) "
        "and (period_from is null or period_from <= ?) order by 1",
        [month.key, month.last],
    ).fetchall()
    return [message for (message,) in found]


def _read(build: Build) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(build.path), read_only=True)


def _has(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> bool:
    return (
        connection.execute(
            "select count(*) from information_schema.tables where table_schema = ? and table_name = ?", [schema, table]
        ).fetchone()[0]
        > 0
    )


def close(
    home: Home, months: Sequence[Month], *, by: str, reviewed_by: str = "", accept: str = ""
) -> tuple[Build, list[Path]]:
    """Close months in one run of the job `close` and publish the build that shows it. Returns the build and the files.

    Raises Refused when a month may not be closed, or when the close was landed and did not take effect, and UsageError
    where one person would review what they prepared.
    """
    from orchestration import jobs

    if reviewed_by and reviewed_by.strip().casefold() == by.strip().casefold():
        raise UsageError(f"{by} cannot review what {by} prepared.", "Give --reviewed-by another person, or nobody.")

    with home.locked("tieout close"), tempfile.TemporaryDirectory() as folder:
        before = home.need_published()
        closed_at, loaded_at = closing_moment(home)
        # Refused before Dagster starts: an answer in a second, and no failed run in its history for a plain no.
        decision = Decision(by, reviewed_by, accept, instant(closed_at))
        refuse(home, months, decision)
        steps = {
            "files__closing_book": {
                "months": [
                    {"source_system": m.source_system, "entity_id": m.entity_id, "period": m.period} for m in months
                ],
                "closed_by": by,
                "reviewed_by": reviewed_by,
                "accept": accept,
                "closed_at": decision.closed_at,
                "folder": folder,
            },
            "landing": {"folder": folder, "must_load": True},
        }
        build = jobs.execute(home, "close", steps, as_of=before.manifest.get("as_of_given", ""), loaded_at=loaded_at)
    with _read(build) as connection:
        effective = set(connection.execute("select entity_key, period from core.int_closes__periods").fetchall())
    lost = [str(month) for month in months if (month.key, month.period) not in effective]
    if lost:
        raise Refused(
            f"The close of {', '.join(lost)} was landed and did not take effect.",
            "Look at `tieout quarantine list` and at the late arrivals of the build.",
        )
    return build, [close_file(home, month) for month in months]
