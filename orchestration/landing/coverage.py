"""What a file covers: the days its rows count on, for which property and entity; and the period it is named for.

This is what came, to be held against what was expected. Every landed row counts here, whatever was decided about it: a
row that waits in quarantine did come, and a duplicate shows that the source still says so.
"""

from __future__ import annotations

import re

import duckdb

from orchestration.contract import Table, contract
from orchestration.landing.judge.expressions import name

_PERIOD = re.compile(
    r"(?<![0-9])(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?(?![0-9]|-[0-9])"
)


def named_period(file: str) -> str | None:
    """The month (`2026-10`) or day (`2026-10-05`) that a file is named for; None where it names none, or several."""
    found = set(_PERIOD.findall(file))
    return found.pop() if len(found) == 1 else None


def note_days(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring `batch_days` up to date: a row per batch, source system, day, property and entity, with its landed rows.

    Batches that are not noted yet are, and those with rows whose lease or payment was not known are noted again. A file
    without rows has one row without a day.
    """
    todo = connection.execute(
        "SELECT table_name, list(batch_id) FROM landing.batches b WHERE status = 'loaded'"
        " AND (b.batch_id NOT IN (SELECT batch_id FROM landing.batch_days)"
        " OR b.batch_id IN (SELECT batch_id FROM landing.batch_days WHERE NOT is_placed)) GROUP BY table_name"
    ).fetchall()
    for table_name, batches in todo:
        connection.execute("DELETE FROM landing.batch_days WHERE list_contains(?, batch_id)", [batches])
        connection.execute(f"INSERT INTO landing.batch_days {_days(contract()[table_name])}", [batches])
    connection.execute(
        "INSERT INTO landing.batch_days SELECT batch_id, source_system, NULL, NULL, NULL, 0, true, true"
        " FROM landing.batches WHERE status = 'loaded' AND batch_id NOT IN (SELECT batch_id FROM landing.batch_days)"
    )


def _days(table: Table) -> str:
    """A SELECT of `batch_days` for the batches of the table given as its one parameter."""
    names = table.names
    joins: list[str] = []

    def found(relation: str, column: str, key: str, value: str) -> str:
        """Join `relation` by the row's id, in its own source system, else in `default`. Returns SQL for the value."""
        ids = f"trim(l.{name(column)})"
        at = len(joins)
        joins.append(f" LEFT JOIN {relation} o{at} ON o{at}.{key} = l.source_system || ':' || {ids}")
        joins.append(f" LEFT JOIN {relation} d{at} ON d{at}.{key} = 'default:' || {ids}")
        return f"coalesce(o{at}.{value}, d{at}.{value})"

    day = f"TRY_CAST(trim(l.{name(table.dated_by)}) AS DATE)" if table.dated_by else "CAST(NULL AS DATE)"
    property_key = entity_key = "CAST(NULL AS VARCHAR)"
    names_place = "false"
    if "lease_id" in names:
        property_key = found("places", "lease_id", "lease_key", "property_key")
        names_place = "l.lease_id IS NOT NULL"
    elif "payment_id" in names:
        property_key = found("paid", "payment_id", "payment_key", "property_key")
        names_place = "l.payment_id IS NOT NULL"
    elif "property_id" in names and table.name != "properties":
        property_key = found("properties", "property_id", "property_key", "property_key")
        names_place = "l.property_id IS NOT NULL"
    if "entity_id" in names and table.name != "entities":
        entity_key = found("entities", "entity_id", "entity_key", "entity_key")
    return (
        "WITH places AS (SELECT lease_key, arg_max(property_key, version_no) AS property_key FROM landing.leases"
        " GROUP BY lease_key), properties AS (SELECT DISTINCT property_key FROM landing.properties),"
        " entities AS (SELECT DISTINCT entity_key FROM landing.entities),"
        " paid AS (SELECT m.payment_key, x.property_key FROM landing.payments m JOIN places x USING (lease_key)"
        f" WHERE m.version_no = 1), placed AS (SELECT l.batch_id, l.source_system, {day} AS business_on,"
        f" {property_key} AS property_key, {entity_key} AS entity_key,"
        f" NOT ({names_place} AND {property_key} IS NULL) AS is_placed"
        f" FROM landing.{name('landed_' + table.name)} l{''.join(joins)} WHERE list_contains(?, l.batch_id))"
        " SELECT batch_id, source_system, business_on, property_key, entity_key, count(*),"
        f" {'true' if table.dated_by else 'false'}, bool_and(is_placed)"
        " FROM placed GROUP BY batch_id, source_system, business_on, property_key, entity_key"
    )
