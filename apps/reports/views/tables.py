"""Tables as real HTML tables, and the same rows as CSV.

A published row goes in, escaped text comes out: a name is shown as it is and never read as markup, and in a file never
as a formula. Money is right-aligned with thousands separators; its currency is named once, in the caption.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from html import escape
from typing import Literal

from apps.documents import words
from apps.documents.formulas import defused
from apps.reports.published import Row


class Html(str):
    """Text that is markup already, made here from escaped parts."""


@dataclass(frozen=True)
class Column:
    """A column of a table: where its value is, what it is called, how it is written and, maybe, where it leads."""

    key: str
    label: str
    kind: Literal["text", "money", "count", "day"] = "text"
    href: Callable[[Row], str | None] | None = None
    wraps: bool = True

    @property
    def is_figure(self) -> bool:
        return self.kind in ("money", "count")


def written(value: object, kind: str = "text") -> str:
    """A value as text, without markup."""
    if value is None:
        return ""
    if kind == "money" and isinstance(value, Decimal):
        return words.amount(value)
    if kind == "count":
        return f"{value:,}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _cell(row: Row, column: Column, linked: bool = True) -> str:
    value = row.get(column.key)
    shown = value if isinstance(value, Html) else escape(written(value, column.kind))
    link = column.href(row) if column.href and linked else None
    if link and shown:
        shown = f'<a href="{escape(link)}" target="_self">{shown}</a>'
    classes = ["figure"] if column.is_figure else []
    if column.is_figure and value == 0:
        classes.append("nil")
    if column.kind == "day" or not column.wraps:
        classes.append("whole")
    mark = f' class="{" ".join(classes)}"' if classes else ""
    return f"<td{mark}>{shown}</td>"


def table(
    rows: Sequence[Row],
    columns: Sequence[Column],
    *,
    caption: str,
    total: Row | None = None,
    row_class: Callable[[Row], str] | None = None,
) -> Html:
    """The rows as an HTML table. ``total`` is a last row that the query summed; ``caption`` is plain text."""
    head = "".join(
        f'<th scope="col"{" class=figure" if column.is_figure else ""}>{escape(column.label)}</th>'
        for column in columns
    )
    lines = []
    for row in rows:
        kind = row_class(row) if row_class else ""
        mark = f' class="{escape(kind)}"' if kind else ""
        lines.append(f"<tr{mark}>{''.join(_cell(row, column) for column in columns)}</tr>")
    foot = (
        f"<tfoot><tr>{''.join(_cell(total, column, linked=False) for column in columns)}</tr></tfoot>" if total else ""
    )
    return Html(
        f'<div class="t-scroll" role="region" tabindex="0" aria-label="{escape(caption)}"><table class="t-table">'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody>{foot}</table></div>"
    )


def facts(pairs: Sequence[tuple[str, str]]) -> Html:
    """Names and values beside each other, as a description list."""
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs)
    return Html(f'<dl class="t-facts">{items}</dl>')


def csv_bytes(rows: Sequence[Row], columns: Sequence[Column], incomplete: Sequence[str] = ()) -> bytes:
    """The rows as CSV in UTF-8 with a byte order mark (spreadsheets need it); figures plain, text defused.

    Where the build is incomplete every row says so, and why: a file is read far from the page that it came from.
    """
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    mark = [defused(" ".join(incomplete))] if incomplete else []
    writer.writerow([*(column.label for column in columns), *(["Incomplete"] if mark else [])])
    for row in rows:
        values = []
        for column in columns:
            value = row.get(column.key)
            plain = isinstance(value, Decimal | int) and not isinstance(value, bool)
            values.append(str(value) if plain else defused(written(value, column.kind)))
        writer.writerow([*values, *mark])
    return target.getvalue().encode("utf-8-sig")
