"""Pieces of SQL that every part of the judge writes: quoted names, literals, a cell as it landed, the accepted rows."""

from __future__ import annotations

import re

from orchestration.contract import Column
from orchestration.landing.raw_table import BLANKS

#: Between the parts of a composed text that is only compared, never shown; and for a part that is nothing.
UNIT = "chr(31)"
NONE = "chr(30)"


def literal(text: str) -> str:
    """`text` as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def name(identifier: str) -> str:
    """`identifier` quoted."""
    return '"' + identifier.replace('"', '""') + '"'


BLANKS_SQL = literal(BLANKS)


def shown(expression: str) -> str:
    """A value in quotation marks for a message, cut where it is long."""
    return f"'''' || left({expression}, 80) || CASE WHEN length({expression}) > 80 THEN '...' ELSE '' END || ''''"


def trimmed_text(value: str) -> str:
    """SQL for a value without blanks at its ends, NULL where nothing is left.

    Trimming a list of characters is dear, row for row, and nearly no value needs it: one that begins and ends with a
    visible ASCII character is taken as it is. Its end is looked at from behind, which DuckDB does in half the time of
    cutting off the last character.
    """
    bare = " AND ".join(f"{text} >= '!' AND {text} < chr(127)" for text in (value, f"reverse({value})"))
    return f"CASE WHEN {bare} THEN {value} ELSE nullif(trim({value}, {BLANKS_SQL}), '') END"


def landed_text(column: str) -> str:
    """A column of `read_rows` as it landed."""
    return name("landed__" + column)


def raw_text(column: str) -> str:
    """A column of `read_rows` as it landed, without blanks at its ends."""
    return name("raw__" + column)


def written_out(sql: str) -> str:
    """`sql` with trimmed values written out where they stand: DuckDB works out a named column for every row, a branch
    of a CASE only for the rows that come to it."""
    return re.sub(r'"raw__(\w+)"', lambda found: f"nullif(trim({landed_text(found[1])}, {BLANKS_SQL}), '')", sql)


def matches(expression: str, pattern: str) -> str:
    """SQL for whether the whole of a text has the form of a regular expression."""
    return f"regexp_full_match({expression}, {literal(pattern.removeprefix('^').removesuffix('$'))})"


def decimal(expression: str) -> str:
    """SQL for an accepted amount as the exact number it is; accepted amounts always are one."""
    return f"CAST({expression} AS DECIMAL(18,2))"


def landing(table: str) -> str:
    """The accepted rows of a table."""
    return f"landing.{name(table)}"


def current(table: str) -> str:
    """The latest version of every accepted row of a table."""
    return (
        f"(SELECT * FROM {landing(table)}"
        " QUALIFY row_number() OVER (PARTITION BY row_key ORDER BY version_no DESC) = 1)"
    )


def found_name(column: Column) -> str:
    """The column of `work` that says where the row that an id names was found: 1 in its own source system, 2 in
    `default`, NULL nowhere."""
    return name("found__" + column.name)
