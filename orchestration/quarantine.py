"""Working the quarantine: see the rows that wait, count them, settle one, hand them to whoever corrects them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from apps.documents.formulas import defused
from orchestration.errors import UsageError
from orchestration.home import Home

COLUMNS = (
    "quarantine_id", "table_name", "file", "row_number", "reason", "detail", "amount", "status", "resolved_by", "raw",
)  # fmt: skip


@dataclass(frozen=True)
class Waiting:
    """Rows of the quarantine, with the columns of `COLUMNS`."""

    rows: Sequence[dict[str, Any]]

    def lines(self) -> list[str]:
        """A block of lines per row, for a terminal."""
        if not self.rows:
            return ["Nothing waits in quarantine."]
        lines = []
        for row in self.rows:
            state = "" if row["status"] == "open" else f"  [{row['status']} by {row['resolved_by']}]"
            lines.append(f"{row['quarantine_id']}  {row['file']} row {row['row_number']}: {row['reason']}{state}")
            lines.append(f"    {row['detail']}")
        return lines


def rows(home: Home, reason: str | None, every: bool) -> Waiting:
    """The rows that wait as the home holds them now; `every`: settled ones too."""
    try:
        raw = duckdb.connect(str(home.raw), read_only=True)
    except duckdb.IOException:
        raise UsageError(
            "A run is loading now, and the quarantine is being judged again.", "Try again in a moment."
        ) from None
    with raw:
        found = raw.execute(
            f"select {', '.join(COLUMNS)} from landing.quarantine "
            "where (? or status = 'open') and (? is null or reason = ?) order by table_name, file, row_number",
            [every, reason, reason],
        ).fetchall()
    return Waiting([dict(zip(COLUMNS, row, strict=True)) for row in found])


def resolve(home: Home, quarantine_id: str, by: str, reason: str, *, rebuild: bool) -> str:
    """Settle a row by a named person and build again. Returns what happened, in a sentence."""
    from orchestration import jobs
    from orchestration.landing import resolve_quarantine

    with home.locked("tieout quarantine resolve"):
        outcome = resolve_quarantine(home, quarantine_id, by, reason)
        said = "entered the books" if outcome == "released" else "is set aside for good"
        if not rebuild:
            return f"The row {said}. The next run shows it."
        build = jobs.rebuild(home)
    return f"The row {said}. Build {build.number} shows it."


def summary(home: Home) -> list[str]:
    """What waits in the published build, by reason and age and by file: rows, cents, days waited."""
    from orchestration.report import aligned, count

    build = home.need_published()
    with duckdb.connect(str(build.path), read_only=True) as connection:
        lines: list[str] = []
        for title, group in (("reason", "reason, age_bucket"), ("file", 'file, "table"')):
            found = connection.execute(_GROUPED.format(group=group)).fetchall()
            if not found:
                return [f"Nothing waits in quarantine in build {build.number}."]
            total = sum(row[2] for row in found)
            lines += [f"By {title}: {count(total, 'row')}"]
            head = ["", "", "rows", "amount", "without amount", "oldest, days"]
            table = [
                [
                    f"  {one}",
                    f"{two} days" if title == "reason" else two,
                    f"{n:,}",
                    f"{amount or 0:,.2f}",
                    f"{w:,}",
                    f"{days:,}",
                ]
                for one, two, n, amount, w, days in found
            ]
            lines += [*aligned([head, *table], right={2, 3, 4, 5}), ""]
    return lines[:-1]


_GROUPED = (
    "select {group}, sum(rows_waiting)::bigint, sum(amount), sum(rows_without_amount)::bigint, max(waiting_days) "
    "from marts.quarantine_summary group by {group} order by 1, 6, 2"
)


def export(home: Home, waiting: Waiting, out: Path) -> int:
    """Write the rows to a file: XLSX to be filled in and given back, else CSV to be read. Returns how many.

    CSV: what is wrong first, then the row's own columns as they were read, text defused; where the published build is
    incomplete, each row says so. Raises UsageError for a place where no file can be written.
    """
    from orchestration.quarantine_workbook import write_workbook

    if out.suffix.lower() == ".xlsx":
        return write_workbook(waiting, out)
    published = home.published()
    incomplete = " ".join(published.manifest.get("incomplete", [])) if published else ""
    raws = [json.loads(row["raw"]) if row["raw"] else {} for row in waiting.rows]
    own = sorted({name for raw in raws for name in raw})
    head = [name for name in COLUMNS if name != "raw"]
    mark = [defused(incomplete)] if incomplete else []
    try:
        with open(out, "w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow([*head, *(f"row.{name}" for name in own), *(["incomplete"] if mark else [])])
            for row, raw in zip(waiting.rows, raws, strict=True):
                cells = [*(row[name] for name in head), *(raw.get(name) for name in own)]
                writer.writerow([*(defused(cell) if isinstance(cell, str) else cell for cell in cells), *mark])
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}.", "Give another file with --out.") from None
    return len(waiting.rows)
