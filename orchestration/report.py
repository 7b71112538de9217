"""What a person is told after a run: what is published, what agrees, what waits, what is closed.

Everything is read from the published build and its manifest; nothing is computed that a page would not show too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import duckdb

from orchestration.home import Build, Home
from orchestration.publishing.rows import row_text

SHOWN = 10


def close_report(home: Home) -> list[str]:
    """The report as lines of plain text."""
    build = home.need_published()
    with duckdb.connect(str(build.path), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        return [
            *_published(home, build),
            *_files(build),
            "",
            *_tie_outs(connection),
            "",
            *_quarantine(connection),
            "",
            *_closes(connection),
        ]


def falls_short(home: Home) -> list[str]:
    """What is not as it should be: a later build that failed, files that no build holds, an incomplete build."""
    build = home.published()
    lines = []
    for found in sorted(home.builds.glob("*.failed.json")):
        number = int(found.name.split(".")[0])
        if build is None or number > build.number:
            failed = json.loads(found.read_text("utf-8"))["failed"]
            lines.append(f"Build {number} failed and is not published. {count(len(failed), 'check')} failed:")
            for check in failed[:SHOWN]:
                lines.append(f"  {check['name']}")
                lines += [f"    {row}" for row in check["rows"][:1]]
            lines.append(f"  report: {found}")
    if build is not None:
        lines += [f"Incomplete: {line}" for line in build.manifest.get("incomplete", [])]
        lines += _not_in_build(home, build)
    return lines


def _not_in_build(home: Home, build: Build) -> list[str]:
    try:
        raw = duckdb.connect(str(home.raw), read_only=True)
    except duckdb.IOException:
        return ["A run is loading now; what it has loaded cannot be told yet."]
    with raw:
        loaded = raw.execute("select batch_id, file from landing.batches where status = 'loaded'").fetchall()
    known = {batch["batch_id"] for batch in build.manifest["batches"]}
    missing = sorted(file for batch_id, file in loaded if batch_id not in known)
    if not missing:
        return []
    return [f"Loaded but not in the published build: {', '.join(missing[:SHOWN])}; run `tieout run` to build again."]


def _published(home: Home, build: Build) -> list[str]:
    manifest = build.manifest
    checks = manifest["checks"]
    warned = [check["name"] for check in checks if check["status"] == "warned"]
    lines = [
        f"Build {build.number} is published, as of {build.as_of}.",
        f"  home     {home.path}",
        f"  loaded   {manifest['loaded_at'][:19].replace('T', ' ')}Z, {count(len(manifest['batches']), 'file')}",
        f"  checks   {count(len(checks), 'check')} passed"
        + (f", {len(warned)} of them with warnings" if warned else ""),
    ]
    lines += [f"  warning  {name}" for name in warned[:SHOWN]]
    lines += [f"  INCOMPLETE  {line}" for line in manifest.get("incomplete", [])]
    return lines


_NOT_LOADED = {
    "skipped": "known already",
    "left_alone": "left alone",
    "ignored": "no data",
    "unknown_columns": "unknown columns",
    "profiles": "through profile",
}


def _files(build: Build) -> list[str]:
    """The files of the run that were not loaded or were read through a profile, and how; the first of each kind."""
    lines = []
    for kind, title in _NOT_LOADED.items():
        noted = build.manifest.get("landing", {}).get(kind, [])
        lines += [f"  {title:<16} {each['file']}: {each['message']}" for each in noted[:SHOWN]]
        if len(noted) > SHOWN:
            lines.append(f"  {title:<16} and {len(noted) - SHOWN} more; {build.path.stem}.json has them all")
    return lines


def _tie_outs(connection: duckdb.DuckDBPyConnection) -> list[str]:
    if not _has(connection, "tie_outs"):
        return ["Tie-outs: none in this build."]
    rows = connection.execute(
        "select tie_out, count(*), count(*) filter (where difference <> 0 or difference is null) "
        "from marts.tie_outs group by tie_out order by min(tie_out_no), tie_out"
        if _has_column(connection, "tie_outs", "tie_out_no")
        else "select tie_out, count(*), count(*) filter (where difference <> 0 or difference is null) "
        "from marts.tie_outs group by tie_out order by tie_out"
    ).fetchall()
    compared, differing = sum(row[1] for row in rows), sum(row[2] for row in rows)
    word = "all agree" if not differing else f"{differing} DIFFER"
    lines = [f"Tie-outs: {count(compared, 'comparison')}, {word}."]
    lines += aligned(
        [[f"  {name}", f"{number:,}", "agree" if not off else f"{off:,} differ"] for name, number, off in rows],
        right={1},
    )
    if differing:
        cursor = connection.execute(
            f"select * from marts.tie_outs where difference <> 0 or difference is null order by as_of limit {SHOWN}"
        )
        names = [column[0] for column in cursor.description]
        lines += ["  First to look at:"]
        lines += [f"    {row_text(dict(zip(names, row, strict=True)))}" for row in cursor.fetchall()]
    return lines


def _quarantine(connection: duckdb.DuckDBPyConnection) -> list[str]:
    if not _has(connection, "quarantine"):
        return ["Quarantine: not in this build."]
    detail = "min_by(detail, quarantine_id)" if _has_column(connection, "quarantine", "detail") else "null"
    rows = connection.execute(
        f"select reason, count(*), {detail} from marts.quarantine where status = 'open' "
        "group by reason order by count(*) desc, reason"
    ).fetchall()
    total = sum(row[1] for row in rows)
    if not total:
        return ["Quarantine: empty."]
    lines = [f"Quarantine: {count(total, 'row')} {'waits' if total == 1 else 'wait'}."]
    for reason, number, example in rows:
        lines.append(f"  {number:>5,}  {reason}")
        lines += [f"         for example: {example}"] if example else []
    # Here, because it loads the door: only a build with rows that wait takes the time.
    from orchestration.landing.reasons import ways_out

    lines.append("  See them with `tieout quarantine list`.")
    lines += [f"  {line}" for line in ways_out({reason for reason, _, _ in rows})]
    return lines


def _closes(connection: duckdb.DuckDBPyConnection) -> list[str]:
    if not _has(connection, "close_status"):
        return ["Closes: not in this build."]
    rows = connection.execute(
        "select source_system, entity_id, max(period) filter (where is_closed), "
        "max(closed_at) filter (where is_closed), max_by(closed_by, period) filter (where is_closed), "
        "string_agg(period || case when tie_outs_that_differ > 0 "
        "then ' (' || tie_outs_that_differ || ' differ)' else '' end, ', ' order by period) "
        "filter (where not is_closed and is_over) "
        "from marts.close_status group by source_system, entity_id order by entity_id, source_system"
    ).fetchall()
    if not rows:
        return ["Closes: no entity has a month yet."]
    lines = ["Closed months:"]
    table = []
    ids = [row[1] for row in rows]
    for source_system, entity_id, period, at, by, waiting in rows:
        entity = entity_id if ids.count(entity_id) == 1 else f"{entity_id} of {source_system}"
        closed = f"closed through {period}" if period else "nothing closed"
        when = f"at {at:%Y-%m-%d %H:%M}Z by {by}" if period and at else ""
        table.append([f"  {entity}", closed, when, f"over and open: {waiting}" if waiting else ""])
    return lines + aligned(table)


def count(number: int, noun: str) -> str:
    """`1 row`, `2 rows`, `1,234 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def aligned(rows: Sequence[Sequence[str]], right: frozenset[int] | set[int] = frozenset()) -> list[str]:
    """Rows of texts as lines with aligned columns; the columns in `right` are right-aligned."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            text.rjust(width) if i in right else text.ljust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _has(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    return _has_column(connection, table, None)


def _has_column(connection: duckdb.DuckDBPyConnection, table: str, column: str | None) -> bool:
    found: Any = connection.execute(
        "select count(*) from information_schema.columns where table_schema = 'marts' and table_name = ? "
        "and column_name = coalesce(?, column_name)",
        [table, column],
    ).fetchone()
    return found[0] > 0
