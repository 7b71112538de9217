"""The home that tests begin with, its shipped rules copied from another, is the one in which they landed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import duckdb

from orchestration import pipeline
from orchestration.home import Home
from orchestration.landing import ensure_raw
from tests.copied_rules import Land, copying

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)


def everything(home: Home) -> dict[str, list[tuple[object, ...]]]:
    """Every table of the raw file with its rows as they lie; what each run counts anew lies in no order.

    The name of the folder that a file came from is left out: it is made for the landing, and gone.
    """
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        tables = raw.execute("select table_name from duckdb_tables() where schema_name = 'landing' order by 1")
        return {
            table: raw.execute(
                f'select * {"replace (null as folder)" if table == "batches" else ""} from landing."{table}"'
                f" order by {'all' if table == 'batch_outcomes' else 'rowid'}"
            ).fetchall()
            for (table,) in tables.fetchall()
        }


def test_a_home_with_copied_rules_is_the_home_in_which_they_landed(tmp_path: Path, landing_of_rules: Land) -> None:
    runs = []
    for name, land in (("landed", landing_of_rules), ("copied", copying(landing_of_rules, tmp_path / "first"))):
        home = Home(tmp_path / name).create()
        ensure_raw(home)
        runs.append(pipeline.Run(home, "a run", MOMENT, 1))
        assert land(runs[-1]) is runs[-1].shipped
    landed, copied = (run.home for run in runs)
    found = everything(landed)
    assert found == everything(copied) and len(found) > 100
    assert len(found["batches"]) == len(pipeline.SHIPPED_RULES) and len(found["charge_treatments"]) > 100
    assert {path.name: path.read_bytes() for path in landed.files.iterdir()} == {
        path.name: path.read_bytes() for path in copied.files.iterdir()
    }
    assert runs[0].shipped == runs[1].shipped
    # Where something has landed already, rules of a newer release are landed and never copied.
    again = pipeline.Run(copied, "again", MOMENT.replace(year=2027), 2)
    report = copying(landing_of_rules, tmp_path / "second")(again)
    assert report is not None and len(report.skipped) == len(pipeline.SHIPPED_RULES) and not report.batches
