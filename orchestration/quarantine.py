"""Working the quarantine: see the rows that wait, settle one, hand them to whoever corrects them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

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


def export(waiting: Waiting, out: Path) -> None:
    """Write the rows to a CSV file: what is wrong first, then the row's own columns as they were read.

    A text that a spreadsheet would run as a formula gets an apostrophe in front. Raises UsageError for a place where no
    file can be written.
    """
    raws = [json.loads(row["raw"]) if row["raw"] else {} for row in waiting.rows]
    own = sorted({name for raw in raws for name in raw})
    head = [name for name in COLUMNS if name != "raw"]
    try:
        with open(out, "w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow([*head, *(f"row.{name}" for name in own)])
            for row, raw in zip(waiting.rows, raws, strict=True):
                writer.writerow([*(_harmless(row[name]) for name in head), *(_harmless(raw.get(name)) for name in own)])
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}.", "Give another file with --out.") from None


def _harmless(value: Any) -> str:
    text = "" if value is None else str(value)
    if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not text[1:].replace(".", "", 1).isdigit():
        return f"'{text}"
    return text
