"""A file read through its profile: rows for each table, every row set aside under a named rule, nothing lost.

The reader accounts for every row of the file before it hands anything over: each is a title line, blank, set aside
under one rule of the profile, or given to at least one table. A row for which the profile names no table, or several
where one is meant, goes to the first one with a fault, and so to quarantine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from orchestration.landing.raw_table import FileRefused, RawTable
from orchestration.landing.read import FileRead, read_table
from orchestration.profiles.checks import check_rows, check_running, check_total
from orchestration.profiles.declare import BLANK_ROWS, TITLE_LINES, Capture, Join, Output, Profile, all_columns
from orchestration.profiles.grid import Grid, read_grid
from orchestration.profiles.values import Faults, Values, evaluate, stripped

#: Why a row may be held by its profile; the codes stand in the door's closed list.
FAULT_REASONS = (
    "not_an_amount", "not_a_date", "not_in_joined_file", "debit_and_credit", "unmapped_word", "no_place_in_profile",
    "two_places_in_profile", "profile_check_failed",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """The rows of one table that a file gives. `read.rows` counts these rows only."""

    output: Output
    read: FileRead


@dataclass(frozen=True)
class Profiled:
    """A file read through a profile.

    `skipped`: row_number, rule, raw (the cells as JSON) of every row set aside. `rows`: rows of the file without its
    header. `used`: rows given to a table.
    """

    parts: tuple[Part, ...]
    skipped: pl.DataFrame
    rows: int
    used: int

    def skipped_by_rule(self) -> dict[str, int]:
        """Rows set aside, by rule, in the order of the file."""
        counted = self.skipped.group_by("rule", maintain_order=True).len()
        return dict(counted.iter_rows())


def read_profiled(
    profile: Profile, file: str, data: bytes, source_system: str, joined: Mapping[str, list[tuple[str, bytes]]]
) -> Profiled:
    """Read the bytes of one file. Raises FileRefused.

    `joined`: by the prefix of each join, name and bytes of the files beside this one that it reads.
    """
    grid = read_grid(profile, file, data)
    text = stripped(grid.cells, profile.empty)
    values = Values(profile, file, text, grid.numbers, dict(grid.names), tuple(grid.names), grid.kinds)
    sections = pl.repeat(None, grid.cells.height, dtype=pl.String, eager=True)
    for capture in profile.captures:
        values, sections = _captured(values, capture, grid, sections)
    for join in profile.joins:
        values = _joined(values, join, joined[join.prefix])
    rules = _keep_failed(values, _rules(values, sections))
    skipped = _skipped(profile, grid, rules)
    used = rules.is_null()
    if grid.cells.height and not used.any():
        raise FileRefused(
            file,
            f"{grid.cells.height} rows, every one set aside by a rule ({', '.join(rules.unique().to_list())})",
            f"rows for {', '.join(output.name for output in profile.outputs)}",
            f"See the rules under `skip` in the profile {profile.name}. Nothing of this file was loaded.",
        )
    _refuse_ragged(profile, file, grid, used)
    original = grid.cells.filter(used).select(
        pl.struct(pl.col(key).alias(label) for key, label in grid.names.items()).struct.json_encode().alias("original")
    )
    totals = {skip.rule: values.keep(rules == skip.rule) for skip in profile.skips}
    values = values.keep(used)
    faults = Faults()
    for join in profile.joins:
        _note_unjoined(values, join, faults)
    _check(values, totals, faults)
    parts = _parts(values, grid, original["original"], faults, source_system)
    rows = grid.cells.height + len(grid.titles) + len(grid.blank_rows)
    given = {number for part in parts for number in part.read.frame["row_number"].to_list()}
    if len(given) + skipped.height != rows:
        raise AssertionError(f"{file}: {rows} rows, {len(given)} given to a table and {skipped.height} set aside")
    return Profiled(parts, skipped, rows, len(given))


def _captured(values: Values, capture: Capture, grid: Grid, sections: pl.Series) -> tuple[Values, pl.Series]:
    """The captured value as a column; section rows are marked with the rule they are set aside under."""
    name = capture.name
    if name in values.text.columns:
        raise FileRefused(
            values.file, f"a column {values.labels[name]}", "no column of the name that a capture has",
            f"Rename the capture in the profile {values.profile.name}.",
        )  # fmt: skip
    labels = {**values.labels, name: f"{name} (from the {capture.place})"}
    if capture.place == "section rows":
        row_text = values.text.select(pl.concat_str(values.own, separator=" ", ignore_nulls=True)).to_series()
        found = row_text.str.extract(capture.pattern, 1)
        rule = pl.lit(f"section rows: {name}")
        marked = pl.select(pl.when(sections.is_null() & found.is_not_null()).then(rule).otherwise(sections)).to_series()
        column = found.forward_fill().alias(name)
        return replace(values, text=values.text.with_columns(column), labels=labels), marked
    lines = [row.text() for row in grid.titles] if capture.place == "title lines" else [values.file.rsplit("/", 1)[-1]]
    found_in = next((match for line in lines if (match := re.search(capture.pattern, line))), None)
    if found_in is None:
        raise FileRefused(
            values.file,
            f"no {capture.place} that matches {capture.pattern}",
            f"the {name} there, as the profile {values.profile.name} declares",
            "Without it no row of the file can be placed. Nothing of this file was loaded.",
        )
    column = pl.repeat(found_in[1].strip(), values.text.height, dtype=pl.String, eager=True).alias(name)
    return replace(values, text=values.text.with_columns(column), labels=labels), sections


def _joined(values: Values, join: Join, files: list[tuple[str, bytes]]) -> Values:
    """The columns of the joined files beside the rows, null where the key is not found there. The last file wins."""
    profile = values.profile
    if not files:
        raise FileRefused(
            values.file,
            f"no file {' or '.join(join.files)} beside it",
            f"the file that the profile {profile.name} joins to it",
            "Land both files together. This file is read by the next run that finds both.",
        )
    keys = list(join.on.values())
    frames = []
    for file, data in files:
        grid = read_grid(profile, file, data, [*keys, *join.needs])
        frame = stripped(grid.cells, profile.empty)
        frame = frame.filter(pl.all_horizontal(pl.col(key).is_not_null() for key in keys)).unique(maintain_order=True)
        twice = frame.filter(frame.select(keys).is_duplicated())
        if twice.height:
            raise FileRefused(
                file,
                f"{' '.join(str(twice[key][0]) for key in keys)} in {twice.height} rows that differ",
                f"each {' with '.join(keys)} once, since {values.file} is joined to it",
                "Which row is right cannot be guessed. Export it again with one row for each.",
                column=grid.names[keys[0]],
            )
        frames.append(frame)
    other = pl.concat(frames, how="diagonal").unique(subset=keys, keep="last", maintain_order=True)
    other = other.rename({name: f"{join.prefix}.{name}" for name in other.columns})
    wanted = {name for name in _joined_names(profile, join)} - set(other.columns)
    if wanted:
        raise FileRefused(
            files[-1][0],
            f"no column {', '.join(sorted(name.removeprefix(join.prefix + '.') for name in wanted))}",
            f"the columns that the profile {profile.name} reads of it",
            "Export the file with these columns.",
        )
    own = list(join.on)
    text = values.text.join(
        other, left_on=own, right_on=[f"{join.prefix}.{join.on[name]}" for name in own], how="left",
        maintain_order="left", coalesce=False,
    )  # fmt: skip
    return replace(values, text=text, labels={**values.labels, **{name: name for name in other.columns}})


def _joined_names(profile: Profile, join: Join) -> set[str]:
    return {name for name in all_columns(profile) if name.startswith(join.prefix + ".")}


def _rules(values: Values, sections: pl.Series) -> pl.Series:
    """Per row the rule under which it is set aside, null where it is data. The first rule that fits counts."""
    rules = pl.repeat(None, values.text.height, dtype=pl.String, eager=True)
    for skip in values.profile.skips:
        fits = rules.is_null() & values.holds(skip.when)
        rules = pl.select(pl.when(fits).then(pl.lit(skip.rule)).otherwise(rules)).to_series()
    return pl.select(pl.coalesce(rules, sections)).to_series().alias("rule")


def _keep_failed(values: Values, rules: pl.Series) -> pl.Series:
    """The rules without those rows that a check covers although they are no data, and that fail it."""
    for check in values.profile.checks:
        covered = rules.is_in(check.also_on).fill_null(False)
        if not covered.any():
            continue
        failed = Faults()
        check_rows(values.keep(covered), check, failed)
        places = covered.arg_true()
        for row in failed.reasons:
            rules[int(places[row])] = None
    return rules


def _skipped(profile: Profile, grid: Grid, rules: pl.Series) -> pl.DataFrame:
    names = [pl.col(key).alias(label) for key, label in grid.names.items()]
    body = grid.cells.select(
        grid.numbers.alias("row_number"), rules.alias("rule"), pl.struct(names).struct.json_encode().alias("raw")
    ).filter(pl.col("rule").is_not_null())
    schema = {"row_number": pl.Int64, "rule": pl.String, "raw": pl.String}
    titles = [(row.number, TITLE_LINES, row.text()) for row in grid.titles]
    blanks = [(number, BLANK_ROWS, "") for number in grid.blank_rows]
    return pl.concat([pl.DataFrame(titles + blanks, schema=schema, orient="row"), body.cast(schema)]).sort("row_number")


def _refuse_ragged(profile: Profile, file: str, grid: Grid, used: pl.Series) -> None:
    """Refuse rows with a value beyond the header, and rows that break off, unless the profile says that they may."""
    width = len(grid.names)
    beyond = (grid.beyond & used).arg_true()
    short = (used & (grid.fields < width)).arg_true() if profile.short_rows == "refuse" else beyond.head(0)
    if grid.kinds is not None:
        short = short.head(0)
    for rows, what in ((beyond, "more"), (short, "fewer")):
        if len(rows):
            row = rows[0]
            more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
            raise FileRefused(
                file,
                f"{grid.fields[row]} fields{more}",
                f"{width} fields, as in the header",
                "A separator inside a value must stand in quotation marks; a short last row means that the export broke"
                " off. Where short rows are usual, say `reads.short_rows: fill` in the profile; rows that are no data"
                f" get a rule under `skip`. There are {what} fields than columns. Nothing of this file was loaded.",
                row=grid.numbers[row],
            )


def _note_unjoined(values: Values, join: Join, faults: Faults) -> None:
    """A fault for every row that the joined file does not know."""
    key = f"{join.prefix}.{next(iter(join.on.values()))}"
    for row in values.text[key].is_null().arg_true():
        own = ", ".join(f"{values.labels[name]} {values.text[name][row] or 'empty'}" for name in join.on)
        faults.add(
            row,
            "not_in_joined_file",
            f"{own}: found in no row of {' or '.join(join.files)} beside {values.file}; expected one, since the profile"
            f" {values.profile.name} joins it. Land the joined file with that row: this file is then read anew.",
        )


def _check(values: Values, totals: Mapping[str, Values], faults: Faults) -> None:
    for check in values.profile.checks:
        if check.kind == "total":
            check_total(values, check, totals[check.rule])
        elif check.kind == "running":
            check_running(values, check)
        else:
            check_rows(values, check, faults)


def _parts(values: Values, grid: Grid, original: pl.Series, faults: Faults, source_system: str) -> tuple[Part, ...]:
    """The rows of each table. A row that has no place, or two, is the first table's, with a fault."""
    profile = values.profile
    everything = pl.repeat(True, values.text.height, dtype=pl.Boolean, eager=True)
    claims = [values.holds(output.when) if output.when is not None else everything for output in profile.outputs]
    number = pl.repeat(0, values.text.height, dtype=pl.Int64, eager=True)
    for claim in claims:
        number = number + claim.cast(pl.Int64)
    for row in (number == 0).arg_true():
        faults.add(
            row,
            "no_place_in_profile",
            f"The row fits none of the tables of the profile {profile.name}"
            f" ({', '.join(output.name for output in profile.outputs)}); expected one, or a rule under `skip`. Complete"
            " the profile and run again: the file is read anew when its profile changes.",
        )
    if profile.row_gives == "one":
        for row in (number > 1).arg_true():
            fits = [output.name for output, claim in zip(profile.outputs, claims, strict=True) if claim[row]]
            faults.add(
                row,
                "two_places_in_profile",
                f"The row fits {' and '.join(fits)} of the profile {profile.name}; expected one of them. A row that"
                " holds a charge and a payment at once is a stop: correct it in the source, or the profile.",
            )
    parts, taken = [], pl.repeat(False, values.text.height, dtype=pl.Boolean, eager=True)
    for position, (output, claim) in enumerate(zip(profile.outputs, claims, strict=True)):
        rows = claim & ~taken if profile.row_gives == "one" else claim
        rows = rows | (number == 0) if position == 0 else rows
        taken = taken | rows
        parts.append(_part(values, grid, original, faults, output, rows, source_system))
    return tuple(parts)


def _part(
    values: Values, grid: Grid, original: pl.Series, faults: Faults, output: Output, rows: pl.Series, source: str
) -> Part:
    profile = values.profile
    places = rows.arg_true().to_list()
    mine, own = values.keep(rows), Faults()
    for new, old in enumerate(places):
        for detail in faults.details.get(old, ()):
            own.add(new, faults.reasons[old], detail)
    columns = {}
    for name, wanted in output.columns.items():
        column = output.table.column(name) if name in output.table.names else None
        columns[name] = evaluate(mine, wanted, name, column, own).alias(name)
    raw = RawTable(pl.DataFrame(columns), mine.numbers)
    read = read_table(values.file, raw, output.table, source, grid.format)
    read_names = set(profile.own_columns())
    reasons = [own.reasons.get(row) for row in range(len(places))]
    details = [" ".join(own.details[row]) if row in own.details else None for row in range(len(places))]
    frame = read.frame.with_columns(
        original.filter(rows).alias("unknown_columns"),
        pl.Series("profile_fault", reasons, dtype=pl.String),
        pl.Series("profile_detail", details, dtype=pl.String),
    )
    unknown = tuple(label for key, label in grid.names.items() if key not in read_names)
    return Part(output, replace(read, frame=frame, unknown_columns=unknown, message=None))
