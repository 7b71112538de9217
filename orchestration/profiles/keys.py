"""Reading YAML settings strictly: every scalar is text, no key twice, no key unknown, every error names its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from orchestration.errors import UsageError

#: What a proposed profile holds where the file does not prove the answer.
OPEN_QUESTION = "?"


class ProfileError(UsageError):
    """A profile that cannot be used. Names the profile, the key, what was found and what was expected."""

    def __init__(self, profile: str, key: str, found: str, expected: str) -> None:
        super().__init__(
            f"{profile}: {key}: found {found}; expected {expected}.",
            "Correct the profile and run again; nothing was loaded. `tieout profile FILE --with PROFILE` tries it out.",
        )
        self.key = key


class _TextLoader(yaml.BaseLoader):
    """YAML in which 007 and NO stay the text they are, and a key given twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def load_text(profile: str, text: str) -> dict[str, Any]:
    """The settings of a YAML text, every scalar a str. Raises ProfileError, also for a question left open."""
    try:
        raw = yaml.load(text, _TextLoader)
    except yaml.YAMLError as error:
        raise ProfileError(profile, "the file", f"text that is not YAML ({error})", "YAML") from None
    if not isinstance(raw, dict):
        raise ProfileError(profile, "the file", "no settings", "keys such as `files` and `tables`")
    for place in _open_questions(raw, ""):
        raise ProfileError(
            profile, place, "'?', a question that is still open", "the answer (the comment beside it says between what)"
        )
    return raw


def _open_questions(value: Any, place: str) -> Iterable[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _open_questions(inner, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for number, inner in enumerate(value, start=1):
            yield from _open_questions(inner, f"{place}[{number}]")
    elif value == OPEN_QUESTION:
        yield place


@dataclass(frozen=True)
class Keys:
    """Settings of one place of a profile."""

    profile: str
    place: str
    raw: Mapping[str, Any]

    @classmethod
    def of(cls, profile: str, place: str, raw: Any, known: Iterable[str]) -> Keys:
        """The settings `raw`, which must be a mapping with known keys only."""
        known = tuple(known)
        if not isinstance(raw, dict):
            raise ProfileError(profile, place, shown(raw), f"settings ({', '.join(known)})")
        for key in raw:
            if key not in known:
                raise ProfileError(profile, f"{place}.{key}".strip("."), "an unknown key", f"one of {', '.join(known)}")
        return cls(profile, place, raw)

    def at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def wrong(self, key: str, expected: str, found: str | None = None) -> ProfileError:
        """The error for a key, to be raised."""
        value = found if found is not None else shown(self.raw.get(key))
        return ProfileError(self.profile, self.at(key), value, expected)

    def has(self, key: str) -> bool:
        return key in self.raw

    def text(self, key: str, expected: str, default: str | None = None) -> str:
        """A text; without a default it must be there and not empty."""
        value = self.raw.get(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise self.wrong(key, expected)
        return value

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        choices = tuple(choices)
        value = self.text(key, f"one of {', '.join(choices)}", default)
        if value not in choices:
            raise self.wrong(key, f"one of {', '.join(choices)}")
        return value

    def texts(self, key: str, expected: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A text or a list of texts."""
        value = self.raw.get(key, default)
        values = (value,) if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or any(not isinstance(v, str) for v in values):
            raise self.wrong(key, expected)
        if default is None and (not values or any(not v for v in values)):
            raise self.wrong(key, expected)
        return tuple(values)

    def number(self, key: str, default: int, low: int, high: int) -> int:
        value = self.text(key, f"a whole number from {low} to {high}", str(default))
        if not value.isdecimal() or not low <= int(value) <= high:
            raise self.wrong(key, f"a whole number from {low} to {high}")
        return int(value)

    def items(self, key: str, expected: str) -> list[tuple[str, Any]]:
        """Place and raw value of every item of a list; none where the key is missing."""
        value = self.raw.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(key, expected)
        return [(f"{self.at(key)}[{number}]", item) for number, item in enumerate(value, start=1)]


def shown(value: Any) -> str:
    """A value for a message."""
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
