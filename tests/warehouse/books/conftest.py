"""The worked cases, landed in two runs and built twice: once as the closes knew them, once with what came later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.home import Home
from orchestration.pipeline import run_folder
from tests.warehouse.books.portfolio import books

FIRST_LOAD = datetime(2026, 11, 5, 16, tzinfo=UTC)
SECOND_LOAD = datetime(2026, 12, 1, 2, tzinfo=UTC)


@cache
def reader(path: Path) -> duckdb.DuckDBPyConnection:
    """A build's file, opened once: hundreds of figures are read from it."""
    return duckdb.connect(str(path), read_only=True)


@dataclass(frozen=True)
class Books:
    """Two builds of one home: before and after the late knowledge."""

    home: Home
    first: Path
    second: Path
    nodes: dict[str, Any]  # every dbt node of the second build by name

    def rows(self, sql: str, *parameters: object, build: str = "second") -> list[tuple[Any, ...]]:
        return reader(getattr(self, build)).cursor().execute(sql, parameters).fetchall()

    def one(self, sql: str, *parameters: object, build: str = "second") -> Any:
        found = self.rows(sql, *parameters, build=build)
        assert len(found) == 1, found
        return found[0][0]

    def balance(self, entity: str, account: str, on: str, build: str = "second", book: str = "accrual") -> Decimal:
        """What an account of a book holds at the end of a day, the way its type is read: debit or credit positive."""
        return self.one(
            """
            select coalesce(sum(debit - credit), 0)
                * case when any_value(account_type) in ('liability', 'equity', 'income') then -1 else 1 end
            from marts.gl_entries
            where entity_id = ? and accounting_on <= cast(? as date) and account_name = ? and book = ?
            """,
            entity, on, account, book, build=build,
        )  # fmt: skip


@pytest.fixture(scope="session")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Books:
    folder = tmp_path_factory.mktemp("books")
    books().write(folder / "landing")
    home = Home(folder / "home")
    first, _ = run_folder(
        home, folder / "landing" / "first", as_of="2026-11-05", loaded_at=FIRST_LOAD, expectations=False
    )
    second, run = run_folder(
        home, folder / "landing" / "second", as_of="2026-11-30", loaded_at=SECOND_LOAD, expectations=False
    )
    return Books(home, first.path, second.path, {node.name: node for node in run.nodes})
