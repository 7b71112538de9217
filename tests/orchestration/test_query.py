"""`tieout query` reads the published schema and nothing else."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from orchestration import pipeline
from orchestration.errors import UsageError
from orchestration.home import Build, Home
from orchestration.query import Answer, as_csv, as_json, ask, open_build
from tests.conftest import write_files
from tests.orchestration.conftest import PEOPLE, SMALL


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    folder = tmp_path_factory.mktemp("query")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIEOUT_DBT_PROJECT", str(SMALL))
        built, _ = pipeline.run_folder(Home(folder / "home"), write_files(folder / "in", PEOPLE), expectations=False)
    return built


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select count(*) from people", [(2,)]),
        ("select count(*) from marts.people;", [(2,)]),
        ("with a as (select 1 as x) select x, count(*) from a, people group by x", [(1, 2)]),
        ("with recursive a(x) as (select 1 union all select x + 1 from a where x < 3) select sum(x) from a", [(6,)]),
        ("select count(*) from range(3)", [(3,)]),
        ("select * from (values (1), (2)) as t(a) order by a", [(1,), (2,)]),
        ("select p.name from people p join tie_outs t on t.entity_id = 'E1' where person_id = 'P1'", [("Ann Ames",)]),
        ("from build_info select people", [(2,)]),
        ("select '/etc/passwd'", [("/etc/passwd",)]),
    ],
)
def test_a_select_over_published_tables_is_answered(build: Build, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert ask(build, sql).rows == rows


@pytest.mark.parametrize(
    "sql",
    [
        # files and the network
        "select * from read_csv('/etc/passwd')",
        "select * from read_csv_auto('/etc/passwd')",
        "select * from '/etc/passwd'",
        "select * from read_text('/etc/passwd')",
        "select * from read_blob('/etc/passwd')",
        "select * from read_json('/etc/passwd')",
        "select * from parquet_scan('/srv/x.parquet')",
        "select * from sniff_csv('/etc/passwd')",
        "select * from glob('/etc/*')",
        "attach '/srv/other.duckdb'",
        "attach ':memory:' as other",
        "copy people to '/srv/people.csv'",
        "copy (select 1) to '/srv/one.csv'",
        "export database '/srv/all'",
        "install httpfs",
        "load json",
        # other schemas, other catalogs, the system's own tables
        "select * from core.int_build__settings",
        "select * from staging.stg_persons",
        'select * from "1".core.int_build__settings',
        'select * from "1".marts.people',
        "select * from information_schema.tables",
        "select * from pg_catalog.pg_tables",
        "select * from sqlite_master",
        "select * from duckdb_settings()",
        "select * from duckdb_tables",
        "select * from pragma_table_info('core.int_build__settings')",
        "select * from query('select * from core.int_build__settings')",
        "select * from query_table('core.int_build__settings')",
        "select (select max(build_no) from core.int_build__settings)",
        "select * from people where person_id in (select cast(build_no as varchar) from core.int_build__settings)",
        "with people as (select * from core.int_build__settings) select * from people",
        "select * from people, lateral (select * from core.int_build__settings)",
        "select * from (with duckdb_views as (select 1) select * from duckdb_views), duckdb_views",
        "select 1 union all select build_no from core.int_build__settings",
        # anything that is not one SELECT
        "pragma table_info('people')",
        "pragma show_tables",
        "show tables",
        "describe people",
        "summarize people",
        "explain select 1",
        "call pragma_version()",
        "set threads = 1",
        "reset threads",
        "insert into people values ('P9', 'x', null, null)",
        "update people set name = 'x'",
        "delete from people",
        "create table x as select 1",
        "create view x as select 1",
        "drop table people",
        "alter table people rename to persons",
        "begin",
        "vacuum",
        "checkpoint",
        "use core",
        "prepare a as select 1",
        "select 1; select 2",
        "select 1; drop table people",
        "",
        "-- nothing",
        "nonsense",
    ],
)  # fmt: skip
def test_everything_else_is_refused(build: Build, sql: str) -> None:
    with pytest.raises(UsageError) as refused:
        ask(build, sql)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_text('/etc/passwd')",
        "attach ':memory:' as other; attach '/srv/other.duckdb'",
        "set enable_external_access = true",
        "create table core.x as select 1",
        "copy (select 1) to '/srv/one.csv'",
    ],
)
def test_the_connection_itself_holds_even_without_the_parser(build: Build, sql: str) -> None:
    import duckdb

    with open_build(build) as connection, pytest.raises(duckdb.Error):
        connection.execute(sql)


def test_a_python_variable_is_not_a_table(build: Build) -> None:
    import pandas

    secret = pandas.DataFrame({"x": [1]})
    assert len(secret) == 1
    with pytest.raises(UsageError, match="secret"):
        ask(build, "select * from secret")


def test_a_mistake_says_what_and_which_tables_there_are(build: Build) -> None:
    with pytest.raises(UsageError, match="nosuch") as refused:
        ask(build, "select nosuch from people")
    assert "people" in refused.value.what_to_do


def test_csv_has_a_header_and_empty_nulls(build: Build) -> None:
    answer = ask(build, "select person_id, email, 1500.00::decimal(18,2) as amount, true as yes from people order by 1")
    assert list(csv.reader(io.StringIO(as_csv(answer)))) == [
        ["person_id", "email", "amount", "yes"],
        ["P1", "ann@example.org", "1500.00", "true"],
        ["P2", "", "1500.00", "true"],
    ]


def test_json_keeps_decimals_as_text_and_integers_as_numbers(build: Build) -> None:
    sql = "select 0.10::decimal(18,2) as amount, 7 as n, null as nothing, date '2026-10-31' as day, [1, 2] as several"
    assert json.loads(as_json(ask(build, sql))) == [
        {"amount": "0.10", "n": 7, "nothing": None, "day": "2026-10-31", "several": [1, 2]}
    ]
    assert as_json(Answer(("a",), ("INTEGER",), [])) == "[]"
    assert ask(build, sql).rows[0][0] == Decimal("0.10")


def test_the_command_prints_what_was_asked(build: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from orchestration.cli import run_command

    home = str(build.path.parents[1])

    def typed(*arguments: str) -> tuple[int, str, str]:
        code = run_command([*arguments, "--home", home])
        out, err = capfd.readouterr()
        return code, out, err

    code, out, _ = typed("query", "select person_id, name from people order by 1", "--format", "csv")
    assert (code, out) == (0, "person_id,name\nP1,Ann Ames\nP2,Bo Berg\n")
    code, out, _ = typed("query", "select person_id, 5 as n from people order by 1")
    assert code == 0 and out.splitlines()[0].split() == ["person_id", "n"] and out.endswith("(2 rows)\n")
    code, _, err = typed("query", "select 1", "--format", "xml")
    assert code == 2 and "expected table, csv or json" in err
    code, _, err = typed("query", "drop table people")
    assert code == 2 and "only SELECT reads" in err and "Traceback" not in err


def test_query_and_status_import_nothing_heavy(build: Build, run_python: Callable[[str], str]) -> None:
    loaded = run_python(
        "import sys\nfrom orchestration.cli import run_command\n"
        f"for words in (['query', 'select 1'], ['status']):\n"
        f"    assert run_command([*words, '--home', {str(build.path.parents[1])!r}]) == 0\n"
        "print([m for m in ('dagster', 'dbt', 'polars', 'great_expectations', 'streamlit', 'numba', 'pandas') "
        "if m in sys.modules])"
    )
    assert loaded.splitlines()[-1] == "[]"
