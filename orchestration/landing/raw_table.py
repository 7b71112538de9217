"""What the readers of all formats share: a table of text, and the refusal of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import polars as pl

from orchestration.errors import TieoutError
from orchestration.landing import limits

#: Characters stripped from both ends of a value, here and in the SQL that judges.
BLANKS = " \t\r\n\u00a0\ufeff"
EXPORT_AGAIN = "Export the file again; the export seems to have broken off. Nothing of this file was loaded."


class FileRefused(TieoutError):
    """A file that is refused whole. Nothing of it is loaded."""

    def __init__(
        self,
        file: str,
        found: str,
        expected: str,
        what_to_do: str,
        *,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        place = file
        if row is not None:
            place += f", row {row}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: found {found}; expected {expected}.", what_to_do)
        self.file = file
        self.row = row
        self.column = column
        self.found = found
        self.expected = expected


@dataclass(frozen=True)
class RawTable:
    """What a format's reader hands over, in one part or several: text columns under the file's own names, and each
    row's number in the file. `note` is what a person should know about how the file was read."""

    columns: pl.DataFrame
    row_numbers: pl.Series
    note: str | None = None


def check_names(file: str, names: list[str]) -> None:
    """Raise FileRefused where there are too many columns, or one of them is there twice."""
    if len(names) > limits.COLUMNS:
        raise FileRefused(
            file,
            f"{len(names):,} columns",
            f"at most {limits.COLUMNS:,}",
            "Export the columns of the table only. Nothing of this file was loaded.",
            row=1,
        )
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name and name in seen:
            raise FileRefused(
                file,
                f"the column twice, as column {seen[name]} and {position}",
                "every column once",
                "Remove or rename one of them: which one holds the value cannot be guessed.",
                row=1,
                column=shown(name),
            )
        seen[name] = position


def shown(text: str) -> str:
    """A text of a file as it may stand in a message: short, and without characters that move a terminal's cursor."""
    kept = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text[:80])
    return kept + ("..." if len(text) > 80 else "")


def whole(file: str, stream: BinaryIO) -> bytes:
    """All bytes of a file whose format cannot be read in parts. Raises FileRefused beyond the limit."""
    data = stream.read(limits.WHOLE_BYTES + 1)
    if len(data) > limits.WHOLE_BYTES:
        raise FileRefused(
            file,
            f"more than {limits.WHOLE_BYTES:,} bytes",
            f"at most {limits.WHOLE_BYTES:,} bytes in a file of this kind",
            "Split the file, or export it as CSV, which is read in parts. Nothing of this file was loaded.",
        )
    return data
