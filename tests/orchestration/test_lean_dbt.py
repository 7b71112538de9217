"""A build leaves out what dbt does for people at a terminal, and nothing else."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from orchestration import pipeline
from orchestration.errors import CheckFailed
from orchestration.home import Home
from orchestration.resources import dbt, dbt_lean
from orchestration.resources.dbt import DbtFailed
from tests.conftest import Files
from tests.orchestration.conftest import MISMATCH, ONE_MORE, PEOPLE, SMALL

FolderOf = Callable[[Files], Path]
MATERIALIZATIONS = SMALL.parents[2] / "dbt_project" / "macros" / "materializations.sql"
CONTRACT = """
  - name: %s
    config: {contract: {enforced: true}}
    columns:
      - {name: person_id, data_type: varchar, constraints: [{type: not_null}]}
      - {name: letters, data_type: "decimal(18,2)"}
"""
#: Hooks are rendered in the build, with the project's macros and dbt's own; before, inside and after the transaction.
HOOK_MACRO = """
{% macro note(word) %}
  insert into {{ this.database }}.core.notes select cast('{{ word }}' as {{ dbt.type_string() }})
{% endmacro %}
"""
HOOKS = """
{{ config(
    pre_hook=[
        {'sql': "create or replace table {{ this.database }}.core.notes (word varchar)", 'transaction': False},
        "{{ note('before') }}",
    ],
    post_hook=["{{ note('inside') }}", {'sql': "{{ note('after') }}", 'transaction': False}],
) }}
"""
#: What a file says of its tables: columns with their types, and constraints.
SHAPES = (
    "select schema_name, table_name, column_index, column_name, data_type, is_nullable from duckdb_columns()"
    " where not internal order by all",
    "select schema_name, table_name, constraint_type, constraint_text from duckdb_constraints() order by all",
    "select person_id, letters from core.lettered order by all",
)
UNIT_TEST = """
unit_tests:
  - name: a_person_is_published
    model: people
    given: [{input: ref('stg_persons'), rows: [{person_id: P1, name: Ann}]}]
    expect: {rows: [{person_id: P1, name: %s}]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small project, with the product's own materializations, to be changed by one test."""
    folder = tmp_path / "project"
    shutil.copytree(SMALL, folder, ignore=shutil.ignore_patterns("target", "logs"))
    shutil.copy(MATERIALIZATIONS, folder / "macros")
    (folder / "macros" / "hooks.sql").write_text(HOOK_MACRO)
    people = folder / "models" / "marts" / "people.sql"
    people.write_text(HOOKS + people.read_text())
    monkeypatch.setenv("TIEOUT_DBT_PROJECT", str(folder))
    monkeypatch.setenv("TIEOUT_CACHE", str(tmp_path / "cache"))
    return folder


def run(home: Home, folder: Path) -> pipeline.Run:
    return pipeline.run_folder(home, folder, expectations=False)[1]


def hashes(home: Home) -> dict[str, str]:
    return {name: table.get("hash", "") for name, table in home.need_published().manifest["tables"].items()}


def test_a_lean_build_says_and_makes_what_a_plain_one_does(
    project: Path, tmp_path: Path, folder_of: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(PEOPLE)
    keyed = (CONTRACT % "lettered").replace("{type: not_null}", "{type: not_null}, {type: primary_key}")
    (project / "models" / "contract.yml").write_text("version: 2\nmodels:\n" + keyed)
    (project / "models" / "core" / "lettered.sql").write_text(
        "select person_id, cast(1 as decimal(18, 2)) as letters from {{ ref('stg_persons') }} -- the last line"
    )
    homes = [Home(tmp_path / name) for name in ("first", "lean", "plain")]
    heard: list[list[str]] = [[], [], []]

    def built(at: int) -> list[dbt.Node]:
        monkeypatch.setattr(
            pipeline._Counter, "event", lambda self, event: heard[at].append(event["data"]["node_info"]["unique_id"])
        )
        nodes = run(homes[at], folder).nodes
        return sorted((replace(node, seconds=0.0) for node in nodes), key=lambda node: node.unique_id)

    first, lean = built(0), built(1)
    monkeypatch.setattr(dbt, "lean", contextlib.nullcontext)
    monkeypatch.setattr(dbt, "without_unused_macros", lambda manifest: manifest)
    plain = built(2)
    number = [node for node in plain if node.name == "int_build__settings"]
    assert len(number) == 1 and "'1' as bigint" in number[0].compiled, "every home's first build has this number"
    assert first == lean == plain
    assert hashes(homes[0]) == hashes(homes[1]) == hashes(homes[2])
    shapes = []
    for home in homes:
        with duckdb.connect(str(home.need_published().path), read_only=True) as published:
            notes = published.execute("select word from core.notes order by rowid").fetchall()
            shapes.append([published.execute(sql).fetchall() for sql in SHAPES])
        assert notes == [("before",), ("inside",), ("after",)]
    assert shapes[0] == shapes[1] == shapes[2]
    assert ("core", "lettered", "PRIMARY KEY", "PRIMARY KEY(person_id)") in shapes[0][1]
    assert sorted(heard[0]) == sorted(heard[1]) == sorted(heard[2]) and len(set(heard[1])) == len(plain)

    monkeypatch.undo()
    monkeypatch.setenv("TIEOUT_DBT_PROJECT", str(project))
    monkeypatch.setenv("TIEOUT_CACHE", str(tmp_path / "cache"))
    again = {node.name: node.compiled for node in run(homes[0], folder_of(ONE_MORE)).nodes}
    assert "'2' as bigint" in again["int_build__settings"], "what depends on the run is rendered in each"
    with pytest.raises(CheckFailed, match="no_difference"):
        run(homes[0], folder_of(MISMATCH))


def test_tables_that_are_not_as_their_contract_says_are_refused_and_none_is_half_made(
    project: Path, a_home: Home, folder_of: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = {
        "another_type": ("person_id, 1.5::double as letters", "DOUBLE.*DECIMAL.*data type mismatch"),
        "a_column_less": ("person_id", "letters.*missing in definition"),
        "a_column_more": ("person_id, 1.00::decimal(18,2) as letters, 1 as more", "more.*missing in contract"),
        "another_name": ("person_id, 1.00::decimal(18,2) as letter", "letters.*missing in definition"),
        "a_null": ("nullif(person_id, 'P2') as person_id, 1.00::decimal(18,2) as letters", "NOT NULL constraint"),
    }
    models = project / "models"
    (models / "contract.yml").write_text("version: 2\nmodels:\n" + "".join(CONTRACT % name for name in refused))
    for name, (columns, _) in refused.items():
        (models / "core" / f"{name}.sql").write_text(f"select {columns} from {{{{ ref('stg_persons') }}}}")
    # Made in three shares of its rows, and all of them in one table.
    monkeypatch.setenv("TIEOUT_ROWS_OF_A_PART", "1")
    with open(models / "contract.yml", "a") as contracts:
        contracts.write(CONTRACT % "in_shares")
    (models / "core" / "in_shares.sql").write_text(
        "select person_id, cast(1 as decimal(18, 2)) as letters from {{ ref('stg_persons') }} "
        "where {{ in_this_part(ref('stg_persons'), 'person_id') }}"
    )
    with pytest.raises(DbtFailed, match="enforced contract that failed"):
        run(a_home, folder_of(PEOPLE))
    report = json.loads(next(a_home.builds.glob("*.failed.json")).read_text("utf-8"))
    said = {check["name"]: check["detail"] for check in report["failed"]}
    for name, (_, says) in refused.items():
        assert re.search(says, said[name], re.DOTALL), said[name]
    with duckdb.connect(str(next(a_home.builds.glob("*.failed.duckdb"))), read_only=True) as kept:
        made = kept.execute("select table_name from information_schema.tables").fetchall()
        shares = kept.execute("select person_id from core.in_shares order by all").fetchall()
    assert not {name for (name,) in made} & refused.keys() and ("people",) in made
    assert shares == [("P1",), ("P2",)]


def test_a_table_that_a_query_names_is_read_in_place_and_nothing_else_is_touched() -> None:
    sql = """with people as (
    select * from "warehouse"."core"."people"
),

late as (
    select * from "warehouse"."core"."late" where side = 'open'
),

seen as (
    select * from "warehouse"."staging"."seen"
),

counted as (
    select count(*) as n from people where people.n > 1
)

select * from counted"""
    tables = {'"warehouse"."core"."people"', '"warehouse"."core"."late"'}
    inplace = dbt_lean.read_in_place(sql, tables)
    assert inplace.count("not materialized") == 2
    assert "people as not materialized (select * from" in inplace
    assert '(select * from "warehouse"."core"."late" where side = \'open\'\n)' in inplace
    assert "seen as (\n" in inplace and "counted as (\n" in inplace
    assert dbt_lean.read_in_place(sql, ()) == sql


def test_unit_tests_run_until_they_pass_with_this_code_and_stand_in_every_manifest(
    project: Path, a_home: Home, folder_of: FolderOf
) -> None:
    yaml = project / "models" / "small.yml"
    right = yaml.read_text()
    yaml.write_text(right + UNIT_TEST % "Bo")
    for _ in range(2):  # what failed is not kept
        with pytest.raises(DbtFailed, match="a_person_is_published"):
            run(a_home, folder_of(PEOPLE))
    yaml.write_text(right + UNIT_TEST % "Ann")
    for _ in range(2):
        nodes = run(a_home, folder_of(PEOPLE)).nodes
        assert [node.status for node in nodes if node.resource_type == "unit_test"] == ["pass"]
        checks = {check["name"]: check["status"] for check in a_home.need_published().manifest["checks"]}
        assert checks["a_person_is_published"] == "passed"


def test_dbt_is_as_it_was_after_the_block() -> None:
    def found() -> list[object]:
        return [getattr(owner, name) for owner, name, _ in dbt_lean._replaced()]

    before = found()
    with dbt_lean.lean():
        assert not any(one is other for one, other in zip(before, found(), strict=True))
    assert found() == before
