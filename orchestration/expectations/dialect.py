"""The one place that knows how Great Expectations reaches DuckDB.

Great Expectations fetches rows after it has closed its connection, and duckdb-engine's rollback has then dropped the
result: every expectation fails with an IndexError. In this dialect a transaction begins and ends nothing (the file is
opened read only, so there is nothing to roll back), and the result survives. Nothing of either package is patched.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb_engine
from sqlalchemy.dialects import registry
from sqlalchemy.engine import URL

from orchestration.landing.store import door_memory


class ReadOnlyDuckDB(duckdb_engine.Dialect):
    """duckdb-engine's dialect without transactions, for files opened read only."""

    name = "duckdb"
    supports_statement_cache = False

    def connect(self, *arguments: Any, **named: Any) -> Any:
        """Open the file with the accepted rows' schema first: some expectations leave the schema out of their SQL."""
        connection = super().connect(*arguments, **named)
        connection.execute("SET search_path = 'landing'")
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET memory_limit = '{door_memory()}'")
        return connection

    def do_begin(self, connection: Any) -> None:
        """Nothing begins: the file is read only."""

    def do_commit(self, connection: Any) -> None:
        """Nothing to commit."""

    def do_rollback(self, connection: Any) -> None:
        """Nothing to roll back; a rollback would drop the result that is still to be fetched."""


registry.register("duckdb.tieout", __name__, ReadOnlyDuckDB.__name__)


def connection_string(path: Path) -> str:
    """The SQLAlchemy address of a DuckDB file, opened read only."""
    return URL.create("duckdb+tieout", database=str(path), query={"access_mode": "READ_ONLY"}).render_as_string()
