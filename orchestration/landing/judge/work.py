"""The rows that are judged: typed into the table `work`, with what each names found; and let in from there.

A row is kept here by its place among the landed ones (`n`) and by the few columns that others are judged by; when it
enters it is read once more. So the whole width of a row is written twice, as it landed and as it was accepted, and what
landing needs of memory is a fraction of the rows.
"""

from __future__ import annotations

import re
from functools import cache

from orchestration.contract import Column, Table
from orchestration.landing.judge.between_rows import BELONGS_TO_NOBODY, failures, held_back
from orchestration.landing.judge.expressions import UNIT, found_name, landing, literal, name, written_out
from orchestration.landing.judge.row_faults import row_faults
from orchestration.landing.judge.rows import RECORDED, WHERE_IT_LANDED, read_faulty
from orchestration.landing.store import LINEAGE


def judged_columns(table: Table) -> list[str]:
    """Columns that a row is judged by beside other rows: those that name one, and those that the SQL of `failures` and
    `held_back` names. Only these are kept at hand for every row; the rest is read again from the landed row when it
    enters."""
    words = _words(table)
    by = {c.reference.by for c in table.references if c.reference is not None}
    return [
        c.name
        for c in (*table.columns, RECORDED)
        if c.reference is not None or c.name in words or c.name in by or c.key_name in words
    ]


@cache
def _words(table: Table) -> frozenset[str]:
    """Every word of the SQL that judges rows of a table beside other rows: more than the columns, never fewer."""
    said = " ".join((*failures(table, "", run_is_complete=False), *held_back(table), BELONGS_TO_NOBODY))
    return frozenset(re.findall(r"[a-z_0-9]+", said))


def work_columns(table: Table) -> tuple[str, ...]:
    """The columns of `work` that come from the row itself."""
    claimed = ("claimed_lease_id",) if table.name == "payments" else ()
    return (
        *WHERE_IT_LANDED,
        *map(name, judged_columns(table)),
        *claimed,
        "row_key",
        "amount_tied",
        "fault",
        "known_version",
    )


def type_rows(table: Table, read: str, overruled: str | None) -> list[str]:
    """SQL for the temp table `work` from `read` (`read_rows`): the columns to judge by, row_key, the tied amount, the
    first fault, and what its ids name.

    A fault whose reason is `overruled` (a named person lets the row in) is not looked for. This one table is worked on
    until it is empty: faulty rows and rows of hard keys are taken out, then what enters. `seq` orders rows of one key.
    """
    amount = f"TRY_CAST({name(table.amount)} AS DECIMAL(18,2))" if table.amount else "CAST(NULL AS DECIMAL(18,2))"
    faults = " ".join(
        f"WHEN {fault.when} THEN {literal(fault.reason)}" for fault in row_faults(table) if fault.reason != overruled
    )
    made = {
        "amount_tied": f"{amount} AS amount_tied",
        "fault": written_out(f"CASE WHEN profile_fault IS NOT NULL THEN profile_fault {faults} END AS fault"),
        "known_version": "0 AS known_version",
    }
    typed = ", ".join(made.get(column, column) for column in work_columns(table))
    rows = f"(SELECT {typed}, CAST(1 AS BIGINT) AS seq FROM {read})"
    return [f"CREATE OR REPLACE TEMP TABLE work AS {resolved(table, rows)}", *payees(table)]


def faulty_rows(table: Table, pending: str) -> list[str]:
    """SQL that takes the rows with a fault out of `work` into `decided`, everything wrong with a row in one detail.

    Only these rows are read a second time: what is wrong with a row is told at length. Of a row that its profile could
    not read, only what the profile says: the rest would speak of another layout.
    """
    details = ", ".join(f"CASE WHEN {fault.when} THEN {fault.detail} END" for fault in row_faults(table))
    own = f"(SELECT p.* FROM {pending} p SEMI JOIN faulty USING (n))"
    return [
        "CREATE OR REPLACE TEMP TABLE faulty AS SELECT n, fault, amount_tied, row_key FROM work"
        " WHERE fault IS NOT NULL",
        "DELETE FROM work WHERE fault IS NOT NULL",
        "INSERT INTO decided SELECT n, batch_no, row_number, 'quarantined', fault, coalesce(profile_detail,"
        f" array_to_string(list_filter([{details}], lambda x: x IS NOT NULL), ' ')), amount_tied, faulty.row_key,"
        f" is_new FROM {read_faulty(table, own)} JOIN faulty USING (n)",
    ]


def _target_key(column: Column) -> str:
    """SQL for the key that a reference is looked for by, in the target table."""
    reference = column.reference
    assert reference is not None
    if reference.by is not None:
        return f"chart_key || {UNIT} || {name(reference.column)}"
    target = Column(name=reference.column, type="id", description="")
    return name(target.key_name or reference.column)


def key_of(column: Column, row: str, found: str | None) -> str:
    """SQL for the key of an id of `row`, by where the row it names was `found`; for its own id, its own system's."""
    value = f"{row}.{name(column.name)}"
    own = f"{row}.source_system || ':' || {value}"
    return own if found is None else f"CASE {found} WHEN 1 THEN {own} WHEN 2 THEN 'default:' || {value} END"


def resolved(table: Table, rows: str) -> str:
    """A SELECT of `rows` (columns of `work` without a word of this) with, for every id that names a row, where it was
    found (its own source system, else `default`), and with the keys that rows are judged by."""
    places: list[str] = []
    joins: list[str] = []
    keys: list[str] = []
    lease = None
    words = _words(table)
    for number, column in enumerate(table.columns):
        key_name = column.key_name
        value = f"w.{name(column.name)}"
        reference = column.reference
        suspends = reference is not None and reference.if_unknown == "suspend"
        if reference is not None:
            tail = "" if reference.by is None else f" || {UNIT} || {value}"
            head = value if reference.by is None else f"w.{name(reference.by)}"
            target = f"(SELECT DISTINCT {_target_key(column)} AS k FROM {landing(reference.table)})"
            joins.append(f"LEFT JOIN {target} o{number} ON o{number}.k = w.source_system || ':' || {head}{tail}")
            joins.append(
                f"LEFT JOIN {target} d{number} ON w.source_system <> 'default'"
                f" AND d{number}.k = 'default:' || {head}{tail}"
            )
            unknown = f" WHEN {value} IS NOT NULL THEN 1" if reference.if_unknown == "keep" else ""
            places.append(
                f"CAST(CASE WHEN o{number}.k IS NOT NULL THEN 1 WHEN d{number}.k IS NOT NULL THEN 2{unknown} END AS"
                f" UTINYINT) AS {found_name(column)}"
            )
        if key_name is not None and (key_name in words or suspends):
            found = None if reference is None else found_name(column)
            keys.append(f"{key_of(column, 'w', found)} AS {name(key_name)}")
        if suspends:
            lease = column.name
    claimed = ""
    if lease is not None:
        claimed = f" REPLACE (CASE WHEN lease_key IS NULL THEN {lease} END AS claimed_lease_id,"
        claimed += f" CASE WHEN lease_key IS NOT NULL THEN {lease} END AS {lease})"
    found = f"SELECT {', '.join(['w.*', *places])} FROM {rows} w {' '.join(joins)}"
    return f"SELECT *{claimed} FROM (SELECT {', '.join(['w.*', *keys])} FROM ({found}) w)"


def resolve_again(table: Table) -> list[str]:
    """SQL that looks anew for what the rows that are left in `work` name: more is known after a round."""
    columns = [f"w.{column}" for column in (*work_columns(table), "seq")]
    if table.name == "payments":
        columns = [c for c in columns if c not in ('w."lease_id"', "w.claimed_lease_id")]
        columns += ["coalesce(lease_id, claimed_lease_id) AS lease_id", "CAST(NULL AS VARCHAR) AS claimed_lease_id"]
    rows = f"(SELECT {', '.join(columns)} FROM left_over w)"
    return [
        "CREATE OR REPLACE TEMP TABLE left_over AS SELECT * FROM work",
        f"CREATE OR REPLACE TEMP TABLE work AS {resolved(table, rows)}",
        *payees(table),
    ]


def payees(table: Table) -> list[str]:
    """Where there is only one entity, money that names none was paid to it."""
    if table.name != "payments":
        return []
    only = "SELECT CASE WHEN count(DISTINCT entity_key) = 1 THEN min(entity_key) END FROM landing.entities"
    return [f"UPDATE work r SET entity_key = ({only}) WHERE {BELONGS_TO_NOBODY}"]


def enter(table: Table, read: str, moment: str) -> str:
    """SQL that appends the rows of `work` that need not stay to the accepted ones, at `moment`.

    The row is read once more from where it landed (`read`, as `read_rows`), so that its whole width is written once.
    What was found out about a payment (the lease it claimed, the entity it belongs to) is taken from `work`.
    """
    lineage = {column for column, _ in LINEAGE}
    values = {column: f"read_rows.{name(column)}" for column in table.names if column not in lineage}
    for column in table.columns:
        if column.key_name is not None:
            found = None if column.reference is None else f"r.{found_name(column)}"
            values[column.key_name] = key_of(column, "read_rows", found)
    if table.name == "payments":
        values |= {column: f"r.{column}" for column in ("lease_id", "claimed_lease_id", "lease_key", "entity_key")}
    if table.name == "period_closes":
        values["registered_at"] = moment
    values |= {
        "source_system": "read_rows.source_system",
        "recorded_at": "read_rows.recorded_at",
        "row_key": "read_rows.row_key",
        # A key met for the first time enters one row a round, so seq counts on from what is known.
        "version_no": "r.known_version + r.seq",
        "batch_id": "read_rows.batch_id",
        "file": "read_rows.file",
        "row_number": "read_rows.row_number",
        "loaded_at": "read_rows.landed_at",
        "accepted_at": moment,
    }
    return (
        f"INSERT INTO {landing(table.name)} ({', '.join(name(c) for c in values)})"
        f" SELECT {', '.join(values.values())} FROM {read}"
        " JOIN (SELECT * FROM work ANTI JOIN staying USING (n)) r USING (n)"
    )
