"""Two source systems that happen to call an entity by the same id: what is said of one is not said of the other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import duckdb
import pytest

from orchestration.closing.checklist import _tie_outs
from orchestration.report import _closes


@pytest.fixture
def published() -> Iterator[duckdb.DuckDBPyConnection]:
    """Entity E of yardi, closed in October with nothing that differs; E of buildium, open and with a difference."""
    with duckdb.connect() as connection:
        connection.execute("create schema marts")
        connection.execute(
            "create table marts.close_status (source_system text, entity_id text, period text, is_closed boolean,"
            " is_over boolean, closed_at timestamp, closed_by text, tie_outs_that_differ integer)"
        )
        connection.executemany(
            "insert into marts.close_status values (?, ?, '2026-10', ?, true, ?, ?, ?)",
            [
                ("yardi", "E", True, datetime(2026, 11, 5), "Ana", 0),
                ("buildium", "E", False, None, None, 1),
                ("buildium", "F", False, None, None, 0),
            ],
        )
        connection.execute(
            "create table marts.tie_outs (tie_out text, as_of date, source_system text, entity_id text,"
            " property_id text, difference decimal(18, 2))"
        )
        connection.execute(
            "insert into marts.tie_outs values ('open_charges', ?, 'buildium', 'E', 'p', 1.00)", [date(2026, 10, 3)]
        )
        yield connection


def test_the_close_report_has_a_line_for_each_of_them(published: duckdb.DuckDBPyConnection) -> None:
    lines = [" ".join(line.split()) for line in _closes(published)]
    assert lines[1:] == [
        "E of buildium nothing closed over and open: 2026-10 (1 differ)",
        "E of yardi closed through 2026-10 at 2026-11-05 00:00Z by Ana",
        "F nothing closed over and open: 2026-10",
    ]


def test_a_difference_of_one_refuses_no_close_of_the_other(published: duckdb.DuckDBPyConnection) -> None:
    month = date(2026, 10, 1), date(2026, 10, 31)
    assert _tie_outs(published, ["yardi", "E"], *month).refusing == ()
    assert len(_tie_outs(published, ["buildium", "E"], *month).refusing) == 1
