"""The guard behind the door: Great Expectations over the accepted rows of `raw.duckdb`, before anything is built.

`validate` runs every suite in SQL inside DuckDB, read only. A failed expectation must stop the run: what is accepted no
longer is what the contract promises. Importing this module is cheap; Great Expectations (about five seconds) is
imported when `validate` is called.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from orchestration.expectations.suites import CORE_TABLES, Expectation, suites

__all__ = ["CORE_TABLES", "Expectation", "SuiteResult", "expectation_names", "suites", "validate"]

#: Rows shown per expectation; `failures` counts them all.
SHOWN = 20


@dataclass(frozen=True)
class SuiteResult:
    """One expectation on one table. `failures` counts rows (version rows of the table); `rows` shows the first ones."""

    table: str
    name: str
    passed: bool
    failures: int = 0
    message: str = ""
    rows: Sequence[Mapping[str, Any]] = field(default_factory=tuple)


def expectation_names() -> list[tuple[str, str]]:
    """Every (table, expectation) that `validate` reports, without importing Great Expectations."""
    return [(table, expectation.name) for table, listed in suites().items() for expectation in listed]


def validate(raw_path: Path, tables: Sequence[str] | None = None) -> list[SuiteResult]:
    """Run the suites on the accepted rows of `raw_path`; of all core tables, or of those named.

    Returns a result per expectation, in a fixed order; expectations of an empty table hold. Raises RuntimeError when an
    expectation could not be evaluated at all: that is a bug, never a pass.
    """
    chosen = {table: listed for table, listed in suites().items() if tables is None or table in tables}
    filled = _filled(raw_path, list(chosen))
    results: list[SuiteResult] = []
    with _great_expectations(raw_path) if filled else contextlib.nullcontext() as source:
        for table, listed in chosen.items():
            if table in filled:
                results += _run(source, table, listed)
            else:
                results += [SuiteResult(table, expectation.name, True) for expectation in listed]
    return results


def _filled(raw_path: Path, tables: list[str]) -> set[str]:
    with duckdb.connect(str(raw_path), read_only=True) as raw:
        counts = " UNION ALL ".join(f"SELECT '{t}' WHERE EXISTS (SELECT 1 FROM landing.\"{t}\")" for t in tables)
        return {table for (table,) in raw.execute(counts).fetchall()} if tables else set()


@contextlib.contextmanager
def _great_expectations(raw_path: Path) -> Iterator[Any]:
    """A data source over the file, read only; its connection is closed afterwards, so that the file can be written."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    import great_expectations as gx

    from orchestration.expectations.dialect import connection_string

    context = gx.get_context(mode="ephemeral")
    # Written out anew, as YAML, with every table: a context that lives in memory keeps it nowhere.
    context._save_project_config = lambda *_: None
    context.variables.progress_bars = {"globally": False, "metric_calculations": False}
    source = context.data_sources.add_sql("raw", connection_string=connection_string(raw_path), create_temp_table=False)
    try:
        yield source
    finally:
        engine = source.get_engine()
        source.get_execution_engine().close()
        engine.dispose()


def _run(source: Any, table: str, listed: Sequence[Expectation]) -> list[SuiteResult]:
    import great_expectations as gx
    from great_expectations import expectations as gxe

    asset = source.add_table_asset(table, table_name=table)
    batch = asset.add_batch_definition_whole_table("all rows").get_batch()
    suite = gx.ExpectationSuite(
        name=table,
        expectations=[
            gxe.UnexpectedRowsExpectation(unexpected_rows_query=e.query, description=e.sentence, meta={"name": e.name})
            for e in listed
        ],
    )
    found = batch.validate(
        suite,
        result_format="COMPLETE",
    )
    by_name = {result.expectation_config.meta["name"]: result for result in found.results}
    return [_result(e, by_name[e.name]) for e in listed]


def _result(expectation: Expectation, result: Any) -> SuiteResult:
    told = result.exception_info or {}
    entries = [told, *(entry for entry in told.values() if isinstance(entry, Mapping))]
    for entry in entries:
        if entry.get("raised_exception"):
            raise RuntimeError(
                f"{expectation.table}: {expectation.name} could not be evaluated: {entry.get('exception_message')}"
            )
    details = result.result
    failures = int(details.get("observed_value") or 0)
    rows = list(details.get("details", {}).get("unexpected_rows", []))
    message = ""
    if not result.success:
        first = "; ".join(_place(row) for row in rows[:3])
        message = f"{expectation.sentence} {failures} rows break this: {first}{', ...' if failures > 3 else '.'}"
    return SuiteResult(
        expectation.table, expectation.name, bool(result.success), failures, message, tuple(rows[:SHOWN])
    )


def _place(row: Mapping[str, Any]) -> str:
    place = str(row.get("row_key"))
    if row.get("file"):
        place += f" ({row['file']}, row {row['row_number']})"
    return place + (f": {row['wrong']}" if row.get("wrong") else "")
