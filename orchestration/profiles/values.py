"""From the cells of a grid to values of the contract, column by column.

Every distinct text of a column is read once. What cannot be read stays as it stands in the file and becomes a fault of
its row; what proves that the declared format is not the file's refuses the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import polars as pl

from orchestration.contract import Column
from orchestration.landing.raw_table import BLANKS, FileRefused
from orchestration.profiles.conditions import Condition, holds
from orchestration.profiles.declare import Profile, Source, placeholders
from orchestration.profiles.formats import AmountFormat, Reading
from orchestration.profiles.grid import DAY, FRACTION, TEXT

_EXACT = AmountFormat()
#: Sixteen hexadecimal digits tell a billion rows apart with odds of one in thirty that two were ever alike.
_ID_DIGITS = 16


@dataclass
class Faults:
    """What is wrong with rows: per row its first reason and every detail. Rows count from 0."""

    reasons: dict[int, str] = field(default_factory=dict)
    details: dict[int, list[str]] = field(default_factory=dict)

    def add(self, row: int, reason: str, detail: str) -> None:
        self.reasons.setdefault(row, reason)
        self.details.setdefault(row, []).append(detail)


@dataclass
class Values:
    """The rows of a file that are being read: `text` (blanks at the ends gone, empty is null), kinds and numbers.

    `own`: the columns of the file itself; beside them `text` has what was captured and joined.
    """

    profile: Profile
    file: str
    text: pl.DataFrame
    numbers: pl.Series
    labels: dict[str, str]
    own: tuple[str, ...]
    kinds: pl.DataFrame | None = None

    def keep(self, rows: pl.Series) -> Values:
        """Only the rows where `rows` is true."""
        kinds = self.kinds.filter(rows) if self.kinds is not None else None
        return replace(self, text=self.text.filter(rows), numbers=self.numbers.filter(rows), kinds=kinds)

    def has_kind(self, column: str, kind: int) -> pl.Series | None:
        """Where a cell is of that kind; None where the file knows no kinds."""
        if self.kinds is None or column not in self.kinds.columns:
            return None
        return self.kinds[column] == kind

    def amounts(self, column: str) -> tuple[pl.Series, dict[str, Reading]]:
        """The canonical amounts of a column, null where empty or unreadable; and the texts that cannot be read."""
        amounts = replace(_EXACT, scale=self.profile.amounts.scale)
        return self._read(column, self.profile.amounts.read, amounts.read)

    def cents(self, column: str) -> pl.Series:
        """The amounts of a column in minor units, null where empty or unreadable."""
        return _minor_units(self.amounts(column)[0])

    def days(self, column: str, source: Source) -> tuple[pl.Series, dict[str, Reading]]:
        assert source.date is not None
        return self._read(column, source.date.read, _exact_day)

    def holds(self, condition: Condition) -> pl.Series:
        """Per row whether a condition holds."""
        return holds(condition, self.text, self.own, self.cents)

    def _read(
        self, column: str, read: Callable[[str], Reading], exactly: Callable[[str], Reading]
    ) -> tuple[pl.Series, dict[str, Reading]]:
        text = self.text[column]
        is_text = self.has_kind(column, TEXT)
        if is_text is None:
            return _mapped(text, read)
        written, wrong = _mapped(_where(text, is_text), read)
        exact, wrong_too = _mapped(_where(text, ~is_text), exactly)
        return pl.select(pl.coalesce(written, exact)).to_series(), wrong | wrong_too


def _where(text: pl.Series, keep: pl.Series) -> pl.Series:
    return pl.select(pl.when(keep).then(text)).to_series()


def _mapped(text: pl.Series, read: Callable[[str], Reading]) -> tuple[pl.Series, dict[str, Reading]]:
    readings = {value: read(value) for value in text.drop_nulls().unique().to_list()}
    good = {value: reading.value for value, reading in readings.items() if reading.value is not None}
    wrong = {value: reading for value, reading in readings.items() if reading.value is None}
    if not good:
        return pl.repeat(None, len(text), dtype=pl.String, eager=True), wrong
    return text.replace_strict(list(good), list(good.values()), default=None, return_dtype=pl.String), wrong


def _exact_day(text: str) -> Reading:
    """A day that a workbook holds as a day."""
    if len(text) == 10 and text[4] == "-":
        return Reading(text)
    return Reading(None, "a number instead of a day" if text[:1].isdigit() and "-" not in text else "a time of day")


def _minor_units(amounts: pl.Series) -> pl.Series:
    return amounts.str.replace(".", "", literal=True).cast(pl.Int64)


def stripped(cells: pl.DataFrame, empty: tuple[str, ...]) -> pl.DataFrame:
    """Cells without blanks at the ends; empty ones, and words that mean empty, are null."""
    words = [word.strip().lower() for word in empty]
    columns = []
    for name in cells.columns:
        text = pl.col(name).str.strip_chars(BLANKS)
        nothing = text == ""
        if words:
            nothing = nothing | text.str.to_lowercase().is_in(words)
        columns.append(pl.when(nothing).then(None).otherwise(text).alias(name))
    return cells.select(columns)


def evaluate(values: Values, source: Source, target: str, column: Column | None, faults: Faults) -> pl.Series:
    """The values of one contract column for every row, faults noted. Raises FileRefused.

    `column`: its declaration; None for recorded_at.
    """
    height = values.text.height
    if source.constant is not None:
        return pl.repeat(source.constant, height, dtype=pl.String, eager=True)
    if source.id_of:
        return _ids(values, source)
    if source.plus:
        return _signed(values, source, target, faults)
    name = source.column
    if source.template:
        parts = [pl.lit(piece) if fixed else pl.col(piece) for fixed, piece in _pieces(source.template)]
        name = "(composed)"
        composed = values.text.select(pl.concat_str(parts).alias(name)).to_series()
        values = replace(values, text=values.text.with_columns(composed), labels={**values.labels, name: target})
    text = values.text[name]
    if source.words is not None:
        text = _words(values, source, target, name, faults)
        values = replace(values, text=values.text.with_columns(text.alias(name)))
    if column is not None and column.type == "amount":
        return _amounts(values, source, target, name, faults)
    if column is not None and column.type == "date":
        read, wrong = values.days(name, source)
        assert source.date is not None
        expected = f"a day as {source.date.text}"
        # Rows that have no place in the profile say nothing about the format of those that have one.
        unread = [row for row in (read.is_null() & text.is_not_null()).arg_true() if row not in faults.reasons]
        if unread and read.null_count() == height:
            raise _refused(values, name, unread[0], text[unread[0]], expected)
        _note(values, name, target, text, wrong, "not_a_date", expected, faults)
        return _as_it_stands(read, text)
    if column is not None and column.type == "id":
        _refuse_lossy_ids(values, name, target)
    return text


def _as_it_stands(read: pl.Series, text: pl.Series) -> pl.Series:
    return pl.select(pl.coalesce(read, text)).to_series()


def _pieces(template: str) -> list[tuple[bool, str]]:
    """The template cut at its placeholders: (is it fixed text, the text or the column)."""
    found: list[tuple[bool, str]] = []
    rest = template
    for column, written in zip(placeholders(template), _written(template), strict=True):
        before, _, rest = rest.partition(written)
        if before:
            found.append((True, before))
        found.append((False, column))
    return [*found, (True, rest)] if rest else found


def _written(template: str) -> list[str]:
    return ["{" + piece.partition("}")[0] + "}" for piece in template.split("{")[1:]]


def _amounts(values: Values, source: Source, target: str, name: str, faults: Faults) -> pl.Series:
    read, wrong = values.amounts(name)
    text = values.text[name]
    _note(values, name, target, text, wrong, "not_an_amount", values.profile.amounts.words(), faults)
    if source.sign == "inverted":
        read = _inverted(read)
    elif source.sign == "absolute":
        read = read.str.strip_prefix("-")
    return _as_it_stands(read, text)


def _inverted(amounts: pl.Series) -> pl.Series:
    is_zero = amounts == "0.00"
    negative = amounts.str.starts_with("-")
    bare = amounts.str.strip_prefix("-")
    return pl.select(
        pl.when(is_zero).then(amounts).when(negative).then(bare).otherwise(pl.lit("-") + amounts)
    ).to_series()


def _signed(values: Values, source: Source, target: str, faults: Faults) -> pl.Series:
    """One amount out of two columns, of which exactly one is filled: `plus` as it is, `minus` inverted."""
    plus = _amounts(values, Source(column=source.plus), target, source.plus, faults)
    minus = _amounts(values, Source(column=source.minus), target, source.minus, faults)
    filled = values.text[source.plus].is_not_null().cast(pl.Int8) + values.text[source.minus].is_not_null().cast(
        pl.Int8
    )
    result = pl.select(pl.coalesce(plus, _inverted(minus))).to_series()
    if source.sign == "inverted":
        result = _inverted(result)
    labels = f"{values.labels[source.plus]} and {values.labels[source.minus]}"
    for row in (filled != 1).arg_true():
        both = filled[row] == 2
        found = f"both, {values.text[source.plus][row]} and {values.text[source.minus][row]}" if both else "neither"
        faults.add(
            row,
            "debit_and_credit",
            f"{target}: found {found} in the columns {labels}; expected exactly one of them filled. Correct the row in"
            " the source and land the file again.",
        )
    both_text = pl.select(values.text[source.plus] + " / " + values.text[source.minus]).to_series()
    return pl.select(pl.when(filled == 2).then(both_text).otherwise(result)).to_series()


def _words(values: Values, source: Source, target: str, name: str, faults: Faults) -> pl.Series:
    """Their words replaced by ours; what to do with a word that is not listed is declared."""
    assert source.words is not None
    text = values.text[name]
    ours = text.str.to_lowercase().replace_strict(
        list(source.words), list(source.words.values()), default=None, return_dtype=pl.String
    )
    if source.otherwise == "keep":
        return _as_it_stands(ours, text)
    if source.otherwise == "hold":
        for row in (ours.is_null() & text.is_not_null()).arg_true():
            faults.add(
                row,
                "unmapped_word",
                f"{target}: found '{_cut(text[row])}' in the column {values.labels[name]}; expected a word that the"
                f" profile {values.profile.name} lists under `words`. Add the word there and run again: the file is"
                " read anew when its profile changes.",
            )
        return _as_it_stands(ours, text)
    return ours


def _ids(values: Values, source: Source) -> pl.Series:
    """An id made of what the row says: equal rows of a file are told apart by their number among themselves."""
    text = values.text.select(
        pl.concat_str([pl.col(name).fill_null("") for name in source.id_of], separator="\x1f").alias("text")
    )
    counted = text.with_columns(pl.int_range(pl.len()).over("text").alias("before"))
    ids = []
    for row, before in counted.iter_rows():
        digest = hashlib.sha256(row.encode()).hexdigest()[:_ID_DIGITS]
        ids.append(f"{source.prefix}{digest}" + (f"-{before + 1}" if before else ""))
    return pl.Series("id", ids, dtype=pl.String)


def _note(
    values: Values,
    name: str,
    target: str,
    text: pl.Series,
    wrong: dict[str, Reading],
    reason: str,
    expected: str,
    faults: Faults,
) -> None:
    """Make a fault of every value that could not be read. Raises FileRefused for one that proves another format."""
    if not wrong:
        return
    for row in text.is_in(list(wrong)).fill_null(False).arg_true():
        reading = wrong[text[row]]
        if reading.proves_other:
            raise _refused(values, name, row, f"{text[row]} ({reading.wrong})", expected)
        faults.add(
            row,
            reason,
            f"{target}: found '{_cut(text[row])}' in the column {values.labels[name]} ({reading.wrong}); expected"
            f" {expected}, as the profile {values.profile.name} declares. Correct the cell or the profile and land the"
            " file again.",
        )


def _refused(values: Values, name: str, row: int, found: str, expected: str) -> FileRefused:
    return FileRefused(
        values.file,
        found,
        f"{expected}, as the profile {values.profile.name} declares",
        "One format holds for a file: if this value is right, every other value of the file would be read wrongly."
        " Correct `formats` in the profile, or the value. Nothing of this file was loaded.",
        row=values.numbers[row],
        column=values.labels[name],
    )


def _refuse_lossy_ids(values: Values, name: str, target: str) -> None:
    for kind, words in ((FRACTION, "a number that is no whole number below 2^53"), (DAY, "a date")):
        where = values.has_kind(name, kind)
        if where is not None and where.any():
            row = int(where.arg_true()[0])
            raise FileRefused(
                values.file,
                f"{words} ({values.text[name][row]}) as {target}",
                "text, or a whole number below 2^53",
                "Format the column as text in the source and export again: a spreadsheet has already changed this id.",
                row=values.numbers[row],
                column=values.labels[name],
            )


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:80] + "..."
