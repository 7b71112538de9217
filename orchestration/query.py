"""`tieout query`: reading the published schema, and nothing else.

Three walls, each enough for most attempts: the file is opened read-only; DuckDB may not touch files, the network or
extensions and its settings are locked; and the statement is parsed first and refused unless it is one SELECT whose
every table is one of `marts` (or a name that the query itself defines) and whose every table function is one that the
build publishes (`aging_as_of`, ...) or only makes rows.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import duckdb

from apps.documents.formulas import defused
from orchestration.errors import UsageError
from orchestration.home import Build

SCHEMA = "marts"
ROW_MAKERS = frozenset({"range", "generate_series", "unnest"})


@dataclass(frozen=True)
class Answer:
    """The rows of a query: column names, DuckDB types and values as Python objects (Decimal, date, ...)."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def open_build(build: Build) -> duckdb.DuckDBPyConnection:
    """A read-only connection to a build that can read the build and nothing else. Its settings are locked."""
    walls = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
    connection = duckdb.connect(str(build.path), read_only=True, config=walls)
    connection.execute("set python_enable_replacements = false")
    connection.execute("set TimeZone = 'UTC'")
    connection.execute(f"set schema = '{SCHEMA}'")
    connection.execute("set lock_configuration = true")
    return connection


def ask(build: Build, sql: str) -> Answer:
    """Run one SELECT on the published schema. Raises UsageError for anything else, with what was wrong."""
    with open_build(build) as connection:
        refuse_all_but_reading(connection, sql)
        try:
            cursor = connection.execute(sql)
            return Answer(
                tuple(column[0] for column in cursor.description),
                tuple(str(column[1]) for column in cursor.description),
                cursor.fetchall(),
            )
        except duckdb.Error as error:
            raise UsageError(f"The query does not run: {_first_lines(error)}", _tables_hint(connection)) from None


def refuse_all_but_reading(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Raise UsageError unless `sql` is one SELECT over tables of the published schema."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise UsageError(f"The query is not SQL: {_first_lines(error)}") from None
    if len(statements) != 1:
        raise UsageError(f"Found {len(statements)} statements; expected one SELECT.")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError(f"Found a {statements[0].type.name} statement; only SELECT reads.")
    parsed = json.loads(connection.execute("select json_serialize_sql(?)", [sql]).fetchone()[0])
    if parsed.get("error"):
        raise UsageError(f"Only a SELECT can be read: {parsed.get('error_message', 'found something else')}.")
    tables = {
        name
        for (name,) in connection.execute(
            "select table_name from information_schema.tables where table_schema = ?", [SCHEMA]
        ).fetchall()
    }
    functions = published_functions(connection)
    nodes = list(_walk(parsed["statements"]))
    own = {entry["key"].lower() for node in nodes if "cte_map" in node for entry in node["cte_map"].get("map", [])}
    # A name that the query defines in one place must not open a system view of the same name in another.
    own -= {name for (name,) in connection.execute("select view_name from duckdb_views() where internal").fetchall()}
    for node in nodes:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            _refuse_table(node, tables, own)
        elif kind == "TABLE_FUNCTION":
            _refuse_function(node.get("function", {}), functions, tables)
        elif kind == "SHOW_REF":
            raise UsageError(
                "DESCRIBE, SHOW and SUMMARIZE are not part of a query.", f"The tables: {', '.join(sorted(tables))}."
            )


def _refuse_table(node: dict[str, Any], tables: set[str], own: set[str]) -> None:
    name, schema, catalog = node.get("table_name", ""), node.get("schema_name", ""), node.get("catalog_name", "")
    if not schema and not catalog and name.lower() in own:
        return
    if catalog or schema.lower() not in ("", SCHEMA) or name.lower() not in tables:
        full = ".".join(part for part in (catalog, schema, name) if part)
        raise UsageError(f"{full} is not a table of the published schema.", _hint(tables))


def published_functions(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """The functions that the build publishes: each answers one published table for any day and state of knowledge."""
    return frozenset(
        name.lower()
        for (name,) in connection.execute(
            "select function_name from duckdb_functions() where schema_name = ? and not internal "
            "and function_type = 'table_macro' and database_name = current_database()",
            [SCHEMA],
        ).fetchall()
    )


def _refuse_function(called: dict[str, Any], functions: frozenset[str], tables: set[str]) -> None:
    name = str(called.get("function_name", "")).lower()
    path = [str(part).lower() for part in called.get("qualified_name", {}).get("path", [name])]
    if path == [name] and (name in ROW_MAKERS or name in functions):
        return
    if path == [SCHEMA, name] and name in functions:
        return
    raise UsageError(
        f"{'.'.join(path)}() is not a table or function of the published schema.", _hint(tables | functions)
    )


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner)


def _hint(tables: set[str]) -> str:
    return f"`tieout query` reads: {', '.join(sorted(tables))}."


def _tables_hint(connection: duckdb.DuckDBPyConnection) -> str:
    found = connection.execute(
        "select table_name from information_schema.tables where table_schema = ?", [SCHEMA]
    ).fetchall()
    return _hint({name for (name,) in found} | published_functions(connection))


def _first_lines(error: Exception) -> str:
    return "\n".join(str(error).splitlines()[:4])


def as_csv(answer: Answer) -> str:
    """Header and rows; null is empty; decimals and days as they are; text that a spreadsheet would run is defused."""
    stream = io.StringIO()
    plain = csv.writer(stream, lineterminator="\n")
    plain.writerow([defused(column) for column in answer.columns])
    for row in answer.rows:
        plain.writerow([defused(value) if isinstance(value, str) else _text(value) for value in row])
    return stream.getvalue()


def as_json(answer: Answer) -> str:
    """An array of objects: decimals, days and instants are strings, integers numbers, null is null."""
    return json.dumps(
        [{name: _json(value) for name, value in zip(answer.columns, row, strict=True)} for row in answer.rows],
        ensure_ascii=False,
        indent=1,
    )


def as_table(answer: Answer) -> Sequence[Sequence[str]]:
    """Rows of texts for a table on a terminal; null is empty."""
    return [["" if value is None else _text(value) for value in row] for row in answer.rows]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, list | dict):
        return json.dumps(_json(value), ensure_ascii=False)
    return str(value)


def _json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_json(inner) for inner in value]
    if isinstance(value, dict):
        return {str(key): _json(inner) for key, inner in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
