"""Publishing: a build that passed every check becomes the one that readers see, in one step.

Order matters, because a machine may stop between any two lines: the manifest is written first, then the file gets its
published name, then `current` is replaced. Whatever happens, `current` names a whole build with a whole manifest: the
old one or the new one. What an interrupted run left behind is swept away at the start of the next one.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb

from orchestration.errors import CheckFailed
from orchestration.home import Build, Home, sync_folder, write_whole
from orchestration.publishing.hashing import TABLE_HASH, table_hashes
from orchestration.resources.memory import memory_limit

KEEP_BUILDS = 3
LIBRARIES = ("dbt-core", "dbt-duckdb", "duckdb", "dagster", "numba", "polars", "pyarrow", "great-expectations")


@dataclass(frozen=True)
class Check:
    """The result of one check of a build. `failures` counts rows; `kind` is `expectation` or `dbt_test`."""

    name: str
    kind: str
    status: str  # passed, warned, failed
    failures: int = 0
    table: str = ""


@dataclass(frozen=True)
class BuildFacts:
    """What a run knows about its build before the file is published."""

    number: int
    loaded_at: datetime
    run_id: str
    code_version: str
    as_of_given: str = ""  # the --as-of of the run; empty: the default, the earliest local date among the properties
    checks: Sequence[Check] = ()
    landing: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)  # files that were not loaded, why
    timings: Mapping[str, float] = field(default_factory=dict)  # seconds by step
    packs: Mapping[str, str] = field(default_factory=dict)  # the seal of every pack of a closed month


def building_path(home: Home, number: int) -> Path:
    """Where build `number` is made: a folder of its own, so that what a killed run leaves is one thing to remove.

    The file is called `warehouse` because dbt-duckdb names the database after its file, and models must not change
    with the number of a build.
    """
    return home.builds / f"{number}.building" / "warehouse.duckdb"


def sweep(home: Home) -> list[str]:
    """Remove what an interrupted run left: half-made files and whole builds that were never published.

    Call it with the lock held. Returns the names removed. Run after `next_build_number`, so that no number returns.
    """
    published = home.published()
    highest = published.number if published else 0
    removed = []
    for found in sorted(home.builds.iterdir()):
        name = found.name
        half_made = name.endswith((".building", ".part", ".wal", ".tmp"))
        never_published = (m := re.fullmatch(r"(\d+)\.(duckdb|json)", name)) is not None and int(m[1]) > highest
        if half_made or never_published:
            shutil.rmtree(found) if found.is_dir() else found.unlink()
            removed.append(name)
    for link in home.path.glob("current.*.part"):
        link.unlink()
        removed.append(link.name)
    return removed


def publish(home: Home, facts: BuildFacts) -> Build:
    """Turn the file that dbt made into the published build. Every check of the build has passed before this is called.

    Steps: views over the raw file are dropped (a reader has the build alone), tables are hashed, the balances of
    newly closed months are kept in the raw file, the manifest is written, the file is renamed, `current` is replaced,
    old builds are pruned. Raises CheckFailed when the file publishes nothing or a view.
    """
    building = building_path(home, facts.number)
    with duckdb.connect(str(building)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(f"set memory_limit = '{memory_limit()}'")
        _drop_views(connection)
        manifest = _manifest(connection, home, facts)
        _keep_closed_balances(connection, home, facts)
        connection.execute("checkpoint")
    _sync_file(building)
    write_whole(home.builds / f"{facts.number}.json", json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    target = home.builds / f"{facts.number}.duckdb"
    os.rename(building, target)
    shutil.rmtree(building.parent)
    sync_folder(home.builds)
    part = home.path / f"current.{os.getpid()}.part"
    part.unlink(missing_ok=True)
    part.symlink_to(Path("builds") / target.name)
    os.replace(part, home.current)
    sync_folder(home.path)
    prune(home)
    build = home.published()
    assert build is not None and build.number == facts.number
    return build


def check_published(home: Home) -> dict[str, str]:
    """Read the published build as any reader would and hash it again, by the table hash that its manifest names.

    Returns what differs from the manifest.
    """
    build = home.need_published()
    with duckdb.connect(str(build.path), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        found = table_hashes(connection, version=build.manifest.get("table_hash", 1))
    promised = build.manifest["tables"]
    return {
        name: found.get(name, "missing")
        for name in sorted(promised.keys() | found.keys())
        if promised.get(name, {}).get("hash") != found.get(name)
    }


def prune(home: Home) -> list[int]:
    """Delete all but the last builds and those that a close or a claim names. Manifests stay: they are small, and they
    are how a number that was reported once can be explained. Returns the numbers deleted."""
    builds = sorted((int(f.stem), f) for f in home.builds.glob("*.duckdb") if f.stem.isdigit())
    named = builds_named(home)
    gone = [(number, found) for number, found in builds[:-KEEP_BUILDS] if number not in named]
    for _, found in gone:
        found.unlink()
    return [number for number, _ in gone]


def builds_named(home: Home) -> set[int]:
    """The builds that closes and claims stand on: every `build` or `build_no` in their JSON files."""
    named: set[int] = set()

    def walk(value: object) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in ("build", "build_no") and isinstance(inner, int):
                    named.add(inner)
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for folder in (home.closes, home.claims):
        for found in folder.rglob("*.json"):
            walk(json.loads(found.read_text("utf-8")))
    return named


def _drop_views(connection: duckdb.DuckDBPyConnection) -> None:
    views = connection.execute(
        "select schema_name, view_name from duckdb_views() where not internal and database_name = current_database()"
    ).fetchall()
    published = [name for schema, name in views if schema == "marts"]
    if published:
        raise CheckFailed(
            f"The build publishes views: {', '.join(sorted(published))}. "
            "A view over the raw file is broken for whoever holds the build alone.",
            "Materialize these models as tables.",
        )
    for schema, name in views:
        connection.execute(f'drop view "{schema}"."{name}"')


def _manifest(connection: duckdb.DuckDBPyConnection, home: Home, facts: BuildFacts) -> dict[str, Any]:
    hashes = table_hashes(connection)
    names = [
        n
        for (n,) in connection.execute(
            "select table_name from information_schema.tables where table_schema = 'marts' order by 1"
        ).fetchall()
    ]
    if not names:
        raise CheckFailed("The build publishes nothing: its schema marts is empty.", "Look at the dbt project.")
    rows = {n: connection.execute(f'select count(*) from marts."{n}"').fetchone()[0] for n in names}
    as_of = connection.execute("select as_of_on from core.int_build__settings").fetchone()
    return {
        "build_no": facts.number,
        "as_of": as_of[0].isoformat(),
        "as_of_given": facts.as_of_given,
        "loaded_at": instant(facts.loaded_at),
        "published_at": instant(datetime.now(UTC)),
        "run_id": facts.run_id,
        "code_version": facts.code_version,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "incomplete": _incomplete(connection),
        "landing": dict(facts.landing),
        "packs": dict(facts.packs),
        "batches": _batches(home),
        "rules": _rules(connection),
        "checks": [asdict(check) for check in facts.checks],
        "table_hash": TABLE_HASH,
        "tables": {n: {"rows": rows[n], **({"hash": hashes[n]} if n in hashes else {})} for n in names},
        "timings": {step: round(seconds, 3) for step, seconds in facts.timings.items()},
    }


def _incomplete(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Why figures of the build may lack something, a sentence per cause: the published table and nothing else."""
    return [
        message
        for (message,) in connection.execute("select distinct message from marts.incomplete_data order by 1").fetchall()
    ]


def _batches(home: Home) -> list[dict[str, Any]]:
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        found = raw.execute(
            "select batch_id, source_system, table_name, file, rows_landed, loaded_at from landing.batches "
            "where status = 'loaded' order by loaded_at, batch_id"
        ).fetchall()
    names = ("batch_id", "source_system", "table", "file", "rows_landed")
    return [{**dict(zip(names, row[:-1], strict=True)), "loaded_at": instant(row[-1])} for row in found]


def _rules(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Rule versions that the build holds: every table of the schema `rules` that has a rule_id and a version."""
    tables = connection.execute(
        "select table_name from information_schema.columns where table_schema = 'rules' "
        "and column_name in ('rule_id', 'version') group by 1 having count(*) = 2 order by 1"
    ).fetchall()
    return [
        {"table": table, "rule_id": rule_id, "version": version_no}
        for (table,) in tables
        for rule_id, version_no in connection.execute(
            f'select distinct rule_id, cast(version as varchar) from rules."{table}" order by 1, 2'
        ).fetchall()
    ]


def _keep_closed_balances(connection: duckdb.DuckDBPyConnection, home: Home, facts: BuildFacts) -> None:
    """Keep what each book's trial balance says of every closed month that has no kept balances yet, for tie-out 8.

    It runs before the build is published, in one transaction on the raw file, and adds rows only. The build's own
    trial balance is the source, with the keys of entity and property (ids alone are not unique across sources).
    """
    needed = {("core", "int_closes__periods"), ("gl", "int_trial_balance__periods")}
    tables = connection.execute("select table_schema, table_name from information_schema.tables").fetchall()
    if not needed <= set(tables):
        return
    kept_at = facts.loaded_at.astimezone(UTC).replace(tzinfo=None)
    with duckdb.connect(str(home.raw)) as raw:
        kept = raw.sql("select distinct entity_key, period, book from landing.closed_balances").to_arrow_table()
        connection.register("kept_balances", kept)
        # As one table: a portfolio of years has a million of these balances.
        balances = connection.sql(
            "select balances.entity_key, balances.period, balances.property_key, balances.account, balances.book, "
            "balances.closing, cast($1 as bigint) as build_no, cast($2 as timestamp) as recorded_at "
            "from gl.int_trial_balance__periods as balances "
            "semi join core.int_closes__periods as closes using (entity_key, period) "
            "anti join kept_balances using (entity_key, period, book)",
            params=[facts.number, kept_at],
        ).to_arrow_table()
        connection.unregister("kept_balances")
        if not balances.num_rows:
            return
        raw.register("balances", balances)
        raw.execute("begin")
        raw.execute("insert into landing.closed_balances by name select * from balances")
        raw.execute("commit")
        raw.unregister("balances")


def instant(value: datetime) -> str:
    """An instant as the contract writes it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. A naive value is UTC."""
    value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
