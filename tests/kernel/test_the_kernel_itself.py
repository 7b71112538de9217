"""What the kernel promises about itself: pure imports, room that grows by itself, threads that change nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import dbt_project.kernels.allocation as package
from dbt_project.kernels.allocation import allocate, allocate_reference, compiled, journal, kernel, ordering
from tests.bench.portfolio import portfolio
from tests.bench.portfolio import rules as portfolio_rules
from tests.kernel.books import R1, R4, Books
from tests.kernel.ledgers import random_tables

HERE = Path(package.__file__).parent


def test_the_package_imports_only_the_standard_library_numpy_numba_and_pyarrow():
    allowed = {"numpy", "numba", "pyarrow", "dbt_project"} | sys.stdlib_module_names
    for source in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed, source
            if isinstance(node, ast.ImportFrom):
                assert node.module.split(".")[0] in allowed, source
                inside = node.module.startswith("dbt_project.kernels.allocation")
                assert inside or not node.module.startswith("dbt_project"), source


def test_every_module_opens_by_saying_what_it_is_for():
    for source in HERE.glob("*.py"):
        assert ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))), source


@pytest.mark.parametrize("small", ["ROWS", "CHANGES", "LINES"])
def test_buffers_that_are_too_small_are_enlarged_and_the_loop_resumes(monkeypatch, small):
    books = Books(R4)
    for number in range(60):
        for half in "ab":
            books.charge(f"C{number}{half}", "2026-01-01", "10.00")
    for number in range(40):
        books.pay(f"P{number}", f"2026-01-{number % 20 + 2:02d}", "30.00", known=f"2026-02-{number % 28 + 1:02d}")
    for number in range(40):
        books.returned(f"R{number}", f"P{number}", "2026-03-01")
    expected = allocate_reference(*books.tables())
    monkeypatch.setattr(kernel, f"{small}_PER_EVENT", 0)
    monkeypatch.setattr(kernel, f"SPARE_{small}", 1)
    assert allocate(*books.tables()).equals(expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_chunks_and_threads_change_nothing(monkeypatch, threads):
    events, rules = random_tables(Random(5), accounts=40)
    whole = allocate(events, rules)
    monkeypatch.setattr(kernel, "CHUNK", 30)
    assert allocate(events, rules, threads=threads).equals(whole)


def test_a_rule_that_nobody_names_and_an_account_that_is_added_change_no_row(engine):
    events, rules = random_tables(Random(11), accounts=3)
    more, _ = random_tables(Random(12), accounts=1)
    more = more.set_column(0, "account_key", pa.array([0] * more.num_rows)).cast(events.schema)
    more = more.set_column(1, "event_key", pc.add(more["event_key"], 10**6)).cast(events.schema)
    more = more.set_column(events.column_names.index("names_event_key"), "names_event_key", more["event_key"])
    more = more.filter(pc.is_in(more["kind"], pa.array(["charge", "payment"])))
    unused = pa.table({"rule_key": [0], "steps": [R4], "yields_to_designation": [True]}).cast(rules.schema)
    journal = engine(events, rules)
    both = engine(pa.concat_tables([events, more]), pa.concat_tables([unused, rules]))
    numbered = ["journal_seq", "reverses_seq"]
    mine = both.filter(pc.greater(both["account_key"], 0))
    assert mine.drop_columns(numbered).equals(journal.drop_columns(numbered))
    assert both.num_rows > journal.num_rows


def test_an_account_longer_than_a_chunk_is_one_chunk(monkeypatch):
    monkeypatch.setattr(kernel, "CHUNK", 3)
    assert list(kernel._chunks(np.array([0, 10, 11, 12, 13, 30]))) == [(0, 1), (1, 4), (4, 5)]


def test_what_is_owed_is_exact_beyond_what_a_double_can_hold(engine):
    books = Books(R1).add("C", "charge", "2026-01-01", 2**53 + 1).add("P", "payment", "2026-01-02", -(2**53))
    assert books.run(engine).open() == {"C": "0.01"}


@pytest.mark.parametrize("late", [0.0, 0.9])
def test_a_portfolio_that_looks_like_one_is_played_alike(late):
    events, rules = portfolio(leases=6, months=6, seed=7, late=late, stragglers=late), portfolio_rules()
    journal_of = allocate(events, rules)
    assert journal_of.equals(allocate_reference(events, rules))
    assert ("correction" in journal_of["reason"].to_pylist()) == (late > 0)


def test_every_compiled_entry_is_compiled_for_one_shape_of_arguments():
    for seed in range(5):
        allocate(*random_tables(Random(seed), accounts=3))
    empty_names, rules = Books(R1).charge("C", "2026-01-01", "1.00").pay("P", "2026-01-02", "1.00").tables()
    allocate(empty_names, rules)
    allocate(pa.Table.from_pandas(empty_names.to_pandas(), schema=empty_names.schema), rules)
    assert len(journal.run.signatures) == len(ordering.sort_accounts.signatures) == 1


def test_machine_code_is_kept_per_version_of_the_sources_that_go_into_it():
    command = "from dbt_project.kernels.allocation import compiled as c; print(c._FOLDER.name, c._sources())"
    printed = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert printed[0] == f"numba-{printed[1]}"
    for name in compiled.COMPILED_FROM:
        for node in ast.walk(ast.parse((HERE / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("dbt_project"):
                assert f"{node.module.rpartition('.')[2]}.py" in compiled.COMPILED_FROM, name
