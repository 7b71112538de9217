"""The only door from pages and documents to data: the build that is published now, read only.

A home keeps its builds as ``builds/<n>.duckdb`` and a symlink ``current`` to the published one. A new build never
overwrites a file: it is a new file, and the link moves. So this door opens the file *behind* the link and, before each
question, looks whether the link has moved; if it has, it opens the new file and lets the old one go. A reader therefore
sees either the old build or the new one, whole, and never a file that is being written.

The file is attached to a private in-memory database with access to all other files switched off: a query can read
the published tables and nothing else of the machine, and can write nothing.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

QUERIES = Path(__file__).parent / "queries"
# Published tables that hold some days, and the published function that answers them for any day and moment.
AS_OF_FUNCTIONS = {"aging_month_end": "aging_as_of", "aging_buckets": "aging_buckets_as_of"}

Row = dict[str, Any]
Params = Mapping[str, Any] | Sequence[Any] | None


class NothingPublished(Exception):
    """No build is published in this home. The message says what to do, in words for a person."""

    def __init__(self, home: Path) -> None:
        self.home = home
        super().__init__(
            f"Nothing is published in {home} yet. Run `tieout demo` for the sample portfolio, "
            f"or `tieout run --landing DIR` to load your own files."
        )


@dataclass(frozen=True)
class Build:
    """The published build: its file, and what its manifest says about it (every manifest field may be missing)."""

    path: Path
    number: str
    manifest: Mapping[str, Any]

    @property
    def as_of(self) -> date | None:
        """The as-of day that the manifest names, or None."""
        return _day(self.manifest.get("as_of"))

    @property
    def loaded_at(self) -> datetime | None:
        """When the build's last files were loaded (UTC), or None."""
        text = self.manifest.get("loaded_at")
        return datetime.fromisoformat(str(text)) if text else None

    @property
    def incomplete(self) -> list[str]:
        """What is missing (the table incomplete_data), a sentence each; empty when the build is complete."""
        return [str(message) for message in self.manifest.get("incomplete", ())]


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return date.fromisoformat(str(value)[:10]) if value else None


@cache
def query_text(name: str) -> str:
    """The SQL of ``queries/<name>.sql``. Raises FileNotFoundError for a name that has no file."""
    return (QUERIES / f"{name}.sql").read_text(encoding="utf-8")


class Reader:
    """Questions to one build, and always that one: what a page or a document shows comes from a single build.

    ``rows`` and ``query`` answer with a list of dicts in the order of the query: amounts are ``decimal.Decimal``, days
    ``datetime.date``, instants naive ``datetime`` in UTC. The build stays readable while a reader lives, even if its
    file is pruned meanwhile. Safe to share between threads: each question has a cursor of its own.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, build: Build) -> None:
        self._connection = connection
        self.build = build

    def rows(self, sql: str, params: Params = None) -> list[Row]:
        """Answer one query. ``params`` is a dict for ``$name`` or a list for ``?``; tables may omit ``marts.``."""
        cursor = self._connection.cursor()
        try:
            cursor.execute("use published.marts")
            cursor.execute(sql, params)
            names = [column[0] for column in cursor.description or []]
            return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
        finally:
            cursor.close()

    def query(self, name: str, **params: Any) -> list[Row]:
        """Answer ``queries/<name>.sql`` with its named parameters."""
        return self.rows(query_text(name), params or None)

    def query_as_of(self, name: str, *, known_at: datetime | None, **params: Any) -> list[Row]:
        """Answer ``queries/<name>.sql`` for any day ``as_of`` and as known at a moment (UTC; None: all that is loaded).

        The same question, asked of the published function in the place of the table that holds some days only.
        """
        text = query_text(name)
        for table, function in AS_OF_FUNCTIONS.items():
            text = re.sub(rf"\b(from|join) {table}\b", rf"\1 {function}($as_of, $known_at)", text)
        moment = None if known_at is None else f"{known_at.isoformat()}Z"
        return self.rows(text, {**params, "known_at": moment})

    def answers_any_day(self) -> bool:
        """Whether the build publishes the functions that ``query_as_of`` asks."""
        found = self.rows(
            "select function_name from duckdb_functions() where schema_name = 'marts' and database_name = 'published'"
        )
        return set(AS_OF_FUNCTIONS.values()) <= {row["function_name"] for row in found}

    def one(self, name: str, **params: Any) -> Row | None:
        """The only row of ``queries/<name>.sql``, or None. Raises LookupError if there are several."""
        found = self.query(name, **params)
        if len(found) > 1:
            raise LookupError(f"{name} answered {len(found)} rows where one was expected")
        return found[0] if found else None


class Published:
    """The published build of one home. ``reader()`` holds on to the build published now; the other methods ask it.

    Safe to share between threads. Everything raises NothingPublished while the home has no published build.
    """

    def __init__(self, home: Path | str) -> None:
        self.home = Path(home)
        self._lock = threading.Lock()
        self._reader: Reader | None = None

    def reader(self) -> Reader:
        """A reader of the build that is published at this moment."""
        link = self.home / "current"
        with self._lock:
            # The link may move, and the old file may be pruned, between looking and opening: then look again.
            for last in (False, False, True):
                try:
                    path = link.resolve(strict=True)
                except FileNotFoundError:
                    raise NothingPublished(self.home) from None
                if self._reader is not None and self._reader.build.path == path:
                    return self._reader
                try:
                    connection = _attach(path)
                except duckdb.IOException:
                    if last or (path.exists() and link.resolve() == path):
                        raise
                    continue
                # The old connection is dropped, not closed: a reader that still answers from it keeps it alive.
                self._reader = Reader(connection, Build(path=path, number=path.stem, manifest=_manifest(path)))
                return self._reader
        raise AssertionError("the last attempt either returns or raises")

    @property
    def build(self) -> Build:
        """The build that a question asked now would be answered from."""
        return self.reader().build

    def rows(self, sql: str, params: Params = None) -> list[Row]:
        """See Reader.rows."""
        return self.reader().rows(sql, params)

    def query(self, name: str, **params: Any) -> list[Row]:
        """See Reader.query."""
        return self.reader().query(name, **params)

    def one(self, name: str, **params: Any) -> Row | None:
        """See Reader.one."""
        return self.reader().one(name, **params)


def _attach(path: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    try:
        connection.execute("set timezone = 'UTC'")
        quoted = str(path).replace("'", "''")
        connection.execute(f"attach '{quoted}' as published (read_only)")
        connection.execute("set enable_external_access = false")
    except BaseException:
        connection.close()
        raise
    return connection


def _manifest(path: Path) -> Mapping[str, Any]:
    beside = path.with_suffix(".json")
    if not beside.is_file():
        return {}
    found = json.loads(beside.read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else {}
