"""When a build fails: the file is kept once, and the report says which check, which rows, and what to do.

The rows come from the failing query itself, run again on the kept file, so that the report and the file agree.
A row speaks through its column `message` where the check has one; a tie-out says which property and entity differ,
from which day to which, both amounts and where to look first. One cause shows on every day after it and in several
tie-outs: it is told once, and the other checks name the one that tells it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from orchestration.closing.breaks import Break, find_breaks
from orchestration.home import Home, write_whole
from orchestration.publishing.publish import building_path
from orchestration.publishing.rows import break_text, row_text
from orchestration.resources.dbt import Node

ROWS_SHOWN = 5


@dataclass(frozen=True)
class FailedCheck:
    """One check that failed: its name, the table it looks at, how many rows fail, and the first of them in words."""

    name: str
    table: str
    failures: int
    rows: tuple[str, ...]
    is_data: bool  # True: the data or a figure is at fault; False: the code could not run (a bug)
    detail: str = ""
    repeats: str = ""  # the check that tells of the same causes; empty: this one has a cause of its own

    def text(self) -> str:
        counted = f" ({self.failures} {'row' if self.failures == 1 else 'rows'})" if self.failures else ""
        lines = [f"{self.name}{f' on {self.table}' if self.table else ''}{counted}"]
        if self.repeats:
            return f"{lines[0]}: the same as {self.repeats}"
        lines += [f"  {row}" for row in self.rows]
        more = self.failures - len(self.rows)
        if self.rows and more > 0:
            lines.append(f"  and {more} more")
        if self.detail and not self.rows:
            lines += [f"  {line}" for line in self.detail.splitlines()[:4]]
        return "\n".join(lines)


def keep_failed(home: Home, number: int, nodes: Sequence[Node]) -> tuple[list[FailedCheck], Path]:
    """Keep the file of a failed build as `<n>.failed.duckdb` (the last one only) and write `<n>.failed.json` beside it.

    Returns the failed checks with their first rows, and the path of the report.
    """
    for old in home.builds.glob("*.failed.*"):
        old.unlink()
    building = building_path(home, number)
    failed = home.builds / f"{number}.failed.duckdb"
    if building.exists():
        building.rename(failed)
    shutil.rmtree(building.parent, ignore_errors=True)
    checks = failed_checks(home, failed, nodes)
    breaks = _breaks(failed)
    report = home.builds / f"{number}.failed.json"
    skipped = sorted(node.name for node in nodes if node.status == "skipped" and node.resource_type == "model")
    write_whole(
        report,
        json.dumps(
            {
                "build_no": number, "failed": [asdict(check) for check in checks], "not_built": skipped,
                "breaks": [found.text() for found in breaks],
            },
            indent=1, ensure_ascii=False,
        ) + "\n",
    )  # fmt: skip
    return checks, report


def breaks_of(report: Path) -> list[str]:
    """The breaks that the report of a failed build names, the earliest first, in words."""
    return list(json.loads(report.read_text("utf-8"))["breaks"])


def _breaks(failed: Path) -> list[Break]:
    """The rows that broke comparisons, as far as the failed build came."""
    if not failed.exists():
        return []
    with duckdb.connect(str(failed), read_only=True) as connection:
        try:
            return find_breaks(connection)
        except duckdb.CatalogException:  # it failed before there were closes or comparisons to look at
            return []


def failed_checks(home: Home, failed: Path, nodes: Sequence[Node]) -> list[FailedCheck]:
    """Every failed node in the order it ended, with its first rows read from the kept file."""
    broken = [node for node in nodes if node.status in ("fail", "error", "runtime error")]
    if not broken:
        return []
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        if failed.exists():
            connection.execute(f"attach '{_quoted(failed)}' as warehouse (read_only)")
        connection.execute(f"attach '{_quoted(home.raw)}' as raw (read_only)")
        told: dict[Cause, str] = {}
        return [_failed_check(connection, node, told) for node in broken]


#: A cause of differences between tie-outs: entity, property, first day, and the difference without its sign.
Cause = tuple[Any, Any, Any, Any]


def _failed_check(connection: duckdb.DuckDBPyConnection, node: Node, told: dict[Cause, str]) -> FailedCheck:
    if node.resource_type == "test" and node.status == "fail" and node.compiled:
        breaks = _failing_places(connection, node.compiled)
        if breaks:
            causes = [
                (each["entity_id"], each["property_id"], each["first_on"], abs(each["difference"])) for each in breaks
            ]
            repeats = told.get(causes[0], "") if all(cause in told for cause in causes) else ""
            for cause in causes:
                told.setdefault(cause, node.name)
            rows = tuple(break_text(each) for each in breaks[:ROWS_SHOWN])
            return FailedCheck(node.name, node.table, node.failures, rows, True, repeats=repeats)
        rows = _rows(connection, node.compiled)
        return FailedCheck(node.name, node.table, node.failures, rows, True)
    # A constraint of a contract (not_null, check, primary key) is a data check that DuckDB makes while it builds.
    is_data = "Constraint Error" in node.message
    return FailedCheck(node.name, node.table, node.failures, (), is_data, f"{node.path}\n{_plain(node.message)}")


def _failing_places(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    """The failing rows of a tie-out, one per place and difference with its days; none for other checks."""
    try:
        cursor = connection.execute(
            "select tie_out, entity_id, property_id, ledger_party, subject, left_label, right_label, difference, "
            "arg_min(look_at, as_of) as look_at, min(as_of) as first_on, max(as_of) as last_on, count(*) as days, "
            "arg_min(left_amount, as_of) as left_amount, arg_min(right_amount, as_of) as right_amount "
            f"from (\n{query}\n) where difference is not null group by all "
            "order by first_on, entity_id, property_id, ledger_party, difference"
        )
    except duckdb.BinderException:
        return []
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[str, ...]:
    try:
        cursor = connection.execute(f"select * from (\n{query}\n) limit {ROWS_SHOWN}")
    except duckdb.Error as error:
        return (f"(the rows could not be read: {error})",)
    names = [column[0] for column in cursor.description]
    return tuple(row_text(dict(zip(names, row, strict=True))) for row in cursor.fetchall())


def _plain(message: str) -> str:
    """dbt's message without its last lines about compiled code and thread names."""
    return "\n".join(line.strip() for line in message.splitlines() if line.strip() and "compiled code at" not in line)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def failed_names(error: BaseException) -> dict[str, str]:
    """Test name -> its failing rows in words, from the error that `keep_failed`'s checks were put into."""
    checks = getattr(error, "checks", ())
    return {check.name: check.text() for check in checks}
