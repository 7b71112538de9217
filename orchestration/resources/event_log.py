"""Where Dagster keeps its events: one SQLite file in the home, opened once.

Dagster's own SQLite storage makes a new engine, opens the file and waits for the disk for every single event, about
35 ms each; a run of this project writes well over a thousand (a planned and a finished one for each model and each
check). With the connection kept and the write-ahead log in its usual mode the same event takes about 3 ms. A process
that is killed loses nothing; a machine that loses power may lose the last events of its history, never any figure.
"""

import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from dagster._core.storage.event_log import ConsolidatedSqliteEventLogStorage
from sqlalchemy import Connection, Engine, create_engine, event

BUSY_SECONDS = 30


class HomeEventLog(ConsolidatedSqliteEventLogStorage):
    """Dagster's consolidated SQLite event log with one engine for the life of the storage."""

    @cached_property
    def _engine(self) -> Engine:
        engine = create_engine(self._conn_string, connect_args={"timeout": BUSY_SECONDS})

        @event.listens_for(engine, "connect")
        def _write_ahead(connection: Any, _record: Any) -> None:
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")

        return engine

    @contextlib.contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self._engine.connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        super().dispose()
        self._engine.dispose()
