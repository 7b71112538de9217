"""Models run alone: the project's own SQL on small tables in a plain DuckDB, without a build.

`Alone().give("int_late_fees__cases", rows).run("int_late_fees__verdicts")` renders the text of the model and of every
model it stands on, as dbt would for DuckDB, and runs them in order. A table that was given is read instead of its
model; a landing table is given as text, as the door writes it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pyarrow as pa

from orchestration.contract import contract

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"
MACRO = r"{%-?\s*macro\s+(?P<name>\w+)\(.*?{%-?\s*endmacro\s*-?%}"
#: What the door adds to every accepted row.
DOOR = ("recorded_at", "source_system", "row_key", "batch_id", "file")


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Adapter:
    macros: dict[str, Any]

    def type(self) -> str:
        return "duckdb"

    def quote(self, name: str) -> str:
        return f'"{name}"'

    def dispatch(self, name: str, macro_namespace: str | None = None) -> Any:
        return _returning(self, f"default__{name}")


class _Dbt:
    @staticmethod
    def type_string() -> str:
        return "varchar"


def _return(value: Any) -> None:
    raise _Returned(value)


def _returning(adapter: _Adapter, name: str) -> Any:
    def call(*args: Any, **named: Any) -> Any:
        try:
            return adapter.macros[name](*args, **named)
        except _Returned as returned:
            return returned.value

    return call


@cache
def _environment() -> jinja2.Environment:
    adapter = _Adapter()
    adapter.macros = {}
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"])
    environment.globals.update(
        adapter=adapter,
        dbt=_Dbt,
        ref=lambda name: name,
        source=lambda group, name: f"landing_{name}",
        config=lambda **_: "",
        **{"return": _return},
    )
    text = "\n".join(path.read_text("utf-8") for path in sorted((PROJECT / "macros").glob("*.sql")))
    macros = {match["name"]: match[0] for match in re.finditer(MACRO, text, re.DOTALL)}
    environment.globals.update({name: _returning(adapter, name) for name in macros})
    for name, macro in macros.items():
        adapter.macros[name] = getattr(environment.from_string(macro).module, name)
    return environment


@cache
def _text(model: str) -> str:
    return next((PROJECT / "models").rglob(f"{model}.sql")).read_text("utf-8")


def rendered(text: str) -> str:
    """SQL of a model's text for DuckDB."""
    return _environment().from_string(text).render()


class Alone:
    """A DuckDB in memory with some tables given and the rest computed by the models."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("set TimeZone = 'UTC'")
        self.connection.execute("set enable_progress_bar = false")
        self.there: set[str] = set()

    def give(self, table: str, rows: Iterable[Mapping[str, object]], types: Mapping[str, str] | None = None) -> Alone:
        """A table as it stands: a column for every key of a row, with these types (text where none is said)."""
        rows = list(rows)
        names = list(dict.fromkeys([*(types or {}), *(name for row in rows for name in row)]))
        texts = {
            name: pa.array([None if row.get(name) is None else str(row[name]) for row in rows], pa.string())
            for name in names
        }
        self.connection.register("given_rows", pa.table(texts))
        columns = ", ".join(f'cast("{name}" as {(types or {}).get(name, "varchar")}) as "{name}"' for name in names)
        self.connection.execute(f'create or replace table "{table}" as select {columns} from given_rows')
        self.there.add(table)
        return self

    def land(self, table: str, rows: Iterable[Mapping[str, str]]) -> Alone:
        """A landing table as the door writes it: text, the keys beside the ids, one version of each row."""
        declared = next(one for one in contract() if one.name == table)
        names = [column.name for column in declared.columns]
        accepted = []
        for number, row in enumerate(rows, 1):
            system = row.get("source_system") or "default"
            made: dict[str, object] = {name: row.get(name) or None for name in names}
            for name in names:
                key = "code_key" if name == "charge_code" else re.sub("_id$", "_key", name)
                if key != name and name != "rule_id":
                    made[key] = f"{system}:{row[name]}" if row.get(name) else None
            key = ":".join([system, *(row.get(name) or "" for name in declared.key)])
            made |= {"recorded_at": row.get("recorded_at") or None, "source_system": system, "row_key": key}
            made |= {"batch_id": "b", "file": f"{table}.csv", "row_number": number, "version_no": 1}
            accepted.append(made | {"accepted_at": "2026-01-01 00:00:00", "loaded_at": "2026-01-01 00:00:00"})
        keys = [re.sub("_id$", "_key", n) for n in names if n.endswith("_id") and n != "rule_id"]
        whole = dict.fromkeys([*names, *keys, *(["code_key"] if "charge_code" in names else []), *DOOR], "varchar")
        whole |= {"row_number": "bigint", "version_no": "integer", "accepted_at": "timestamp", "loaded_at": "timestamp"}
        return self.give(f"landing_{table}", accepted, whole)

    def run(self, model: str) -> Alone:
        """The model and what it stands on, as tables."""
        if model in self.there:
            return self
        text = _text(model)
        for below in re.findall(r"ref\('(\w+)'\)", text):
            self.run(below)
        for table in re.findall(r"source\('landing', '(\w+)'\)", text):
            if f"landing_{table}" not in self.there:
                self.land(table, [])
        self.connection.execute(f'create or replace table "{model}" as {rendered(text)}')
        self.there.add(model)
        return self

    def forget(self, *models: str) -> Alone:
        """These models are computed again when asked for."""
        self.there -= set(models)
        return self

    def dicts(self, sql: str, parameters: list[object] | None = None) -> list[dict[str, Any]]:
        """Rows of a query."""
        cursor = self.connection.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def seeds(*path: str) -> list[dict[str, str]]:
    """Rows of a CSV file under `seeds/`."""
    with PROJECT.parent.joinpath("seeds", *path).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
