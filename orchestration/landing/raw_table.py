"""What the readers of all formats share: a table of text, and the refusal of a file."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from orchestration.errors import TieoutError

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
    """What a format's reader hands over: text columns under the file's own names, and each row's number in the file."""

    columns: pl.DataFrame
    row_numbers: pl.Series


def check_names(file: str, names: list[str]) -> None:
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name and name in seen:
            raise FileRefused(
                file,
                f"the column twice, as column {seen[name]} and {position}",
                "every column once",
                "Remove or rename one of them: which one holds the value cannot be guessed.",
                row=1,
                column=name,
            )
        seen[name] = position
