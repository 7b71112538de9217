"""The break finder: when comparisons differ, which row broke them first, on which day, and what was reported since.

One break shows on many days, in several comparisons, and in every later balance. What helps is the first day on which
each comparison began to differ and the row that began it: comparisons that point at the same row are one break. A
break that began on or before the last day of a closed month is in figures that were reported.

It reads a build's file, published or failed: the comparisons stand in it as tables, each row with the entries to look
at
first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import duckdb

LOOK_SEPARATOR = ", "
#: Comparisons with other people's books: the general ledger, the bank, the old system. What differs there is no break
#: of ours.
OUTSIDE = (6, 7, 13, 14)


@dataclass(frozen=True)
class Break:
    """One row that broke comparisons: since when, by how much in the first of them, and which months it reaches."""

    first_on: date
    entity_id: str
    property_id: str
    entry: str  # table, id, file and row of the first event; empty where no single entry explains it
    difference: Decimal  # in the comparison that shows it first
    tie_outs: tuple[str, ...]  # every comparison that the row broke, by number
    reported: tuple[str, ...]  # closed months of the entity that end on or after the first day

    def text(self) -> str:
        where = " of ".join(part for part in (self.property_id, self.entity_id) if part)
        months = f"; reported for {', '.join(self.reported)}" if self.reported else "; no reported month is affected"
        return (
            f"since {self.first_on}{f', {where}' if where else ''}: "
            f"{self.entry or '(no single entry explains it)'}, by "
            f"{self.difference} in {', '.join(self.tie_outs)}{months}"
        )


def find_breaks(connection: duckdb.DuckDBPyConnection, *, outside: bool = False) -> list[Break]:
    """The breaks of the comparisons in the build's file that is in use, the earliest first; with `outside`, also the
    differences with other people's books."""
    tables = [
        name
        for (name,) in connection.execute(
            "select table_name from duckdb_tables() where schema_name = 'tie_outs' and starts_with(table_name, 'tie_') "
            "and database_name = current_database() order by 1"
        ).fetchall()
    ]
    if not tables:
        return []
    columns = (
        "tie_out, tie_out_no, as_of, entity_key, entity_id, property_id, ledger_party, subject, difference, look_at"
    )
    every = " union all ".join(f"select {columns} from tie_outs.{name} where difference <> 0" for name in tables)
    ours = "" if outside else f"where tie_out_no not in {OUTSIDE}"
    firsts = connection.execute(
        f"""
        with differing as ({every})
        select
            tie_out, tie_out_no, min(as_of), entity_key, coalesce(entity_id, ''), coalesce(property_id, ''),
            min_by(difference, as_of), coalesce(min_by(look_at, as_of), '')
        from differing
        {ours}
        group by tie_out, tie_out_no, entity_key, entity_id, property_id, ledger_party, subject
        order by 3, 2, 5, 6
        """
    ).fetchall()
    closed = _closed(connection)
    grouped: dict[tuple[str, str], list[tuple[str, date, str | None, str, str, Decimal]]] = {}
    for tie_out, _, first_on, entity_key, entity_id, property_id, difference, look_at in firsts:
        entry = first_entry(look_at)
        # Without an entry, comparisons of one property on one day are taken for one break.
        key = (entry, "" if entry else f"{entity_key}|{property_id}|{first_on}")
        grouped.setdefault(key, []).append((tie_out, first_on, entity_key, entity_id, property_id, difference))
    return [_break(entry, rows, closed) for (entry, _), rows in grouped.items()]


def first_entry(look_at: str) -> str:
    """The first entry of a comparison's list: `table id (file row n)`. Commas inside parentheses and quotes are its
    own."""
    depth, quoted = 0, False
    for place, character in enumerate(look_at):
        quoted ^= character == '"'
        depth += {"(": 1, ")": -1}.get(character, 0) if not quoted else 0
        if not depth and not quoted and look_at.startswith(LOOK_SEPARATOR, place) and look_at[:place].endswith(")"):
            return look_at[:place]
    return look_at


def _break(
    entry: str,
    rows: Sequence[tuple[str, date, str | None, str, str, Decimal]],
    closed: dict[str, list[tuple[str, date]]],
) -> Break:
    _, first_on, _, entity_id, property_id, difference = rows[0]
    reported = tuple(
        sorted({
            period
            for _, since, key, *_ in rows
            for period, period_end in closed.get(key or "", [])
            if since <= period_end
        })
    )  # fmt: skip
    names = tuple(dict.fromkeys(row[0] for row in rows))
    return Break(first_on, entity_id, property_id, entry, difference, names, reported)


def _closed(connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[str, date]]]:
    """The closed months of each entity since its books began: closing a month closes all before it.

    A failed build may have stopped before `int_tie_outs__closed_months` was made; what it is made of was there first.
    """
    months: dict[str, list[tuple[str, date]]] = {}
    for entity_key, period, period_end in connection.execute(
        """
        with closed as (
            select entity_key, max(period_start) as last_month from core.int_closes__periods group by entity_key
        ),
        begun as (
            select entity_key, min(accounting_on) as first_on from core.int_events__entries group by entity_key
        )
        select entity_key, strftime(month_start, '%Y-%m'), last_day(month_start)
        from (
            select
                closed.entity_key,
                cast(unnest(generate_series(
                    date_trunc('month', least(begun.first_on, closed.last_month)), closed.last_month, interval 1 month
                )) as date) as month_start
            from closed
            left join begun using (entity_key)
        )
        order by 1, 2
        """
    ).fetchall():
        months.setdefault(entity_key, []).append((period, period_end))
    return months
