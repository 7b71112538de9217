"""The door's side of profiles: a file read through its profile lands as one batch for each table that it gives.

The batch's id is `<sha256 of the file>.<table>.<reading>`, where the reading is a hash of the profile and of the files
joined to it: the same bytes under a changed profile are read anew. The profile's text and the joined files are kept
with the landed files under their own hashes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from orchestration.profiles.declare import Profile
from orchestration.profiles.grid import content
from orchestration.profiles.read import Profiled, read_profiled
from orchestration.profiles.shelf import beside, only_one

_SHORT = 12


@dataclass(frozen=True)
class Reading:
    """A file and its profile, before it is read. `data`: its bytes, unpacked; `file_hash`: of those that landed."""

    profile: Profile
    file: str
    file_hash: str
    data: bytes
    source_system: str
    joined: dict[str, list[tuple[str, bytes]]]

    @classmethod
    def of(cls, fitting: Sequence[Profile], path: Path, file: str, stored: Path, source_system: str) -> Reading:
        """The reading through the profile that fits, of the bytes kept in `stored`.

        `stored` is named after its hash; `path`: where it landed, beside those that are joined to it. Raises
        FileRefused where several profiles fit.
        """
        profile = only_one(file, fitting)
        with open(stored, "rb") as stream:
            return cls(profile, file, stored.name, content(file, stream), source_system, beside(profile, path))

    @property
    def hash(self) -> str:
        """What the rows depend on beside the file's own bytes: source system, profile and joined files."""
        parts = [self.source_system, self.profile.sha256]
        parts += [hashlib.sha256(data).hexdigest() for files in self.joined.values() for _, data in files]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def batch_id(self, output: str) -> str:
        return f"{self.file_hash}.{output}.{self.hash[:_SHORT]}"

    def batch_ids(self) -> list[str]:
        return [self.batch_id(output.name) for output in self.profile.outputs]

    def keep(self, files: Path) -> None:
        """Keep the profile and the joined files in a home's `files`, under their hashes."""
        for data in (self.profile.text.encode(), *(data for joined in self.joined.values() for _, data in joined)):
            target = files / hashlib.sha256(data).hexdigest()
            if target.exists() and target.stat().st_size == len(data):
                continue
            part = target.with_name(f"{target.name}.{os.getpid()}.part")
            with open(part, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, target)

    def read(self) -> Profiled:
        """Read the file. Raises FileRefused."""
        return read_profiled(self.profile, self.file, self.data, self.source_system, self.joined)


def message(profile: Profile, read: Profiled, part: int) -> str:
    """What the batch of a part says about how it was read; what was set aside is told with the first part."""
    words = f"Read through the profile {profile.name} ({profile.sha256[:_SHORT]})."
    rows = read.parts[part].read.rows
    if len(read.parts) > 1:
        words += f" {rows} of {read.used} rows gave {read.parts[part].output.name}."
    if part == 0 and read.skipped.height:
        counted = ", ".join(f"{rule} {number}" for rule, number in read.skipped_by_rule().items())
        words += f" Set aside by rule: {counted}."
    return words


def note_skipped(connection: duckdb.DuckDBPyConnection, batch_id: str, file: str, read: Profiled) -> None:
    """Write down every row that a rule set aside, with the batch that counts it."""
    if not read.skipped.height:
        return
    connection.register("door_skipped", read.skipped)
    connection.execute(
        "INSERT INTO landing.skipped_rows SELECT ?, ?, row_number, rule, raw FROM door_skipped", [batch_id, file]
    )
    connection.unregister("door_skipped")


def settle_older_readings(connection: duckdb.DuckDBPyConnection, reading: Reading, moment: str) -> None:
    """Set aside what waits from older readings of the same bytes: this reading holds those rows again.

    What was accepted from them stays accepted; the same fact read again is a duplicate, another one a changed fact.
    """
    words = f"read again through the profile {reading.profile.name} ({reading.profile.sha256[:_SHORT]})"
    older = (
        "SELECT batch_id FROM landing.batches WHERE coalesce(file_hash, batch_id) = ? AND source_system = ?"
        " AND status = 'loaded' AND NOT list_contains(?, batch_id)"
    )
    parameters = [reading.file_hash, reading.source_system, reading.batch_ids()]
    connection.execute(
        "INSERT INTO landing.verdicts SELECT batch_id, row_number, table_name, 'rejected', reason, ?, amount,"
        f" {moment}, 'run' FROM landing.quarantine WHERE status = 'open' AND batch_id IN ({older})",
        [words, *parameters],
    )
    connection.execute(
        f"UPDATE landing.quarantine SET status = 'rejected', resolved_by = ?, decided_at = {moment}"
        f" WHERE status = 'open' AND batch_id IN ({older})",
        [words, *parameters],
    )
