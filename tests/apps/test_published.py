"""The door to the published build: it follows the link, shows one build at a time, and lets nothing else through."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from apps.reports.published import QUERIES, NothingPublished, Published, query_text
from tests.apps.published_home import TABLES, portfolio, publish


def test_a_home_without_a_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NothingPublished, match="tieout demo"):
        Published(tmp_path).rows("select 1")


def test_rows_keep_amounts_exact_and_days_as_days(small: Published) -> None:
    rows = small.rows(
        "select amount, entry_on from resident_ledger where lease_id = ? and source_id = ?", ["M-1", "M1"]
    )
    assert rows == [{"amount": Decimal("1200.50"), "entry_on": date(2026, 4, 1)}]
    assert small.rows("select count(*) as n from marts.leases")[0]["n"] == 8


def test_a_reader_keeps_its_build_while_a_new_one_is_published(tmp_path: Path) -> None:
    first = portfolio()
    publish(tmp_path, first, number=1)
    published = Published(tmp_path)
    before = published.reader()
    assert before.build.number == "1"
    publish(tmp_path, replace(first, as_of=date(2026, 4, 6)), number=2)
    (tmp_path / "builds" / "1.duckdb").unlink()
    assert published.one("build")["as_of"] == date(2026, 4, 6)
    assert published.build.number == "2"
    assert before.one("build")["as_of"] == date(2026, 4, 5)


@pytest.mark.parametrize(
    "sql",
    [
        "create table marts.x as select 1",
        "delete from marts.leases",
        "select * from read_csv('/etc/passwd')",
        "attach 'other.duckdb' as other",
        "copy marts.leases to 'leases.csv'",
        "set enable_external_access = true",
    ],
)
def test_the_door_lets_no_query_write_or_read_anything_else(small: Published, sql: str) -> None:
    with pytest.raises(duckdb.Error):
        small.rows(sql)


@pytest.mark.parametrize("path", sorted(QUERIES.glob("*.sql")), ids=lambda path: path.stem)
def test_every_query_only_selects_from_published_tables(path: Path) -> None:
    sql = query_text(path.stem)
    (statement,) = sqlglot.parse(sql, read="duckdb")
    assert isinstance(statement, exp.Select), f"{path.name} must be one select"
    made_here = {cte.alias for cte in statement.find_all(exp.CTE)}
    read = {table.name for table in statement.find_all(exp.Table)} - made_here
    assert read <= set(TABLES), f"{path.name} reads {read - set(TABLES)}"
    assert all(table.db in ("", "marts") for table in statement.find_all(exp.Table))
    assert sql.startswith("-- "), f"{path.name} does not say why it exists"


def test_pages_and_documents_load_neither_the_orchestrator_nor_its_libraries() -> None:
    code = (
        "import sys, apps.documents.statement, apps.reports.published, apps.reports.launch;"
        "print([m for m in sys.modules if m.split('.')[0] in ('orchestration', 'dagster', 'dbt', 'streamlit')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
