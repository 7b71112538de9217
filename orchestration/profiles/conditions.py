"""Conditions of a profile: which rows a rule means. Checked when the profile is read, evaluated over whole columns.

A condition is one of
    {column: NAME, is: WORD or [WORDS]}          equal, blanks at the ends and capitals aside
    {column: NAME, matches: PATTERN}             a regular expression, found anywhere unless anchored
    {column: NAME, filled: yes or no}            not empty, or empty
    {column: NAME, amount: positive|negative|zero|not zero}
    {any_column: PATTERN}                        some cell of the row matches
    {all: [...]}, {any: [...]}, {not: ...}       several
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

AMOUNT_TESTS = ("positive", "negative", "zero", "not zero")


@dataclass(frozen=True)
class Condition:
    """One test (`kind`, of `column` against `words`) or a combination of `parts`."""

    kind: str
    column: str = ""
    words: tuple[str, ...] = ()
    parts: tuple[Condition, ...] = ()

    def columns(self) -> Iterator[str]:
        """The columns of the file that the condition reads."""
        if self.column:
            yield self.column
        for part in self.parts:
            yield from part.columns()


def holds(
    condition: Condition, values: pl.DataFrame, own: Sequence[str], cents: Callable[[str], pl.Series]
) -> pl.Series:
    """Per row of `values` (text, empty is null) whether the condition holds; never null.

    `own`: the columns of the file itself; `cents` gives the amounts of a column in minor units, null where empty or
    unreadable.
    """
    match condition.kind:
        case "all" | "any":
            found = [holds(part, values, own, cents) for part in condition.parts]
            result = found[0]
            for other in found[1:]:
                result = result & other if condition.kind == "all" else result | other
            return result
        case "not":
            return ~holds(condition.parts[0], values, own, cents)
        case "any_column":
            pattern = condition.words[0]
            result = pl.repeat(False, values.height, dtype=pl.Boolean, eager=True)
            for column in own:
                result = result | values[column].str.contains(pattern).fill_null(False)
            return result
        case "is":
            words = [word.strip().lower() for word in condition.words]
            return values[condition.column].str.to_lowercase().is_in(words).fill_null(False)
        case "matches":
            return values[condition.column].str.contains(condition.words[0]).fill_null(False)
        case "filled":
            filled = values[condition.column].is_not_null()
            return filled if condition.words == ("yes",) else ~filled
        case "amount":
            amount = cents(condition.column)
            tests = {
                "positive": amount > 0,
                "negative": amount < 0,
                "zero": amount == 0,
                "not zero": amount != 0,
            }
            return tests[condition.words[0]].fill_null(False)
    raise AssertionError(condition.kind)
