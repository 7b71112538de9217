"""What can go wrong on purpose, each with the exit code that the command `tieout` ends with.

Every error is a sentence for a person: what happened, where, and what to do next. Anything else that is raised is
a bug (exit code 1).
"""

from __future__ import annotations

from collections.abc import Sequence


class TieoutError(Exception):
    """An expected failure. `exit_code` is the process exit code; `what_to_do` is printed below the message."""

    exit_code = 1

    def __init__(self, message: str, what_to_do: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.what_to_do = what_to_do

    def __str__(self) -> str:
        return f"{self.message}\n{self.what_to_do}" if self.what_to_do else self.message


class UsageError(TieoutError):
    """The command was asked for something that does not exist or does not parse."""

    exit_code = 2


class CheckFailed(TieoutError):
    """A data check or a tie-out failed: nothing was published. `checks` are the failed ones with their first rows."""

    exit_code = 3

    def __init__(self, message: str, what_to_do: str = "", checks: Sequence[object] = ()) -> None:
        super().__init__(message, what_to_do)
        self.checks = checks


class NothingLoadable(TieoutError):
    """The landing folder holds no file that could be loaded and none that was loaded before."""

    exit_code = 4


class HomeLocked(TieoutError):
    """Another run holds the lock of this home."""

    exit_code = 5


class Refused(TieoutError):
    """A close was refused: a figure of the month differs, or the books are not ready for it."""

    exit_code = 6
