"""What a controller looks at before a month is closed, item by item, as it stands in the published build.

What refuses the close, unless a person accepts it with a reason: a comparison that differs; a batch that is missing; a
row in quarantine that would be booked in this month or before it, or that may be; money that was in suspense already
when the month began; a late fee of the month that nothing proves lawful, or that is above what is lawful. The rest is
there to be seen: what waits for a later month, what came into suspense this month, what was compared with nothing. All
of it is kept with the close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from typing import Any

import duckdb

from orchestration.contract import contract
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
    """One line of the checklist: how many were looked at, how many are open, and these in words. The first `refuses` of
    them refuse the close; the others are to be seen."""

    name: str
    looked_at: int
    open: int
    lines: tuple[str, ...] = ()
    refuses: int = 0

    @property
    def refusing(self) -> tuple[str, ...]:
        return self.lines[: self.refuses]

    def text(self) -> list[str]:
        seen = self.open - self.refuses
        states = [
            *([f"{self.refuses} REFUSE{'S' if self.refuses == 1 else ''}"] if self.refuses else []),
            *([f"{seen} to be seen"] if seen else []),
        ]
        state = ", ".join(states) or "in order"
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
    the entity up to the end of the month (promised batches, refused files, control totals that differ).

    Closing a month closes the open months before it, for good: what is asked of the month is asked of them too."""
    entity = [source_system, entity_id]
    since = _open_since(connection, entity, first)
    accounts = _settlement_accounts(connection, entity)
    return [
        _tie_outs(connection, entity, since, last, accounts),
        Item("completeness", len(build.manifest["batches"]), len(incomplete), tuple(incomplete), len(incomplete)),
        _quarantine(connection, entity, last),
        _suspense(connection, entity, first, last),
        _late_fees(connection, entity, since, last),
        _unproven(connection, entity, since, last, accounts),
        _late(connection, entity, since, last),
    ]


def _open_since(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date) -> date:
    """The first day of the first month that is open, if that is before the month."""
    found = connection.execute(
        "select min(period_start) from marts.close_status "
        "where source_system = ? and entity_id = ? and not is_closed and period_start < ?",
        [*entity, first],
    ).fetchone()
    return (found and found[0]) or first


def _key(entity: list[str]) -> str:
    """The key of the entity. What is in its books may come from files of another source system: those of a lockbox."""
    return ":".join(entity)


def as_record(items: Sequence[Item]) -> list[dict[str, Any]]:
    """The checklist as it is kept with a close."""
    return [asdict(item) for item in items]


def _settlement_accounts(connection: duckdb.DuckDBPyConnection, entity: list[str]) -> list[str]:
    """The settlement accounts on which money of the entity came, as comparisons with a bank name them. Where several
    owners share one, its comparison is of no entity: what differs there may be any of theirs, so each is asked."""
    rows = connection.execute(
        "select distinct 'settlement account ' || settlement_account from core.int_events__settled "
        "where entity_key = ? order by 1",
        [_key(entity)],
    ).fetchall()
    return [subject for (subject,) in rows]


def _of_entity(entity: list[str], accounts: Sequence[str]) -> tuple[str, list[Any]]:
    """Which comparisons are of the entity, as a condition and its parameters."""
    if not accounts:
        return "source_system = ? and entity_id = ?", [*entity]
    return (
        "(source_system = ? and entity_id = ? or entity_id is null and tie_out_no = 7 and list_contains(?, subject))",
        [*entity, list(accounts)],
    )


def _tie_outs(
    connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date, accounts: Sequence[str] = ()
) -> Item:
    of_entity, parameters = _of_entity(entity, accounts)
    where = (
        f"{of_entity} and as_of between ? and ? "
        "and tie_out <> 'control_totals__to__ledger'"  # these are told as what is incomplete
    )
    parameters += [first, last]
    made = _one(connection, f"select count(*) from marts.tie_outs where {where}", parameters)
    cursor = connection.execute(
        f"select * from marts.tie_outs where {where} and (difference <> 0 or difference is null) "
        "order by as_of, tie_out, property_id",
        parameters,
    )
    names = [column[0] for column in cursor.description]
    found = tuple(row_text(dict(zip(names, row, strict=True))) for row in cursor.fetchall())
    return Item("tie-outs", made, len(found), found, len(found))


@cache
def _dated_money() -> dict[str, str]:
    """Tables whose rows are amounts on an account or in suspense -> the column that says on which day."""
    return {
        table.name: table.dated_by
        for table in contract().tables.values()
        if table.kind == "fact"
        and table.amount
        and table.dated_by
        and {column.reference.table for column in table.columns if column.reference} & {"leases", "payments"}
    }


def _quarantine(connection: duckdb.DuckDBPyConnection, entity: list[str], last: date) -> Item:
    """Open rows of the entity's source system, and those of other systems that may be the entity's: a file of a lockbox
    names leases of the default system. A row of money refuses when its day is in the month or before it, or cannot be
    read, and when it is the entity's, or nothing in it says whose it is."""
    days = " ".join(f"when '{table}' then raw ->> '{column}'" for table, column in _dated_money().items())
    rows = connection.execute(
        f"""
        with held as (
            select
                quarantine_id, "table", reason, amount, file, row_number,
                -- A day that the door would not take (the year 26) is no day that says where the row belongs.
                try_cast(case "table" {days} end as date) as read_on,
                case when read_on between date '1900-01-01' and date '2199-12-31' then read_on end as dated_on,
                coalesce(raw ->> 'lease_id', raw ->> 'from_lease_id', raw ->> 'to_lease_id') as lease_id,
                raw ->> 'payment_id' as payment_id, raw ->> 'entity_id' as entity_id, source_system,
                source_system <> $system
                and source_system in (select source_system from core.int_portfolio__entities) as is_of_others
            from marts.quarantine
            where status = 'open' and ($system in (source_system, 'default'))
        ),
        -- An id is one of the row's own system, or else of the default one.
        owners as (
            select held.quarantine_id, properties.entity_key
            from held
            join core.int_portfolio__leases as leases
                on leases.source_system in (held.source_system, 'default') and leases.lease_id = held.lease_id
            join core.int_portfolio__properties as properties on properties.property_key = leases.property_key
            qualify leases.source_system = held.source_system
                or not bool_or(leases.source_system = held.source_system) over (partition by held.quarantine_id)
            union
            select held.quarantine_id, entries.entity_key
            from held
            join core.int_events__entries as entries
                on entries.source_table = 'payments'
                and entries.source_key in (held.source_system || ':' || held.payment_id, 'default:' || held.payment_id)
            qualify starts_with(entries.source_key, held.source_system || ':')
                or not bool_or(starts_with(entries.source_key, held.source_system || ':'))
                    over (partition by held.quarantine_id)
            union
            select held.quarantine_id, entities.entity_key
            from held
            join core.int_portfolio__entities as entities
                on entities.source_system in (held.source_system, 'default') and entities.entity_id = held.entity_id
            qualify entities.source_system = held.source_system
                or not bool_or(entities.source_system = held.source_system) over (partition by held.quarantine_id)
        )
        select
            list_contains($money, "table") and (dated_on <= $last or dated_on is null)
            and (
                quarantine_id in (select quarantine_id from owners where entity_key = $entity)
                or (not is_of_others and quarantine_id not in (select quarantine_id from owners))
            ) as refuses,
            "table", reason, amount, dated_on, file, row_number
        from held
        where not is_of_others or quarantine_id in (select quarantine_id from owners where entity_key = $entity)
        order by refuses desc, dated_on, file, row_number
        """,
        {"system": entity[0], "entity": _key(entity), "last": last, "money": list(_dated_money())},
    ).fetchall()
    lines = tuple(
        f"{file} row {row}: {table}, {reason}, {f'{amount:,.2f}' if amount is not None else 'no amount can be read'}, "
        f"{f'dated {on}' if on else 'no day can be read'}"
        for _, table, reason, amount, on, file, row in rows
    )
    return Item("quarantine", len(rows), len(rows), lines, sum(1 for row in rows if row[0]))


def _suspense(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date) -> Item:
    """Receipts that stand in suspense at the end of the month, the oldest first; those of before the month refuse."""
    rows = connection.execute(
        """
        select
            min(moved.business_on) as received_on, sum(moved.amount) as amount,
            max(case when moved.source_table = 'payments' then moved.source_id end) as payment_id
        from core.int_events__suspense as moved
        join core.int_events__facts as facts using (source_table, source_key)
        where moved.entity_key = ? and moved.accounting_on <= ?
        group by case when source_table = 'payments' then source_key else facts.names_key end
        having sum(moved.amount) <> 0
        order by received_on, payment_id
        """,
        [_key(entity), last],
    ).fetchall()
    lines = tuple(f"{payment} of {on} over {amount:,.2f} has no lease" for on, amount, payment in rows)
    return Item("suspense", len(rows), len(rows), lines, sum(1 for row in rows if row[0] < first))


def _late_fees(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date) -> Item:
    """Late fees booked in the month. What is unproven, or above what is lawful, refuses until it is waived."""
    rows = connection.execute(
        """
        select
            audit.charge_id, audit.lease_id, audit.posted, audit.verdict, audit.overcharge_left, audit.unproven_left
        from marts.late_fee_audit as audit
        join core.int_events__entries as entries
            on entries.source_table = 'charges' and entries.source_system = audit.source_system
            and entries.source_id = audit.charge_id
        where
            entries.entity_key = ? and entries.accounting_on between ? and ?
        order by audit.charge_id
        """,
        [_key(entity), first, last],
    ).fetchall()
    lines = tuple(
        f"{charge} of lease {lease} over {posted:,.2f}: {verdict.replace('_', ' ')}"
        + (
            f"; nothing on file proves {unproven:,.2f} of it"
            if unproven
            else f"; {overcharge:,.2f} of it is not lawful"
        )
        for charge, lease, posted, verdict, overcharge, unproven in rows
        if unproven or overcharge
    )
    return Item("late fees", len(rows), len(lines), lines, len(lines))


def _unproven(
    connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date, accounts: Sequence[str] = ()
) -> Item:
    of_entity, parameters = _of_entity(entity, accounts)
    compared = {
        number
        for (number,) in connection.execute(
            f"select distinct tie_out_no from marts.tie_outs where {of_entity} and as_of between ? and ?",
            [*parameters, first, last],
        ).fetchall()
    }
    lines = [text for number, text in NOT_COMPARED.items() if number not in compared]
    assumed = _one(
        connection,
        "select count(*) from core.int_events__entries "
        "where entity_key = ? and recorded_assumed and accounting_on between ? and ?",
        [_key(entity), first, last],
    )
    if assumed:
        lines.append(f"when it was recorded is missing on {assumed} of the month's entries; midnight was assumed")
    lines += _retained_earnings(connection, entity)
    lines += _concessions_not_as_granted(connection, entity, last)
    return Item("unproven figures", len(NOT_COMPARED) + 3, len(lines), tuple(lines))


def _retained_earnings(connection: duckdb.DuckDBPyConnection, entity: list[str]) -> list[str]:
    """The result of a fiscal year goes to the one account with that role; the trial balance nets without it, too."""
    accounts = [
        account
        for (account,) in connection.execute(
            "select distinct accounts.account from core.int_portfolio__entities as entities "
            "join core.int_portfolio__gl_accounts as accounts using (chart_key) "
            "where entities.entity_key = ? and accounts.role = 'retained_earnings' order by 1",
            [_key(entity)],
        ).fetchall()
    ]
    if not accounts:
        return ["no account of the chart has the role retained_earnings: income and expense of past years stay open"]
    if len(accounts) > 1:
        return [f"{', '.join(accounts)} all have the role retained_earnings: results of past years go to {accounts[0]}"]
    return []


def _concessions_not_as_granted(connection: duckdb.DuckDBPyConnection, entity: list[str], last: date) -> list[str]:
    """Concessions whose term ran to its end without the amount of their record: deferred rent is left of them in the
    straight-line book, until the record is corrected or the rest is given."""
    rows = connection.execute(
        """
        select concessions.concession_id, concessions.lease_id, concessions.granted_amount, concessions.given_amount
        from marts.concessions as concessions
        join core.int_portfolio__leases as leases using (source_system, lease_id)
        join core.int_portfolio__properties as properties
            on properties.property_key = leases.property_key
            and properties.valid_from <= $last and (properties.valid_to is null or $last < properties.valid_to)
        where
            properties.entity_key = $entity and concessions.term_to <= $last and concessions.ended_on is null
            and concessions.given_amount <> concessions.granted_amount
        order by concessions.concession_id
        """,
        {"entity": _key(entity), "last": last},
    ).fetchall()
    return [
        f"concession {concession} of lease {lease}: {given:,.2f} of {granted:,.2f} was given when its term ended; the "
        "difference stays in the deferred rent of the straight-line book"
        for concession, lease, granted, given in rows
    ]


def _late(connection: duckdb.DuckDBPyConnection, entity: list[str], first: date, last: date) -> Item:
    rows = connection.execute(
        "select source_table, source_id, entry_on, amount, file, row_number from gl.int_late_arrivals__entries "
        "where entity_key = ? and accounting_on between ? and ? order by entry_on, source_id",
        [_key(entity), first, last],
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
