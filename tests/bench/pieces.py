"""The pieces of the benchmark, each run in a process of its own: `python -m tests.bench.pieces PIECE '{"json": ...}'`.

A piece prints one line of JSON last. Measure, never judge: nothing here asserts a time.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb

from tests.bench.measure import Meter

SLOWEST = 12


def generate(folder: str, leases: int, months: int) -> dict[str, Any]:
    """Write the landing files."""
    from tests.bench.landing import FACTS, write_landing

    meter = Meter()
    with meter.step("generate"):
        as_of = write_landing(Path(folder), leases, months)
    with duckdb.connect() as connection:
        rows = {
            table: connection.execute(f"select count(*) from '{folder}/{table}-*.parquet'").fetchone()[0]
            for table in FACTS
            if list(Path(folder).glob(f"{table}-*.parquet"))
        }
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    return {"as_of": as_of, "rows": rows, "bytes": size, "steps": meter.as_dict()}


def build(home: str, folder: str, as_of: str, expectations: bool = True) -> dict[str, Any]:
    """The full build, by the steps of a run: landing, guard, dbt with kernel, tests and tie-outs, publishing."""
    from orchestration import pipeline
    from orchestration.home import Home
    from orchestration.resources import dbt

    dbt.parsed()  # once per version of the code, not per build
    at, meter = Home(Path(home)), Meter()
    with at.locked("run"):
        with meter.step("begin"):
            run = pipeline.begin(at, as_of=as_of)
        with meter.step("landing"):
            report = pipeline.load(run, Path(folder))
        if expectations:
            with meter.step("guard"):
                pipeline.validate(run)
                pipeline.stop_if_unexpected(run)
        with meter.step("dbt"):
            pipeline.build(run)
        with meter.step("publishing"):
            published = pipeline.publish_build(run)
    layers: Counter[str] = Counter()
    for node in run.nodes:
        layers[_layer(node)] += node.seconds
    slowest = sorted(run.nodes, key=lambda node: -node.seconds)[:SLOWEST]
    with duckdb.connect(str(published.path), read_only=True) as connection:
        tables = connection.execute(
            "select schema_name, sum(estimated_size) from duckdb_tables() group by 1 order by 1"
        ).fetchall()
    return {
        "verdicts": report.verdicts,
        "steps": meter.as_dict(),
        "layers": {layer: round(seconds, 2) for layer, seconds in sorted(layers.items())},
        "slowest": {node.name: round(node.seconds, 2) for node in slowest},
        "rows_out": sum(table["rows"] for table in published.manifest["tables"].values()),
        "rows_built": {schema: int(rows) for schema, rows in tables},
        "bytes": published.path.stat().st_size,
    }


def _layer(node: Any) -> str:
    if node.resource_type != "model":
        return "tests"
    if node.path.endswith(".py"):
        return "twin" if node.name.endswith("twin") else "kernel"
    return Path(node.path).parts[1]


def kernel(leases: int, months: int, twin_leases: int, threads: int) -> dict[str, Any]:
    """The kernel alone, from events in memory to the journal, and the twin on the first few leases."""
    import pyarrow.compute as pc

    from dbt_project.kernels.allocation import allocate, allocate_reference
    from tests.bench.portfolio import portfolio, rules

    meter = Meter()
    with meter.step("events"):
        events, rule_table = portfolio(leases, months), rules()
    few = events.filter(pc.less_equal(events["account_key"], twin_leases))
    allocate(few, rule_table)  # compiled, or loaded from its cache
    with meter.step("kernel"):
        rows = allocate(events, rule_table, threads).num_rows
    with meter.step("twin"):
        allocate_reference(few, rule_table)
    return {"events": events.num_rows, "twin_events": few.num_rows, "rows": rows, "steps": meter.as_dict()}


def yardstick(folder: str, scratch: str, rows_out: int) -> dict[str, Any]:
    """DuckDB alone: the same raw rows read and sorted by lease and date, and `rows_out` rows written."""
    meter = Meter()
    named = {"charges": ("charge_id", "posted_on"), "payments": ("payment_id", "received_on")}
    union = " union all by name ".join(
        f"select '{table}' as kind, {key} as id, lease_id, amount, {day} as counts_on, recorded_at "
        f"from '{folder}/{table}-*.parquet'"
        for table, (key, day) in named.items()
    )
    if list(Path(folder).glob("payment_reversals-*.parquet")):
        union += (
            " union all by name select 'payment_reversals' as kind, reversal_id as id, lease_id, r.amount, "
            f"reversed_on as counts_on, r.recorded_at from '{folder}/payment_reversals-*.parquet' as r "
            f"join (select payment_id, lease_id from '{folder}/payments-*.parquet') using (payment_id)"
        )
    Path(scratch).unlink(missing_ok=True)
    with duckdb.connect(scratch) as connection:
        with meter.step("read and sort"):
            connection.execute(f"create temp table sorted as select * from ({union}) order by lease_id, counts_on, id")
        (count,) = connection.execute("select count(*) from sorted").fetchone() or (0,)
        with meter.step("write"):
            times = -(-rows_out // max(count, 1))
            connection.execute(
                f"create table written as select s.*, n.range as copy_no from sorted as s, range({times}) as n "
                f"limit {rows_out}"
            )
            connection.execute("checkpoint")
    size = Path(scratch).stat().st_size
    Path(scratch).unlink()
    return {"rows_in": count, "rows_out": rows_out, "bytes": size, "steps": meter.as_dict()}


def statements(home: str, month: str, most: int) -> dict[str, Any]:
    """Statements of one month, as `tieout statement --all` makes them."""
    from apps.documents.statement import statement_leases, statement_pdfs
    from apps.reports.published import Published

    meter, count, size = Meter(), 0, 0
    with meter.step("statements"):
        published = Published(Path(home))
        for _, _, content in statement_pdfs(published, month, statement_leases(published, month)):
            count, size = count + 1, size + len(content)
            if count == most:
                break
    return {"statements": count, "bytes": size, "steps": meter.as_dict()}


PIECES = {piece.__name__: piece for piece in (generate, build, kernel, yardstick, statements)}


def main() -> None:
    from orchestration.pipeline import telemetry_off

    telemetry_off()
    print(json.dumps(PIECES[sys.argv[1]](**json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
