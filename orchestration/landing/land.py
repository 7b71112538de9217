"""Landing a folder: find files, keep their bytes, read them, judge what is open, accept. One transaction per run.

A kill at any moment leaves `raw.duckdb` as it was: bytes are stored first (under their hash, so storing them again
changes nothing), and everything else is committed together at the end.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import polars as pl

from orchestration.contract import Table, contract
from orchestration.errors import TieoutError, UsageError
from orchestration.landing import accept
from orchestration.landing.batches import Known, withdraw_refused
from orchestration.landing.coverage import named_period, note_days
from orchestration.landing.judge.expressions import literal, name
from orchestration.landing.raw_table import FileRefused
from orchestration.landing.read import FileRead, FileRows, format_of, table_of
from orchestration.landing.reasons import REASONS
from orchestration.landing.store import HomePaths, door_memory, make_tables, open_raw

if TYPE_CHECKING:
    from orchestration.profiles.declare import Profile
    from orchestration.profiles.shelf import Shelf

_SECONDS_A_FILE_IS_WATCHED = 2.0
_SECONDS_BETWEEN_LOOKS = 0.2
_BLOCK_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Batch:
    """A file that landed in this run."""

    batch_id: str
    file: str
    table: str
    source_system: str
    format: str
    rows: int
    amount: Decimal
    unknown_columns: tuple[str, ...] = ()
    message: str | None = None
    profile: str | None = None


@dataclass(frozen=True)
class Noted:
    """A file that was not loaded, and why."""

    file: str
    message: str
    batch_id: str | None = None


@dataclass(frozen=True)
class LandingReport:
    """What a run read and decided.

    `skipped`: known bytes; `refused`: unreadable files (the build is incomplete); `left_alone`: still being written;
    `ignored`: files that are no data. `verdicts` counts this run's decisions, `quarantine` all open rows by reason.
    """

    loaded_at: datetime
    run_id: str
    batches: list[Batch] = field(default_factory=list)
    skipped: list[Noted] = field(default_factory=list)
    refused: list[Noted] = field(default_factory=list)
    left_alone: list[Noted] = field(default_factory=list)
    ignored: list[Noted] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    quarantine: dict[str, int] = field(default_factory=dict)
    suspense: int = 0

    def not_loaded(self) -> dict[str, list[dict[str, str]]]:
        """What a person is told: what was not loaded and why, which columns were kept aside, what profiles read."""
        noted = {"skipped": self.skipped, "left_alone": self.left_alone, "ignored": self.ignored}
        told = {kind: [{"file": n.file, "message": n.message} for n in notes] for kind, notes in noted.items() if notes}
        aside = {
            b.file: f"kept aside, unused: {', '.join(b.unknown_columns)}" for b in self.batches if b.unknown_columns
        }
        if aside:
            told["unknown_columns"] = [{"file": file, "message": message} for file, message in aside.items()]
        through = [{"file": b.file, "message": b.message or ""} for b in self.batches if b.profile]
        return {**told, **({"profiles": through} if through else {})}

    @property
    def is_complete(self) -> bool:
        """Whether every file was read."""
        return not self.refused


@dataclass(frozen=True)
class _Found:
    path: Path
    file: str
    source_system: str
    profiles: tuple[Profile, ...] = ()


class CannotWrite(TieoutError):
    """The disk did not take what was to be written. Nothing was loaded; the raw file is as it was."""

    def __init__(self, home: HomePaths, error: Exception) -> None:
        super().__init__(
            f"{home.raw.parent} cannot be written: {error}",
            "Nothing was loaded; what was there is as it was. Free some space, or see to permissions, and run again.",
        )


class TooLittleMemory(TieoutError):
    """The rows of a run need more memory than the door may use. Nothing was loaded; the raw file is as it was."""

    def __init__(self, error: Exception) -> None:
        words = str(error).splitlines()[0]
        super().__init__(
            f"The files need more memory than the {door_memory()} that judging them may use ({words}).",
            "Nothing was loaded. Set TIEOUT_DOOR_MEMORY to more, such as 4GB, or land the files in several runs.",
        )


def _look(folder: Path, prefix: str, source_system: str | None, shelf: Shelf, report: LandingReport) -> list[_Found]:
    """Files of the folder to read, by path; those left alone, ignored or refused by their name go into the report.

    A link is not followed: what it points to lies outside the folder, or is in it already.
    """
    tables = tuple(contract().tables)
    found: list[_Found] = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if any(part.startswith((".", "~")) for part in relative.parts):
            continue
        link = next((part for part in (path, *path.parents) if part.is_symlink() and part.is_relative_to(folder)), None)
        if not path.is_file() and link is None:
            continue
        file = shown_name(prefix + relative.as_posix())
        problem = _name_problem(path.name if link is None else link.name, relative.as_posix(), link)
        if path.name.endswith((".part", ".tmp", ".crdownload")):
            report.left_alone.append(Noted(file, "still being written (its name says so)"))
            continue
        if shelf.is_profile(relative):
            continue
        system = source_system or (relative.parts[0] if len(relative.parts) > 1 else "default")
        is_canonical = table_of(path.name, tables) is not None
        profiles = shelf.fitting(path.name, system, is_canonical=is_canonical)
        is_known = bool(profiles) or is_canonical or link is not None
        if not is_known and (readers := shelf.joining(path.name, system)):
            report.ignored.append(Noted(file, f"read beside other files by the profile {readers[0].name}"))
        elif not is_known and format_of(path.name) is None:
            report.ignored.append(Noted(file, "not a data file"))
        elif problem is not None:
            report.refused.append(Noted(file, f"{file}: {problem}"))
        else:
            found.append(_Found(path, file, system, profiles))
    return found


def _name_problem(name: str, relative: str, link: Path | None) -> str | None:
    """Why a file is not read for what it is called or is, as found and expected; None where it may be read."""
    if link is not None:
        return (
            f"found {shown_name(name)}, a link to {shown_name(os.readlink(link))}; expected a file.\nCopy the file into"
            " the landing folder: what lies elsewhere is not read."
        )
    if shown_name(relative) != relative:
        return (
            "found a name with characters that cannot be shown; expected letters, digits, spaces and signs.\n"
            "Rename the file. Nothing of it was loaded."
        )
    return None


def shown_name(name: str) -> str:
    """A file's name as it may stand in a message and in a table: line ends and bytes that are no text written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in name)


def _sizes(paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    sizes = {}
    for path in paths:
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        sizes[path] = (stat.st_size, stat.st_mtime_ns)
    return sizes


def _settled(found: list[_Found], left: list[Noted]) -> list[_Found]:
    """The files that do not change while we look; files written a moment ago are looked at twice."""
    before = _sizes(f.path for f in found)
    fresh = time.time_ns() - int(_SECONDS_A_FILE_IS_WATCHED * 1e9)
    if any(changed > fresh for _, changed in before.values()):
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    after = _sizes(f.path for f in found)
    steady = []
    for f in found:
        if f.path in after and before.get(f.path) == after[f.path]:
            steady.append(f)
        else:
            left.append(Noted(f.file, "still growing; it is read by the next run"))
    return steady


def _hash(path: Path) -> str:
    """The sha256 of a file's bytes, read block by block."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _store(home: HomePaths, file_hash: str, source: Path) -> bool:
    """Keep the bytes as landed under their hash, whole or not at all. False where they are no longer those hashed."""
    target = home.files / file_hash
    if target.exists() and target.stat().st_size == source.stat().st_size:
        return True
    part = home.files / f"{file_hash}.{os.getpid()}.part"
    digest = hashlib.sha256()
    with open(source, "rb") as read, open(part, "wb") as stream:
        while block := read.read(_BLOCK_BYTES):
            digest.update(block)
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())
    if digest.hexdigest() != file_hash:
        part.unlink()
        return False
    os.replace(part, target)
    return True


def _naive(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _table_for(file: str) -> Table:
    tables = tuple(contract().tables)
    bare = file.rsplit("/", 1)[-1]
    if file.startswith("profiles/"):
        raise FileRefused(
            file,
            "a data file in the folder of profiles",
            "profiles only (.yaml)",
            "Move it into the landing folder itself, or into the subfolder of its source system.",
        )
    known = table_of(bare, tables)
    if known is None:
        near = difflib.get_close_matches(bare.split(".")[0].split("-")[0].lower(), tables, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise FileRefused(
            file,
            "a file named after no table",
            "a name that begins with a table's, such as charges-2026-10.csv, or a profile that fits it",
            f"Rename it, take it out of the landing folder, or save a profile for it: `tieout profile FILE` proposes"
            f" one.{hint}",
        )
    return contract()[known]


def land(
    home: HomePaths,
    folder: Path,
    *,
    loaded_at: datetime,
    run_id: str,
    file_prefix: str = "",
    source_system: str | None = None,
) -> LandingReport:
    """Load what is new in `folder`, judge everything open, accept what may enter.

    Source: the landing folder (files named after their table; a subfolder is a source system unless `source_system` is
    given). Shapes: `landing.*` of raw.duckdb, amounts as decimal text in major units. `loaded_at` (naive means UTC)
    must be later than every earlier run. Raises UsageError where it is not, or where the folder does not exist; files
    that cannot be read are in the report, never raised.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.", "Name the folder that holds the landed files.")
    home.files.mkdir(parents=True, exist_ok=True)
    run_moment = _naive(loaded_at)
    report = LandingReport(run_moment, run_id)
    from orchestration.profiles.shelf import Shelf

    shelf = Shelf() if file_prefix else Shelf.of(home.raw.parent, folder)
    found = _look(folder, file_prefix, source_system, shelf, report)
    connection = open_raw(home)
    try:
        connection.execute("BEGIN")
        make_tables(connection)
        _check_moment(connection, run_moment, run_id)
        known = Known.of(connection)
        new: dict[str, list[str]] = {}
        where = str(folder.resolve())
        for f in _settled(found, report.left_alone):
            _land_file(connection, home, f, known, new, report, where)
        withdraw_refused(connection, where, report.refused)
        run = accept.Run(run_moment, run_id, report.is_complete)
        _judge_all(connection, new, run)
        accept.find_late_links(connection)
        accept.match_suspense(connection, run)
        accept.count_outcomes(connection)
        note_days(connection)
        _count_up(connection, report, run)
        connection.execute("COMMIT")
    except duckdb.OutOfMemoryException as error:
        raise TooLittleMemory(error) from error
    except (duckdb.IOException, duckdb.TransactionException, OSError) as error:
        raise CannotWrite(home, error) from error
    finally:
        connection.close()
    return report


def _check_moment(connection: duckdb.DuckDBPyConnection, moment: datetime, run_id: str) -> None:
    """A run is later than every other run and every close; one run may land several folders at its one moment."""
    last = connection.execute(
        "SELECT max(moment) FROM (SELECT loaded_at AS moment, run_id FROM landing.batches"
        " UNION ALL SELECT registered_at, '' FROM landing.period_closes"
        " UNION ALL SELECT decided_at, CASE decided_by WHEN 'run' THEN ? ELSE '' END FROM landing.verdicts)"
        " WHERE moment > ? OR run_id <> ?",
        [run_id, moment, run_id],
    ).fetchone()
    if last is not None and last[0] is not None and moment <= last[0]:
        raise UsageError(
            f"The run's moment {moment:%Y-%m-%d %H:%M:%S.%f}Z is not later than the last run or close ({last[0]}Z).",
            "Check the machine's clock. Every run must be later than all before it.",
        )


def _land_file(
    connection: duckdb.DuckDBPyConnection,
    home: HomePaths,
    found: _Found,
    known: Known,
    new: dict[str, list[str]],
    report: LandingReport,
    folder: str,
) -> None:
    """Read one file and append its rows, or note why not."""
    before = _sizes([found.path])
    try:
        file_hash = _hash(found.path)
    except FileNotFoundError:
        report.left_alone.append(Noted(found.file, "taken away while the folder was read"))
        return
    except OSError as error:
        message = f"{found.file}: cannot be read ({error.strerror}). Check its permissions."
        report.refused.append(Noted(found.file, message))
        # No byte of it is known: it is registered by its name, so that what it lacks shows like that of any other.
        nameless = hashlib.sha256(f"{found.source_system}:{found.file}".encode()).hexdigest()
        _register(connection, nameless, None, folder, found, None, None, report, message)
        return
    if _sizes([found.path]) != before:
        report.left_alone.append(Noted(found.file, "still growing; it is read by the next run"))
        return
    if found.profiles:
        _land_profiled(connection, home, found, file_hash, known, new, report, folder)
        return
    loaded = known.loaded(file_hash, found.source_system)
    batch_id = known.batch_id(file_hash, found.source_system)
    if loaded is not None:
        report.skipped.append(Noted(found.file, f"the same bytes were loaded before as {loaded}", batch_id))
        return
    if not _store(home, file_hash, found.path):
        report.left_alone.append(Noted(found.file, "still growing; it is read by the next run"))
        return
    try:
        table = _table_for(found.file)
        with open(home.files / file_hash, "rb") as stored:
            read = FileRows(found.file, stored, table, found.source_system)
            _append(connection, table, batch_id, read)
    except FileRefused as refusal:
        batch_id = known.refused_id(batch_id, found.file)
        report.refused.append(Noted(found.file, str(refusal), batch_id))
        _register(connection, batch_id, file_hash, folder, found, None, None, report, str(refusal))
        return
    connection.execute("DELETE FROM landing.batches WHERE batch_id = ? AND status <> 'loaded'", [batch_id])
    _register(connection, batch_id, file_hash, folder, found, table, read, report, read.message)
    known.add(file_hash, found.source_system, found.file, batch_id)
    new.setdefault(table.name, []).append(batch_id)
    report.batches.append(
        Batch(
            batch_id,
            found.file,
            table.name,
            found.source_system,
            read.format,
            read.rows,
            read.amount,
            read.unknown_columns,
            read.message,
        )
    )


def _land_profiled(
    connection: duckdb.DuckDBPyConnection,
    home: HomePaths,
    found: _Found,
    file_hash: str,
    known: Known,
    new: dict[str, list[str]],
    report: LandingReport,
    folder: str,
) -> None:
    """Read one file through its profile: a batch for each table that it gives, or a note why not."""
    from orchestration.profiles import landing as profiled

    if not _store(home, file_hash, found.path):
        report.left_alone.append(Noted(found.file, "still growing; it is read by the next run"))
        return
    try:
        reading = profiled.Reading.of(
            found.profiles, found.path, found.file, home.files / file_hash, found.source_system
        )
        first = reading.batch_ids()[0]
        seen = known.by_id.get(first)
        if seen is not None:
            words = f"the same bytes were loaded before as {seen} through the profile {reading.profile.name}"
            report.skipped.append(Noted(found.file, words, first))
            return
        reading.keep(home.files)
        read = reading.read()
    except FileRefused as refusal:
        report.refused.append(Noted(found.file, str(refusal), file_hash))
        refused_id = known.refused_id(known.batch_id(file_hash, found.source_system), found.file)
        _register(connection, refused_id, file_hash, folder, found, None, None, report, str(refusal))
        return
    connection.execute(
        "DELETE FROM landing.batches WHERE file_hash = ? AND source_system = ? AND status <> 'loaded'",
        [file_hash, found.source_system],
    )
    profiled.settle_older_readings(connection, reading, literal(str(report.loaded_at)))
    for place, part in enumerate(read.parts):
        table, batch_id = part.output.table, reading.batch_id(part.output.name)
        _append_part(connection, table, batch_id, found.file, part.read.frame)
        landed, said = part.read, profiled.message(reading.profile, read, place)
        if place == 0:
            profiled.note_skipped(connection, batch_id, found.file, read)
            landed = replace(landed, rows=landed.rows + read.skipped.height)
        of_profile = (reading.profile.name, reading.profile.sha256)
        _register(connection, batch_id, file_hash, folder, found, table, landed, report, said, of_profile)
        known.add(file_hash, found.source_system, found.file, batch_id)
        new.setdefault(table.name, []).append(batch_id)
        report.batches.append(
            Batch(
                batch_id,
                found.file,
                table.name,
                found.source_system,
                landed.format,
                landed.rows,
                landed.amount,
                landed.unknown_columns,
                said,
                reading.profile.name,
            )
        )


def _append(connection: duckdb.DuckDBPyConnection, table: Table, batch_id: str, read: FileRows) -> None:
    """Append the rows of a file part by part. Raises FileRefused where any part cannot be read: then none is left."""
    try:
        for part in _ahead(read):
            _append_part(connection, table, batch_id, read.file, part)
    except FileRefused:
        connection.execute(f"DELETE FROM landing.{name('landed_' + table.name)} WHERE batch_id = ?", [batch_id])
        raise


def _ahead(read: FileRows) -> Iterator[pl.DataFrame]:
    """The parts of a file, each read while the one before it is written. Raises FileRefused."""
    parts = iter(read)
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = reader.submit(next, parts, None)
            yield part


def _append_part(
    connection: duckdb.DuckDBPyConnection, table: Table, batch_id: str, file: str, part: pl.DataFrame
) -> None:
    columns = ", ".join(name(column) for column in part.columns)
    connection.register("door_part", part)
    connection.execute(
        f"INSERT INTO landing.{name('landed_' + table.name)} (batch_id, file, {columns})"
        f" SELECT {literal(batch_id)}, {literal(file)}, {columns} FROM door_part"
    )
    connection.unregister("door_part")


def _register(
    connection: duckdb.DuckDBPyConnection,
    batch_id: str,
    file_hash: str | None,
    folder: str,
    found: _Found,
    table: Table | None,
    read: FileRows | FileRead | None,
    report: LandingReport,
    message: str | None,
    of_profile: tuple[str | None, str | None] = (None, None),
) -> None:
    """Write the batch down. `of_profile`: the name and hash of the profile that read it."""
    if read is None:
        connection.execute("DELETE FROM landing.batches WHERE batch_id = ?", [batch_id])
    connection.execute(
        "INSERT INTO landing.batches (batch_id, source_system, table_name, file, format, rows_landed, amount_landed,"
        " loaded_at, run_id, unknown_columns, status, message, file_hash, folder, named_period,"
        " profile, profile_hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            batch_id,
            found.source_system,
            table.name if table else table_of(found.path.name, tuple(contract().tables)),
            found.file,
            read.format if read else format_of(found.file),
            read.rows if read else 0,
            read.amount if read else Decimal("0.00"),
            report.loaded_at,
            report.run_id,
            json.dumps(list(read.unknown_columns), ensure_ascii=False) if read and read.unknown_columns else None,
            "loaded" if read else "refused",
            message,
            file_hash,
            folder,
            named_period(found.path.name),
            *of_profile,
        ],
    )


#: A landed row `l` of the batch `b` as the judge takes it. Both places stay what they are within a transaction.
_ROW = "l.rowid AS n, b.rowid AS batch_no, l.*, b.loaded_at AS landed_at"


def _pending(table: Table, batches: list[str]) -> str:
    """The rows to judge: those of new batches and those that wait in quarantine."""
    landed = f"landing.{name('landed_' + table.name)}"
    listed = ", ".join(literal(batch) for batch in batches) or "''"
    return (
        f"(SELECT {_ROW}, true AS is_new FROM {landed} l"
        f" JOIN landing.batches b USING (batch_id) WHERE l.batch_id IN ({listed})"
        f" UNION ALL SELECT {_ROW}, false AS is_new FROM {landed} l"
        " JOIN landing.batches b USING (batch_id)"
        f" JOIN (SELECT batch_id, row_number FROM landing.quarantine WHERE status = 'open'"
        f" AND table_name = {literal(table.name)}) q ON q.batch_id = l.batch_id AND q.row_number = l.row_number)"
    )


def _judge_all(connection: duckdb.DuckDBPyConnection, new: dict[str, list[str]], run: accept.Run) -> None:
    """Judge table after table, each after those its rows must find; closes last, after everything else of the run."""
    waiting = {
        table
        for (table,) in connection.execute(
            "SELECT DISTINCT table_name FROM landing.quarantine WHERE status = 'open'"
        ).fetchall()
    }
    todo = [table for table in contract() if table.name in new or table.name in waiting]
    if todo:
        accept.prepare(connection)
    for table in todo:
        accept.judge_table(connection, table, _pending(table, new.get(table.name, [])), run)


def _count_up(connection: duckdb.DuckDBPyConnection, report: LandingReport, run: accept.Run) -> None:
    report.verdicts.update(
        connection.execute(
            f"SELECT verdict, count(*) FROM landing.verdicts WHERE decided_at = {run.moment} GROUP BY verdict"
            " ORDER BY verdict"
        ).fetchall()
    )
    report.quarantine.update(
        connection.execute(
            "SELECT reason, count(*) FROM landing.quarantine WHERE status = 'open' GROUP BY reason ORDER BY reason"
        ).fetchall()
    )
    suspense = connection.execute(
        "SELECT count(*) FROM landing.payments WHERE version_no = 1 AND lease_key IS NULL"
        " AND payment_key NOT IN (SELECT payment_key FROM landing.payment_matches)"
        " AND row_key NOT IN (SELECT row_key FROM landing.suspense_resolutions)"
    ).fetchone()
    object.__setattr__(report, "suspense", int(suspense[0]) if suspense else 0)


def resolve_quarantine(home: HomePaths, quarantine_id: str, by: str, reason: str, *, at: datetime | None = None) -> str:
    """A named person settles one open row of the quarantine; returns `released` or `rejected`.

    Where the row waits for a reason that a person may overrule, it enters as it is, known from now on. Any other row is
    set aside for good: it stays landed and counted, and a corrected row with its key may follow. Raises UsageError.
    """
    if not by.strip() or not reason.strip():
        raise UsageError("A row is settled by a named person with a reason.", "Give --by NAME and --reason TEXT.")
    moment = _naive(at or datetime.now(UTC))
    connection = open_raw(home)
    try:
        connection.execute("BEGIN")
        make_tables(connection)
        row = connection.execute(
            "SELECT batch_id, row_number, table_name, reason, status, resolved_by, amount FROM landing.quarantine"
            " WHERE quarantine_id = ?",
            [quarantine_id],
        ).fetchone()
        if row is None:
            raise UsageError(
                f"There is no row {quarantine_id} in quarantine.", "See `tieout query` on the table quarantine."
            )
        batch_id, row_number, table_name, held_for, status, resolved_by, amount = row
        if status != "open":
            raise UsageError(f"Row {quarantine_id} was {status} by {resolved_by}.", "Nothing is left to settle.")
        outcome = "rejected"
        if REASONS[held_for].releasable:
            table = contract()[table_name]
            accept.prepare(connection)
            pending = (
                f"(SELECT {_ROW}, false AS is_new FROM landing.{name('landed_' + table_name)} l"
                f" JOIN landing.batches b USING (batch_id) WHERE l.batch_id = {literal(batch_id)}"
                f" AND l.row_number = {int(row_number)})"
            )
            run = accept.Run(moment, "quarantine", True, by, held_for)
            if accept.judge_table(connection, table, pending, run):
                outcome = "released"
                accept.match_suspense(connection, run)
            else:
                again = connection.execute(
                    "SELECT reason, detail FROM landing.quarantine WHERE quarantine_id = ?", [quarantine_id]
                ).fetchone()
                assert again is not None
                raise UsageError(f"Row {quarantine_id} still cannot enter: {again[1]}", "See to that first.")
        connection.execute(
            "UPDATE landing.quarantine SET status = ?, resolved_by = ?, decided_at = ? WHERE quarantine_id = ?",
            [outcome, f"{by}: {reason}", moment, quarantine_id],
        )
        if outcome == "rejected":
            connection.execute(
                "INSERT INTO landing.verdicts VALUES (?, ?, ?, 'rejected', ?, ?, ?, ?, ?)",
                [batch_id, row_number, table_name, held_for, reason, amount, moment, by],
            )
        accept.count_outcomes(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()
    return outcome
