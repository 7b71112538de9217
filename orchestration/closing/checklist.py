"""What a controller looks at before a month is closed, item by item, as it stands in the published build.

An item either refuses the close (a comparison that differs, a batch that is missing: both may be accepted with a
reason) or is there to be seen: rows in quarantine, money in suspense, and figures that nothing proves. What waits is
in no figure of the books, so it cannot make one wrong; but whoever closes the month has seen it, because it is kept
with the close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

import duckdb

from orchestration.home import Build
from orchestration.publishing.rows import row_text

SHOWN = 5
#: Comparisons that are only made where the other side was loaded, and what then is not proven.
NOT_COMPARED = {
    6: "no balances of the general ledger (gl_balances) were loaded for the month: the derived ledger is unproven",
    7: "no deposits of a bank (bank_deposits) were loaded for the month: receipts are unproven there",
}


@dataclass(frozen=True)
class Item:
    """One line of the checklist: how many were looked at, how many are open, the first of them in words."""

    name: str
    looked_at: int
    open: int
    lines: tuple[str, ...] = ()
    refuses: bool = False

    def text(self) -> list[str]:
        state = (
            "in order"
            if not self.open
            else f"{self.open} REFUSE{'S' if self.open == 1 else ''}"
            if self.refuses
            else f"{self.open} to be seen"
        )
        shown = [f"      {line}" for line in self.lines[:SHOWN]]
        more = len(self.lines) - SHOWN
        return [f"  {self.name:<18} {state}", *shown, *([f"      and {more} more"] if more > 0 else [])]


def checklist(
    connection: duckdb.DuckDBPyConnection,
    build: Build,
    source_system: str,
    entity_id: str,
    first: date,
    last: date,
    incomplete: Sequence[str],
) -> list[Item]:
    """The items of a month of an entity. `connection` reads the published build; `incomplete` says what is missing for
    the entity up to the end of the month (promised batches, refused files, control totals that differ)."""
    entity = [source_system, entity_id]
    return [
        _tie_outs(connection, entity, first, last),
        Item("completeness", len(build.manifest["batches"]), len(incomplete), tuple(incomplete), refuses=True),
        _quarantine(connection, source_system),
        _suspense(connection, entity, last),
        _unproven(connection, entity, first, last),
        _late(connection, entity, first),
    ]  # fmt: skip


def as_record(items: Sequence[Item]) -> list[dict[str, Any]]:
    """The checklist as it is kept with a close."""
    return [asdict(item) for item in items]


def _tie_outs(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date) -> Item:
    where = "source_system = ? and entity_id = ? and as_of between ? and ?"
    made = _one(connection, f"select count(*) from marts.tie_outs where {where}", [*entity, first, last])
    cursor = connection.execute(
        f"select * from marts.tie_outs where {where} and (difference <> 0 or difference is null) "
        "order by as_of, tie_out, property_id",
        [*entity, first, last],
    )
    names = [column[0] for column in cursor.description]
    found = tuple(row_text(dict(zip(names, row, strict=True))) for row in cursor.fetchall())
    return Item("tie-outs", made, len(found), found, refuses=True)


def _quarantine(connection: duckdb.DuckDBPyConnection, source_system: str) -> Item:
    rows = connection.execute(
        "select \"table\", reason, count(*), min(file || ' row ' || row_number) from marts.quarantine "
        "where status = 'open' and source_system = ? group by 1, 2 order by 3 desc, 1, 2",
        [source_system],
    ).fetchall()
    lines = tuple(f"{number} of {table}: {reason}, for instance {where}" for table, reason, number, where in rows)
    return Item("quarantine", sum(row[2] for row in rows), sum(row[2] for row in rows), lines)


def _suspense(connection: duckdb.DuckDBPyConnection, entity: list[str], last: date) -> Item:
    rows = connection.execute(
        "select right_amount from marts.tie_outs where source_system = ? and entity_id = ? and as_of = ? "
        "and tie_out = 'unmatched_receipts__to__suspense_account' and right_amount <> 0",
        [*entity, last],
    ).fetchall()
    lines = tuple(f"{amount} received for no lease stands in suspense on {last}" for (amount,) in rows)
    return Item("suspense", 1, len(lines), lines)


def _unproven(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date) -> Item:
    compared = {
        number
        for (number,) in connection.execute(
            "select distinct tie_out_no from marts.tie_outs where source_system = ? and entity_id = ? "
            "and as_of between ? and ?",
            [*entity, first, last],
        ).fetchall()
    }
    lines = [text for number, text in NOT_COMPARED.items() if number not in compared]
    assumed = _one(
        connection,
        "select count(*) from core.int_events__entries "
        "where source_system = ? and entity_id = ? and recorded_assumed and accounting_on between ? and ?",
        [*entity, first, last],
    )
    if assumed:
        lines.append(f"{assumed} entries of the month came without the time they were recorded; midnight was assumed")
    return Item("unproven figures", len(NOT_COMPARED) + 1, len(lines), tuple(lines))


def _late(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date) -> Item:
    rows = connection.execute(
        "select source_table, source_id, entry_on, amount, file, row_number from marts.late_arrivals "
        "where source_system = ? and entity_id = ? and period = ? order by entry_on, source_id",
        [*entity, f"{first:%Y-%m}"],
    ).fetchall()
    lines = tuple(
        f"{table} {source_id} of {on} over {amount} was booked in this month ({file} row {row})"
        for table, source_id, on, amount, file, row in rows
    )
    return Item("late arrivals", len(rows), len(rows), lines)


def _one(connection: duckdb.DuckDBPyConnection, sql: str, parameters: list[Any]) -> int:
    found = connection.execute(sql, parameters).fetchone()
    assert found is not None
    return int(found[0])
