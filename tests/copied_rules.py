"""The shipped rules, landed once in a worker and copied into each new home after that: landing them takes two seconds.

`tests/orchestration/test_copied_rules.py` shows that a copied home is the landed one, table by table. A process of its
own, such as the command `tieout`, lands them as always.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from orchestration.home import Home
from orchestration.landing import LandingReport, ensure_raw
from orchestration.pipeline import Run

Land = Callable[[Run], LandingReport | None]


def copying(land: Land, folder: Path) -> Land:
    """`land_shipped_rules` that lands with `land` the first time, in a home in `folder`, and then copies."""
    landed: list[Run] = []

    def copied(run: Run) -> LandingReport | None:
        with duckdb.connect(str(run.home.raw), read_only=True) as raw:
            is_new = raw.execute("select count(*) from landing.batches").fetchone() == (0,)
        if not is_new:
            return land(run)
        if not landed:
            home = Home(folder / "home").create()
            ensure_raw(home)
            first = Run(home, "first", datetime(2000, 1, 1, tzinfo=UTC), 1)
            land(first)
            landed.append(first)
        return _copy(landed[0], run)

    return copied


def _copy(landed: Run, run: Run) -> LandingReport:
    """Put what `landed` landed into a home where nothing is, at the moment and with the name of `run`."""
    assert landed.shipped is not None
    moment = (run.loaded_at - timedelta(microseconds=1)).astimezone(UTC).replace(tzinfo=None)
    for path in landed.home.files.iterdir():
        shutil.copy2(path, run.home.files / path.name)
    with duckdb.connect(str(run.home.raw)) as raw:
        raw.execute(f"attach '{landed.home.raw}' as landed (read_only)")
        tables: dict[str, list[str]] = {}
        for table, column, kind in raw.execute(
            "select t.table_name, c.column_name, c.data_type from duckdb_tables() t join duckdb_columns() c"
            " using (database_name, schema_name, table_name) where t.database_name = 'landed'"
            " and t.estimated_size > 0 order by 1, c.column_index"
        ).fetchall():
            of_the_run = {"TIMESTAMP": "$1", "VARCHAR": "$2" if column == "run_id" else f'"{column}"'}
            value = of_the_run.get(kind, f'"{column}"')
            tables.setdefault(table, []).append(f'case when "{column}" is not null then {value} end as "{column}"')
        raw.execute("begin")
        for table, columns in tables.items():
            given = [moment, run.run_id] if "$2" in " ".join(columns) else [moment]
            raw.execute(
                f'insert into landing."{table}" by name select {", ".join(columns)} from landed.landing."{table}"'
                " order by rowid",
                given if "$" in " ".join(columns) else [],
            )
        raw.execute("commit")
    run.shipped = replace(landed.shipped, loaded_at=moment, run_id=run.run_id)
    return run.shipped
