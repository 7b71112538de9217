"""Which profiles there are, and which one fits a file.

Profiles lie in the folder `profiles` of the landing folder, in the folder `profiles` of the home, and come with the
product. The nearest shelf with a profile that fits a file decides: the landing folder's, else the home's, else the
shipped ones. On the first two shelves a profile of one's own may also take a file that is named after a table; a
shipped one never does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orchestration.landing.raw_table import FileRefused
from orchestration.profiles.declare import Profile
from orchestration.profiles.grid import content
from orchestration.profiles.keys import ProfileError
from orchestration.profiles.parse import load_profile

FOLDER = "profiles"
ENDINGS = (".yaml", ".yml")


def shipped_folder() -> Path:
    """Where the profiles that come with the product lie."""
    return Path(__file__).resolve().parents[2] / "seeds" / FOLDER


def load_folder(folder: Path) -> list[Profile]:
    """The profiles of a folder by file name, none where there is no folder. Raises ProfileError."""
    if not folder.is_dir():
        return []
    found = [load_profile(path) for path in sorted(folder.iterdir()) if path.suffix.lower() in ENDINGS]
    names = [profile.name for profile in found]
    for profile in found:
        if names.count(profile.name) > 1:
            raise ProfileError(profile.path, "profile", f"{profile.name!r}, in two files", "a name of its own for each")
    return found


@dataclass(frozen=True)
class Shelf:
    """The profiles that a run may use, read when the first file asks. Raises ProfileError then."""

    own: tuple[Path, ...] = ()
    shipped: Path | None = None

    @classmethod
    def of(cls, home_folder: Path, landing: Path) -> Shelf:
        """The shelves of a home and a landing folder, nearest first."""
        return cls((landing / FOLDER, home_folder / FOLDER), shipped_folder())

    @cached_property
    def _own(self) -> list[list[Profile]]:
        return [load_folder(folder) for folder in self.own]

    @cached_property
    def _shipped(self) -> list[Profile]:
        return load_folder(self.shipped) if self.shipped is not None else []

    def is_profile(self, relative: Path) -> bool:
        """Whether a file of the landing folder is a profile of it."""
        return len(relative.parts) > 1 and relative.parts[0] == FOLDER and relative.suffix.lower() in ENDINGS

    def fitting(self, bare_name: str, source_system: str, *, is_canonical: bool) -> tuple[Profile, ...]:
        """The profiles of the nearest shelf on which any fits. `is_canonical`: the file is named after a table."""
        for shelf in [*self._own] if is_canonical else [*self._own, self._shipped]:
            found = tuple(profile for profile in shelf if profile.fits(bare_name, source_system))
            if found:
                return found
        return ()

    def joining(self, bare_name: str, source_system: str) -> list[Profile]:
        """The profiles that read a file of that name beside another."""
        everything = [profile for shelf in (*self._own, self._shipped) for profile in shelf]
        return [
            profile
            for profile in everything
            if profile.source_system in ("", source_system) and profile.joined(bare_name) is not None
        ]


def only_one(file: str, fitting: Sequence[Profile]) -> Profile:
    """The one profile that fits. Raises FileRefused where there are several."""
    if len(fitting) > 1:
        raise FileRefused(
            file,
            f"a file that fits {' and '.join(f'{p.name} ({p.path})' for p in fitting)}",
            "one profile for a file",
            "Narrow `files` or `source_system` of one of them. Nothing of this file was loaded.",
        )
    return fitting[0]


def beside(profile: Profile, path: Path) -> dict[str, list[tuple[str, bytes]]]:
    """Name and bytes (unpacked) of the files in the same folder that the profile joins, by prefix, ordered by name.

    A link is not followed. Raises FileRefused for one that is too large.
    """
    found: dict[str, list[tuple[str, bytes]]] = {join.prefix: [] for join in profile.joins}
    if found:
        for other in _settled(path.parent):
            join = profile.joined(other.name)
            if join is not None and other != path:
                with open(other, "rb") as stream:
                    found[join.prefix].append((other.name, content(other.name, stream)))
    return found


def _settled(folder: Path) -> Sequence[Path]:
    unfinished = (".part", ".tmp", ".crdownload")
    return sorted(p for p in folder.iterdir() if p.is_file() and not p.is_symlink() and not p.name.endswith(unfinished))
