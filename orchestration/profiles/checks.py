"""What a profile declares must add up. A check that fails names the rows, and what it compared.

`row` and `group` checks hold the rows that fail in quarantine; `total` and `running` checks say that the file as a
whole is not what was exported, and refuse it.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from orchestration.landing.raw_table import FileRefused
from orchestration.profiles.declare import Check, Term
from orchestration.profiles.values import Faults, Values

_ROWS_NAMED = 8


def _sum(values: Values, terms: Sequence[Term]) -> pl.Series:
    """The terms of every row added up, in minor units. Empty counts as nothing; null where one cannot be read."""
    total = pl.repeat(0, values.text.height, dtype=pl.Int64, eager=True)
    for term in terms:
        cents = values.cents(term.column)
        unreadable = cents.is_null() & values.text[term.column].is_not_null()
        total = total + pl.select(pl.when(~unreadable).then(cents.fill_null(0) * term.factor)).to_series()
    return total


def _words(values: Values, terms: Sequence[Term]) -> str:
    parts = [f"{'-' if term.factor < 0 else '+'} {values.labels.get(term.column, term.column)}" for term in terms]
    return " ".join(parts).removeprefix("+ ")


def _major(cents: int | None) -> str:
    if cents is None:
        return "what cannot be read"
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def check_rows(values: Values, check: Check, faults: Faults) -> None:
    """A `row` or `group` check: a fault for every row that fails it, or whose group does.

    In a group the left side is the sum over its rows; the right side stands on every row and is taken once.
    """
    everything = pl.repeat(True, values.text.height, dtype=pl.Boolean, eager=True)
    tested = values.holds(check.when) if check.when is not None else everything
    left = _sum(values, check.left)
    if check.less is not None:
        left = pl.select(pl.when(values.holds(check.less)).then(-left).otherwise(left)).to_series()
    frame = pl.DataFrame({"left": left, "right": _sum(values, check.right), "tested": tested})
    if check.kind == "group":
        keys = [f"key {n}" for n, _ in _numbered(check)]
        frame = frame.with_columns(*(values.text[c].alias(f"key {n}") for n, c in _numbered(check)))
        own = pl.when("tested").then("left").otherwise(0)
        known = own.is_not_null().all().over(keys)
        frame = frame.with_columns(pl.when(known).then(own.sum().over(keys)).alias("left"))
    failed = tested & ~(frame["left"] == frame["right"]).fill_null(False)
    for row in failed.arg_true():
        where = ""
        if check.kind == "group":
            shown = [f"{values.labels.get(c, c)} {values.text[c][row]}" for c in check.group]
            where = f" over the rows of {', '.join(shown)}"
        faults.add(
            row,
            "profile_check_failed",
            f"{check.name}: found {_words(values, check.left)} = {_major(frame['left'][row])}{where} and"
            f" {_words(values, check.right)} = {_major(frame['right'][row])}; expected them equal, as the profile"
            f" {values.profile.name} declares. Correct it in the source and land the file again.",
        )


def _numbered(check: Check) -> list[tuple[int, str]]:
    return list(enumerate(check.group))


def check_total(values: Values, check: Check, totals: Values) -> None:
    """A `total` check: the rows that are loaded add up to each total row of the file. Raises FileRefused.

    `totals`: the rows that were set aside under the check's rule.
    """
    used = values.keep(values.holds(check.when)) if check.when is not None else values
    found = _sum(used, check.left)
    total = None if found.null_count() else int(found.sum())
    stated = _sum(totals, check.left).to_list()
    if not stated:
        raise FileRefused(
            values.file,
            f"no row under the rule '{check.rule}'",
            f"the row with the total of {_words(values, check.left)} ({check.name})",
            "An export without its last row has broken off. Export it again. Nothing of this file was loaded.",
        )
    for row, cents in enumerate(stated):
        if cents is None or cents != total:
            raise FileRefused(
                values.file,
                f"{_words(values, check.left)} = {_major(cents)} on the total row and {_major(total)} over the"
                f" {used.text.height} rows above",
                f"the same amount ({check.name})",
                "Rows are missing, or one is read wrongly. Compare the file with the report. Nothing of this file was"
                " loaded.",
                row=totals.numbers[row],
            )


def check_running(values: Values, check: Check) -> None:
    """A `running` check: every balance is the one before it plus what the row moves. Raises FileRefused.

    The first balance of a group is what the rows start from.
    """
    used = values.keep(values.holds(check.when)) if check.when is not None else values
    if not used.text.height:
        return
    balance, moved = _sum(used, check.left), _sum(used, check.right)
    filled = used.text[check.left[0].column].is_not_null()
    frame = pl.DataFrame({"balance": pl.select(pl.when(filled).then(balance)).to_series(), "moved": moved})
    frame = frame.with_columns(*(used.text[c].alias(f"key {n}") for n, c in _numbered(check)))
    keys = [f"key {n}" for n, _ in _numbered(check)]
    before = pl.col("balance").shift(1)
    first = pl.int_range(pl.len()) == 0
    frame = frame.with_columns(
        (before.over(keys) if keys else before).alias("before"), (first.over(keys) if keys else first).alias("first")
    )
    wrong = ~frame["first"] & ~(frame["balance"] == frame["before"] + frame["moved"]).fill_null(False)
    wrong = wrong | (frame["balance"].is_null())
    rows = wrong.arg_true().to_list()
    if not rows:
        return
    row = rows[0]
    numbers = ", ".join(str(used.numbers[n]) for n in rows[:_ROWS_NAMED])
    raise FileRefused(
        used.file,
        f"the balance {_major(frame['balance'][row])} after {_major(frame['before'][row])} and a movement of"
        f" {_major(frame['moved'][row])}" + (f" (and so in the rows {numbers})" if len(rows) > 1 else ""),
        f"a balance that follows from the row before ({check.name})",
        "A row is missing, or one is read wrongly. Compare the file with the report. Nothing of this file was loaded.",
        row=used.numbers[row],
        column=used.labels.get(check.left[0].column),
    )
