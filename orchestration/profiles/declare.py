"""What a profile says: how a file of another layout becomes rows of contract tables, as plain dataclasses.

A profile is a YAML file, read and checked by parse.py. Every key is described in docs/profiles.md.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestration.contract import Table
from orchestration.profiles.conditions import Condition
from orchestration.profiles.formats import AmountFormat, DateFormat

#: Rules under which the reader itself sets rows aside; a profile's own rules may not use these names.
TITLE_LINES, BLANK_ROWS = "title lines", "blank rows"


def key_of(name: str) -> str:
    """A column's name as it is compared: blanks collapsed, lower case."""
    return " ".join(name.split()).lower()


@dataclass(frozen=True)
class Source:
    """Where a value of the contract comes from: exactly one of column, constant, text, id_of, plus/minus."""

    column: str = ""
    constant: str | None = None
    template: str = ""
    id_of: tuple[str, ...] = ()
    prefix: str = ""
    plus: str = ""
    minus: str = ""
    sign: str = "as written"
    date: DateFormat | None = None
    words: Mapping[str, str] | None = None
    otherwise: str = "hold"

    def columns(self) -> Iterator[str]:
        """The columns of the file that it reads."""
        yield from (name for name in (self.column, self.plus, self.minus) if name)
        yield from self.id_of
        yield from placeholders(self.template)


@dataclass(frozen=True)
class Output:
    """Rows of one contract table, and which rows of the file they come from."""

    name: str
    table: Table
    when: Condition | None
    columns: Mapping[str, Source]


@dataclass(frozen=True)
class Skip:
    """Rows that are no data, under a name by which they are counted."""

    rule: str
    when: Condition


@dataclass(frozen=True)
class Capture:
    """A value that stands outside the rows: in the title lines, the file's name, or a row above a section."""

    name: str
    place: str
    pattern: str


@dataclass(frozen=True)
class Join:
    """A second file of the same folder, found by a key; its columns are named `prefix.column`."""

    files: tuple[str, ...]
    prefix: str
    on: Mapping[str, str]
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """A column that a check adds, or takes off."""

    column: str
    factor: int


@dataclass(frozen=True)
class Check:
    """Something that must add up. `row` and `group` checks hold the rows that fail, `total` and `running` the file.

    `less`: the rows whose left side counts the other way round, such as discounts. `also_on`: rules of rows that are
    no data and must add up all the same: one that does not is held.
    """

    name: str
    kind: str
    left: tuple[Term, ...]
    right: tuple[Term, ...] = ()
    group: tuple[str, ...] = ()
    when: Condition | None = None
    less: Condition | None = None
    rule: str = ""
    also_on: tuple[str, ...] = ()

    def columns(self) -> Iterator[str]:
        yield from (term.column for term in (*self.left, *self.right))
        yield from self.group
        for condition in (self.when, self.less):
            if condition is not None:
                yield from condition.columns()


@dataclass(frozen=True)
class Header:
    """How the header is found: the first row with all of `has`, over `rows` rows; or the file has none (`names`).

    Where a profile gives no `has`, it is every column of the file that the profile reads.
    """

    has: tuple[str, ...]
    within: int = 40
    rows: int = 1
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Profile:
    """A profile as declared. `sha256` is that of its YAML text, which is kept with the landed files."""

    name: str
    path: str
    text: str
    sha256: str
    describes: str
    files: tuple[str, ...]
    source_system: str
    encodings: tuple[str, ...]
    separator: str
    sheet: str
    short_rows: str
    header: Header
    amounts: AmountFormat
    date: DateFormat | None
    empty: tuple[str, ...]
    captures: tuple[Capture, ...]
    joins: tuple[Join, ...]
    skips: tuple[Skip, ...]
    outputs: tuple[Output, ...]
    row_gives: str
    checks: tuple[Check, ...]

    def fits(self, bare_name: str, source_system: str) -> bool:
        """Whether the profile is meant for a file of that name in that source system."""
        plain = bare_name.lower().removesuffix(".gz")
        of_system = not self.source_system or self.source_system == source_system
        return of_system and any(fnmatch.fnmatchcase(plain, pattern.lower()) for pattern in self.files)

    def joined(self, bare_name: str) -> Join | None:
        """The join that reads a file of that name, if any does."""
        plain = bare_name.lower().removesuffix(".gz")
        for join in self.joins:
            if any(fnmatch.fnmatchcase(plain, pattern.lower()) for pattern in join.files):
                return join
        return None

    def own_columns(self) -> tuple[str, ...]:
        """The columns of the file itself that the profile reads (not captured, not joined), in order of appearance."""
        made = {capture.name for capture in self.captures}
        prefixes = tuple(join.prefix + "." for join in self.joins)
        found = [name for name in all_columns(self) if name not in made and not name.startswith(prefixes or ("\0",))]
        found += [own for join in self.joins for own in join.on]
        return tuple(dict.fromkeys(found))


def all_columns(profile: Profile) -> Iterator[str]:
    """Every column that the profile reads: of the file, captured, joined."""
    for output in profile.outputs:
        for source in output.columns.values():
            yield from source.columns()
        if output.when is not None:
            yield from output.when.columns()
    for skip in profile.skips:
        yield from skip.when.columns()
    for check in profile.checks:
        yield from check.columns()


def placeholders(template: str) -> Iterator[str]:
    """The column names between braces."""
    yield from (key_of(name) for name in re.findall(r"\{([^{}]+)\}", template))
