"""Trying a profile on a file: what would load, what would be held and why, what is set aside. Nothing is loaded.

Only what the profile itself decides is shown; the door judges the rows again when they land, against all that is known.
"""

from __future__ import annotations

from pathlib import Path

from orchestration.errors import NothingLoadable, UsageError
from orchestration.landing.raw_table import FileRefused
from orchestration.profiles.grid import content
from orchestration.profiles.parse import load_profile
from orchestration.profiles.read import Part, Profiled, read_profiled
from orchestration.profiles.shelf import beside

_ROWS_SHOWN = 3
_HELD_SHOWN = 20
_INNER = ("source_system", "unknown_columns", "profile_fault", "profile_detail")


def try_profile(file: Path, profile_file: Path) -> list[str]:
    """Lines of plain text. Raises ProfileError, UsageError, and NothingLoadable where the file would be refused."""
    profile = load_profile(profile_file)
    try:
        with open(file, "rb") as stream:
            data = content(file.name, stream)
        read = read_profiled(profile, file.name, data, profile.source_system or "default", beside(profile, file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.", "Give a file.") from None
    except FileRefused as refusal:
        raise NothingLoadable(refusal.message, refusal.what_to_do) from None
    lines = [f"{file.name} through the profile {profile.name}: {read.rows} rows below or above the header."]
    for part in read.parts:
        lines += _part(part)
    lines += _skipped(read)
    unmatched = read.parts[0].read.unknown_columns
    if unmatched:
        lines += ["", f"Columns used for nothing, kept aside with every row: {', '.join(unmatched)}."]
    if not profile.fits(file.name, profile.source_system or "default"):
        lines += [
            "",
            f"Its `files` ({', '.join(profile.files)}) do not fit the name {file.name}: it would not be used.",
        ]
    return lines


def _part(part: Part) -> list[str]:
    frame = part.read.frame
    sound = frame.filter(frame["profile_fault"].is_null())
    held = frame.filter(frame["profile_fault"].is_not_null())
    name = part.output.name if part.output.name == part.output.table.name else (
        f"{part.output.table.name} ({part.output.name})"
    )  # fmt: skip
    rows = "row" if part.read.rows == 1 else "rows"
    lines = ["", f"{name}: {part.read.rows} {rows}, amounts {part.read.amount}, {held.height} held by the profile"]
    for row in sound.head(_ROWS_SHOWN).iter_rows(named=True):
        values = [f"{key} {value}" for key, value in row.items() if value is not None and key not in _INNER]
        lines.append("  " + ", ".join(values).replace("row_number", "row", 1))
    if sound.height > _ROWS_SHOWN:
        lines.append(f"  ... and {sound.height - _ROWS_SHOWN} more")
    for row in held.head(_HELD_SHOWN).iter_rows(named=True):
        lines.append(f"  HELD row {row['row_number']}: {row['profile_fault']}: {row['profile_detail']}")
    if held.height > _HELD_SHOWN:
        lines.append(f"  ... and {held.height - _HELD_SHOWN} more held")
    return lines


def _skipped(read: Profiled) -> list[str]:
    lines = ["", f"Set aside by rule: {read.skipped.height} rows" if read.skipped.height else "No row is set aside."]
    for rule, number in read.skipped_by_rule().items():
        rows = read.skipped.filter(read.skipped["rule"] == rule)["row_number"].to_list()
        shown = ", ".join(map(str, rows[:12])) + (", ..." if len(rows) > 12 else "")
        lines.append(f"  {rule}: {number} (row {shown})")
    return lines
