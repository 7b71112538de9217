"""The sealed pack of a closed month: its tables as files, and the proof that nobody touched them.

`closes/<entity>-<period>/` holds each table as Parquet and as CSV, and `manifest.json` with the sha256 of every file,
who
closed and who reviewed, what was accepted, and the checklist. The manifest's own sha256 is the seal. Seals are kept in
the manifest of every later build, so that a pack whose files and manifest were both rewritten is found too: the build
before promised another seal.

Every build checks every pack before it is published: each byte, and each balance of the trial balance against the build
that is about to be published. A closed month is for good, so a pack that differs stops the build and names the file, or
the account.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from orchestration.errors import CheckFailed
from orchestration.home import Home, sync_folder, write_whole

MANIFEST = "manifest.json"
#: What a pack holds: table -> the rows of one month of one entity, with $system, $entity, $key, $period,
#: $first and $last.
#: A journal line, a late arrival and an account name the system of their file or lease, which need not be that of the
#: entity (a lockbox has one of its own), so they are found by the entity's key.
TABLES = {
    "trial_balance": "select * from marts.trial_balance where source_system = $system and entity_id "
    "= $entity and period = $period",
    "gl_entries": "select * from marts.gl_entries where accounting_on between $first and $last and journal_id in "
    "(with booked as (select entity_key, accounting_on, journal_id from gl.int_journals__entries "
    "union all select entity_key, accounting_on, 'sl-' || journal_id from gl.int_journals__entries "
    "union all select entity_key, accounting_on, journal_id from gl.int_journals__cash "
    "union all select entity_key, accounting_on, journal_id from gl.int_journals__straight_line) "
    "select journal_id from booked where entity_key = $key and accounting_on between $first and $last)",
    "receivable_roll_forward": "select * from marts.receivable_roll_forward "
    "where source_system = $system and entity_id = $entity and period = $period",
    "aging": "select {marts.aging_month_end} from subledger.int_aging__month_ends where entity_key = $key "
    "and as_of = $last and basis = 'books'",
    "tie_outs": "select * from marts.tie_outs where as_of between $first and $last and (source_system = $system and "
    "entity_id = $entity or entity_id is null and tie_out_no = 7 and subject in (select 'settlement account ' "
    "|| settlement_account from core.int_events__settled where entity_key = $key))",
    "tie_out_days": "select * from marts.tie_out_days where source_system = $system and entity_id = $entity "
    "and as_of between $first and $last",
    "late_arrivals": "select {marts.late_arrivals} from gl.int_late_arrivals__entries where entity_key = $key "
    "and period = $period",
    "book_differences": "select * from marts.book_differences where source_system = $system and "
    "entity_id = $entity and period = $period",
}
BALANCES = "book, property_id, account, opening, debits, credits, closing"


def pack_folder(record: Path) -> Path:
    """The folder of the pack of a close: named after its record, without `.json`."""
    return record.with_suffix("")


def seal_missing(home: Home, built: Path, build_no: int) -> list[Path]:
    """Seal a pack for every close that was made here, shows in the build that was made and checked, and has none.

    It comes just before publishing, so that the build's manifest promises the seals. A run that is killed in between
    leaves a pack that the next one checks like any other: what a closed month holds is the same in every later build.
    Returns the folders.
    """
    sealed = []
    with duckdb.connect(str(built), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        if not _has_books(connection):
            return []
        closed = set(connection.execute("select entity_key, period from core.int_closes__periods").fetchall())
        for path in sorted(home.closes.glob("*.json")):
            record = json.loads(path.read_text("utf-8"))
            key = (f"{record['source_system']}:{record['entity_id']}", record["period"])
            if key in closed and not pack_folder(path).exists():
                sealed.append(_seal(connection, pack_folder(path), record, build_no))
    return sealed


def _seal(connection: duckdb.DuckDBPyConnection, folder: Path, record: Mapping[str, Any], build_no: int) -> Path:
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    first, last = connection.execute(
        "select cast(? || '-01' as date), last_day(cast(? || '-01' as date))", [record["period"], record["period"]]
    ).fetchone() or (None, None)
    parameters = {
        "$system": _text(record["source_system"]), "$entity": _text(record["entity_id"]),
        "$key": _text(f"{record['source_system']}:{record['entity_id']}"),
        "$period": _text(record["period"]), "$first": f"date '{first}'", "$last": f"date '{last}'",
    }  # fmt: skip
    rows: dict[str, int] = {}
    for name, text in TABLES.items():
        query = re.sub(r"\{marts\.(\w+)\}", lambda found: _columns(connection, found[1]), text)
        # All at once: an id that looks like one of them is a text like any other.
        query = re.sub(r"\$\w+", lambda found: parameters[found[0]], query)
        rows[name] = connection.execute(f"select count(*) from ({query})").fetchone()[0]
        for kind, options in (("parquet", "format parquet"), ("csv", "format csv, header")):
            target = str(part / f"{name}.{kind}").replace("'", "''")
            connection.execute(f"copy ({query} order by all) to '{target}' ({options})")
    manifest = {
        "entity_id": record["entity_id"],
        "source_system": record["source_system"],
        "period": record["period"],
        "closed_at": record["closed_at"],
        "prepared_by": record["closed_by"],
        "reviewed_by": record["reviewed_by"],
        "accepted": record["accepted"],
        "checklist": record.get("checklist"),
        "sealed_from": build_no,
        "rows": rows,
        "files": {found.name: _sha256(found) for found in sorted(part.iterdir())},
    }
    write_whole(part / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    sync_folder(part)
    part.rename(folder)
    sync_folder(folder.parent)
    return folder


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> str:
    """The columns of a published table, for the model that it selects from."""
    columns = connection.execute(f"describe marts.{table}").fetchall()
    return ", ".join(column[0] for column in columns)


def seals(home: Home) -> dict[str, str]:
    """The seal of every pack: the pack's folder -> the sha256 of its manifest."""
    return {found.parent.name: _sha256(found) for found in sorted(home.closes.glob(f"*/{MANIFEST}"))}


def broken_packs(home: Home, build: Path | None = None) -> list[str]:
    """What is not as it was sealed, a sentence each; with a build, also what its closed months now say otherwise."""
    published = home.published()
    promised = dict(published.manifest.get("packs", {})) if published else {}
    found: list[str] = []
    now = seals(home)
    for name, seal in promised.items():
        if name not in now:
            found.append(f"closes/{name}/{MANIFEST} is missing; build {published.number if published else ''} had it")
        elif now[name] != seal:
            found.append(f"closes/{name}/{MANIFEST} was changed: its sha256 is {now[name]}, it was sealed as {seal}")
    for name in now:
        if promised.get(name, now[name]) == now[name]:
            found += _broken_files(home.closes / name)
    if build is not None and not found:
        with duckdb.connect(str(build), read_only=True) as connection:
            if _has_books(connection):
                for name in now:
                    found += _moved_balances(connection, home.closes / name)
    return found


def check_packs(home: Home, build: Path | None = None) -> None:
    """Raise CheckFailed when a pack is not as it was sealed, or when the build, if given, says something else of its
    month."""
    broken = broken_packs(home, build)
    if broken:
        raise CheckFailed(
            "A closed month is not as it was sealed:\n" + "\n".join(f"  {line}" for line in broken),
            "The published build is as it was. Put the file back from a copy: a closed month is never reopened.",
        )


def _broken_files(folder: Path) -> list[str]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        return [f"closes/{folder.name}/{MANIFEST} cannot be read: {error}"]
    found = []
    for name, promised in manifest["files"].items():
        path = folder / name
        if not path.is_file():
            found.append(f"closes/{folder.name}/{name} is missing")
        elif (is_now := _sha256(path)) != promised:
            found.append(
                f"closes/{folder.name}/{name} was changed: its sha256 is {is_now}, it was sealed as {promised}"
            )
    extra = sorted({path.name for path in folder.iterdir()} - {*manifest["files"], MANIFEST})
    return found + [f"closes/{folder.name}/{name} was added after it was sealed" for name in extra]


def _moved_balances(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[str]:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    sealed = str(folder / "trial_balance.parquet").replace("'", "''")
    rows = connection.execute(
        f"""
        with sealed as (select {BALANCES} from read_parquet('{sealed}')),
        now as (
            select {BALANCES} from marts.trial_balance where source_system = ? and entity_id = ? and period = ?
        ),
        sealed_only as (select * from sealed except all select * from now),
        now_only as (select * from now except all select * from sealed)
        select book, property_id, account, max(sealed_closing), max(now_closing)
        from (
            select book, property_id, account, closing as sealed_closing, null as now_closing from sealed_only
            union all
            select book, property_id, account, null, closing from now_only
        )
        group by book, property_id, account
        order by all
        """,
        [manifest["source_system"], manifest["entity_id"], manifest["period"]],
    ).fetchall()
    return [
        f"{manifest['entity_id']} {manifest['period']}, {book} book, account {account}"
        f"{f' of {property_id}' if property_id else ''}: sealed at {then}, this build says {now}"
        for book, property_id, account, then, now in rows
    ]


def _has_books(connection: duckdb.DuckDBPyConnection) -> bool:
    tables = set(connection.execute("select table_schema, table_name from information_schema.tables").fetchall())
    return ("core", "int_closes__periods") in tables and ("marts", "book_differences") in tables


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
