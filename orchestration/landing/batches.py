"""Which files are known, and which refused ones still leave something out.

A batch is one file of one source system. Its id is the sha256 of the file's bytes. Where a second source system brings
the same bytes they are another batch, because the same ids mean other leases there: its id is the sha256 of that hash
and the name of the source system. A file read through a profile has ids of its own
(`orchestration/profiles/landing.py`). `file_hash` is always the sha256 of the bytes, and names the
stored file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from orchestration.landing.land import Noted


@dataclass
class Known:
    """Files seen before, by the hash of their bytes and their source system: their batch, and their name if loaded.

    `by_id`: the names of the loaded ones by batch, since a profile makes several batches of one file. `refused`: the
    names of files that were not loaded, by their batch.
    """

    batches: dict[tuple[str, str], str]
    files: dict[tuple[str, str], str]
    by_id: dict[str, str]
    refused: dict[str, str]

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection) -> Known:
        """What the raw file knows. Batches of before `file_hash` was kept have the bytes' hash as their id."""
        rows = connection.execute(
            "SELECT coalesce(file_hash, batch_id), coalesce(source_system, 'default'), batch_id, file, status"
            ", profile FROM landing.batches"
        ).fetchall()
        return cls(
            {
                (file_hash, system): batch_id
                for file_hash, system, batch_id, _, status, profile in rows
                if profile is None and status == "loaded"
            },
            {(file_hash, system): file for file_hash, system, _, file, status, _ in rows if status == "loaded"},
            {batch_id: file for _, _, batch_id, file, status, _ in rows if status == "loaded"},
            {batch_id: file for _, _, batch_id, file, status, _ in rows if status != "loaded"},
        )

    def loaded(self, file_hash: str, source_system: str) -> str | None:
        """The name under which these bytes of this source system were loaded, or None."""
        return self.files.get((file_hash, source_system))

    def batch_id(self, file_hash: str, source_system: str) -> str:
        """The id of the batch: the one it has, else the bytes' hash, else (another system's) one of both."""
        found = self.batches.get((file_hash, source_system))
        if found is None:
            taken = file_hash in self.batches.values()
            found = hashlib.sha256(f"{file_hash}:{source_system}".encode()).hexdigest() if taken else file_hash
            self.batches[(file_hash, source_system)] = found
        return found

    def refused_id(self, batch_id: str, file: str) -> str:
        """The id under which a refused file is kept: two empty files have the same bytes, and each is missing."""
        found = batch_id
        if self.refused.get(batch_id, file) != file:
            found = hashlib.sha256(f"{batch_id}:{file}".encode()).hexdigest()
        self.refused[found] = file
        return found

    def add(self, file_hash: str, source_system: str, file: str, batch_id: str) -> None:
        """Note a file that was loaded as a batch."""
        self.files[(file_hash, source_system)] = file
        self.by_id[batch_id] = file


def withdraw_refused(connection: duckdb.DuckDBPyConnection, folder: str, refused: Sequence[Noted]) -> None:
    """A refused file leaves the figures incomplete until it is gone from its folder, or one of its name is loaded.

    `folder` is the one that was read just now, `refused` what was refused in it. Every other refused file of that
    folder was corrected or taken away, and so was one whose name and source system a later file has.
    """
    still = [noted.file for noted in refused]
    connection.execute(
        "UPDATE landing.batches SET status = 'withdrawn' WHERE status = 'refused'"
        " AND ((folder = ? AND NOT list_contains(?, file)) OR EXISTS (SELECT 1 FROM landing.batches l"
        " WHERE l.status = 'loaded' AND l.file = batches.file AND l.source_system = batches.source_system"
        " AND l.loaded_at >= batches.loaded_at))",
        [folder, still],
    )
