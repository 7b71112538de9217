"""Month end as one occasion: load, build and tie; close what may close; draw statements; leave a report.

Each entity closes by itself: its month is over when the last of its properties has passed midnight, and a month that
differs keeps its own entity open and nobody else's. The functions are the steps; Dagster's job `month_end` calls them
in
turn, so that a failure names its step.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from orchestration import pipeline
from orchestration.closing.close import Decision, Month, closing_moment, finished_months, reasons_against, write_book
from orchestration.closing.pack import MANIFEST, seals
from orchestration.errors import TieoutError
from orchestration.home import Build, Home, write_whole
from orchestration.progress import say
from orchestration.publishing.publish import instant
from orchestration.report import close_report

REASONS_SHOWN = 5
#: The report of a month end that stopped; it stands until one comes to its end.
FAILED = "month-end-failed"


@dataclass(frozen=True)
class Closed:
    """What the closing step did: the months, and the build that shows them (the one before where there were none)."""

    months: tuple[Month, ...]
    build: Build


def reports(home: Home) -> Path:
    """The folder of the reports that month ends leave."""
    return home.path / "reports"


def statements(home: Home, period: str) -> Path:
    """The folder of the statements of a month."""
    return home.path / "statements" / period


def close_finished(
    home: Home, *, by: str, reviewed_by: str = "", run_id: str = "", moment: datetime | None = None
) -> Closed:
    """Close every finished month that nothing speaks against, in a run of its own after what was loaded is published.

    `moment` is for replays of history and must be later than all the home knows. Raises the errors of the steps of a
    run.
    """
    before = home.need_published()
    months = tuple(finished_months(home, moment))
    if not months:
        return Closed((), before)
    closed_at, loaded_at = closing_moment(home, moment)
    with tempfile.TemporaryDirectory() as folder:
        say(f"Closing {', '.join(map(str, months))}")
        write_book(home, months, Decision(by, reviewed_by, "", instant(closed_at)), folder)
        run = pipeline.begin(
            home,
            as_of=before.manifest.get("as_of_given", ""),
            run_id=f"{run_id}:close" if run_id else None,
            loaded_at=loaded_at,
        )
        pipeline.load(run, Path(folder))
        pipeline.validate(run)
        pipeline.stop_if_unexpected(run)
        pipeline.build(run)
        return Closed(months, pipeline.publish_build(run))


def write_statements(home: Home) -> list[Path]:
    """The statements of every sealed month that has none yet, one per lease whose house the entity owned when it ended.

    Entities close each in their own time: a household whose month is still open gets its statement when that closes.
    The list of what was drawn is written last, so that a month end that stopped in between draws the month again.
    """
    from orchestration.statements import write_all

    drawn = []
    build = home.need_published()
    for name, month in _sealed(home):
        told = statements(home, month.period) / f"{name}.json"
        if told.exists():
            continue
        files = write_all(home, month.period, told.parent, _leases_of(build, month))
        lines = {"build": build.number, "statements": [file.name for file in files]}
        write_whole(told, json.dumps(lines, indent=1, ensure_ascii=False) + "\n")
        drawn += files
    return drawn


def _sealed(home: Home) -> list[tuple[str, Month]]:
    """Every sealed pack by the name of its folder, with the month that it holds."""
    told = {name: json.loads((home.closes / name / MANIFEST).read_text("utf-8")) for name in seals(home)}
    return [(name, Month(each["source_system"], each["entity_id"], each["period"])) for name, each in told.items()]


def _leases_of(build: Build, month: Month) -> set[tuple[str, str]]:
    """The (source_system, lease_id) of the houses that belonged to the entity of a month on its last day."""
    with duckdb.connect(str(build.path), read_only=True) as connection:
        found = connection.execute(
            "select leases.source_system, leases.lease_id from core.int_portfolio__leases as leases "
            "join core.int_portfolio__properties as properties using (property_key) "
            "where properties.entity_key = $1 and properties.valid_from <= $2 "
            "and (properties.valid_to is null or properties.valid_to > $2)",
            [month.key, month.last],
        ).fetchall()
    return set(found)


def left_open(home: Home, moment: datetime | None = None) -> list[str]:
    """For every entity with a month that is over and open: the first such month and why it stays open."""
    with duckdb.connect(str(home.need_published().path), read_only=True) as connection:
        rows = connection.execute(
            "select source_system, entity_id, min(period) from marts.close_status where is_over and not is_closed "
            "group by 1, 2 order by 2, 1"
        ).fetchall()
    lines = []
    for source_system, entity_id, period in rows:
        month = Month(source_system, entity_id, period)
        reasons = reasons_against(home, month, moment or datetime.now(UTC))
        lines += [f"{month}: {reason}" for reason in reasons[:REASONS_SHOWN]]
        lines += [f"{month}: and {len(reasons) - REASONS_SHOWN} more reasons"] if len(reasons) > REASONS_SHOWN else []
    return lines


def leave_report(home: Home, closed: Sequence[Month], drawn: int, moment: datetime | None = None) -> Path:
    """Write what the month end did and the state of the books after it, as text and as JSON; returns the text. The
    report of one that stopped before goes away."""
    build = home.need_published()
    open_ = left_open(home, moment)
    lines = [
        f"Month end as of {build.as_of}.",
        f"Closed: {', '.join(map(str, closed)) if closed else 'nothing'}.",
        *(f"  sealed   closes/{close_name(home, month)}" for month in closed),
        f"Statements drawn: {drawn}.",
        "Left open:" if open_ else "No finished month is left open.",
        *(f"  {line}" for line in open_),
        "",
        *close_report(home),
    ]
    told = {
        "as_of": build.as_of.isoformat(), "published": build.number, "closed": [str(month) for month in closed],
        "statements": drawn, "left_open": open_,
    }  # fmt: skip
    report = _write(home, f"month-end-{build.as_of}", lines, told)
    for old in reports(home).glob(f"{FAILED}.*"):
        old.unlink()
    return report


def close_name(home: Home, month: Month) -> str:
    """The name of the sealed pack of a month."""
    from orchestration.closing.close import close_file
    from orchestration.closing.pack import pack_folder

    return pack_folder(close_file(home, month)).name


@contextlib.contextmanager
def step(home: Home, name: str) -> Iterator[None]:
    """A step of the month end: where it fails, the report says which step stopped, at which check and rows. What nobody
    foresaw (a full disk, a folder that is a file) is told by its kind and its own words."""
    try:
        yield
    except Exception as error:
        said = str(error) if isinstance(error, TieoutError) else f"{type(error).__name__}: {error}"
        published = home.published()
        lines = [
            f"The month end stopped at the step {name}.",
            f"Build {published.number} stays published, as of {published.as_of}."
            if published
            else "Nothing is published.",
            "",
            said,
        ]
        told = {"stopped_at": name, "published": published.number if published else None, "message": said}
        _write(home, FAILED, lines, told)
        raise


def later(moment: str) -> datetime | None:
    """When the closing step of a run at `moment` stands (ISO with offset; empty: now): a minute after it."""
    return datetime.fromisoformat(moment) + timedelta(minutes=1) if moment else None


def _write(home: Home, name: str, lines: Sequence[str], told: object) -> Path:
    reports(home).mkdir(parents=True, exist_ok=True)
    write_whole(reports(home) / f"{name}.json", json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    write_whole(reports(home) / f"{name}.txt", "\n".join(lines) + "\n")
    return reports(home) / f"{name}.txt"
