"""Letting rows in, table by table, round by round, until nothing more enters; then writing down what was decided.

Works inside the caller's transaction. A row that names one that is not there yet simply fails this round and is tried
again in the next; what still fails when a round lets nothing in waits in quarantine and is judged again by every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import available_timezones

import duckdb

from orchestration.contract import Table, contract
from orchestration.landing.judge.between_rows import failures, held_back
from orchestration.landing.judge.expressions import literal, name
from orchestration.landing.judge.keys import find_hard_keys, settle_hard_keys, settled_rows
from orchestration.landing.judge.row_faults import source_of_steps
from orchestration.landing.judge.rows import read_rows
from orchestration.landing.judge.work import enter, faulty_rows, resolve_again, type_rows
from orchestration.landing.store import PROFILE_FAULTS, landed_columns

#: ISO 4217 codes in use whose minor unit has two decimals: without funds and metals, and without the ouguiya and the
#: ariary, which are divided by five.
CURRENCIES = """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
    CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
    JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK
    NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
    TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
"""


@dataclass(frozen=True)
class Run:
    """The run that judges: its one moment (naive UTC), its name, who decides, and whether it read every file."""

    loaded_at: datetime
    run_id: str
    is_complete: bool
    decided_by: str = "run"
    overrules: str | None = None

    @property
    def moment(self) -> str:
        """`loaded_at` as an SQL literal."""
        return f"TIMESTAMP '{self.loaded_at:%Y-%m-%d %H:%M:%S.%f}'"


def prepare(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the small temp tables that row checks look into."""
    connection.execute("CREATE OR REPLACE TEMP TABLE door_currencies AS SELECT unnest(?) AS code", [CURRENCIES.split()])
    # A zone must be known to Python, which the pages use, and to DuckDB, which the warehouse uses.
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE door_time_zones AS SELECT z.zone FROM (SELECT unnest(?) AS zone) z"
        " SEMI JOIN (SELECT name AS zone FROM pg_timezone_names()) d USING (zone) WHERE contains(z.zone, '/') OR"
        " z.zone = 'UTC'",
        [sorted(available_timezones())],
    )
    connection.execute("CREATE OR REPLACE TEMP TABLE door_bad_steps (steps VARCHAR, source VARCHAR, problem VARCHAR)")


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    found = connection.execute(query).fetchone()
    assert found is not None
    return int(found[0])


def judge_table(connection: duckdb.DuckDBPyConnection, table: Table, pending: str, run: Run) -> bool:
    """Judge the rows of `pending` (a relation of landed rows with landed_at and is_new) and write what was decided.

    Returns whether any row was accepted.
    """
    read = read_rows(table, pending)
    _find_bad_steps(connection, table, read)
    for statement in type_rows(table, read, run.overrules):
        connection.execute(statement)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE decided (n BIGINT, batch_no BIGINT, row_number BIGINT, verdict VARCHAR,"
        " reason VARCHAR, detail VARCHAR, amount DECIMAL(18,2), row_key VARCHAR, is_new BOOLEAN)"
    )
    if _count(connection, "SELECT count(*) FROM work WHERE fault IS NOT NULL"):
        for statement in faulty_rows(table, pending):
            connection.execute(statement)
    connection.execute(find_hard_keys(table))
    if _count(connection, "SELECT count(*) FROM hard"):
        for statement in settle_hard_keys(table, read):
            connection.execute(statement)
        connection.execute(f"INSERT INTO decided {settled_rows(table)}")
    accepted = 0
    while _count(connection, "SELECT count(*) FROM work"):
        if accepted:
            for statement in resolve_again(table):
                connection.execute(statement)
        entered = _round(connection, table, read, run)
        accepted += entered
        if not entered:
            break
    if _count(connection, "SELECT count(*) FROM work"):
        connection.execute(
            "INSERT INTO decided SELECT w.n, w.batch_no, w.row_number, 'quarantined', f.reason, f.detail,"
            " w.amount_tied, w.row_key, w.is_new FROM work w JOIN failed f USING (n)"
        )
    _write_down(connection, table, run)
    return accepted > 0


def _find_bad_steps(connection: duckdb.DuckDBPyConnection, table: Table, read: str) -> None:
    """Have every distinct list of steps read as the allocation will read it: what it would refuse must not enter."""
    for column in table.columns:
        if column.check != "steps":
            continue
        # Here, because it loads the compiled loop, which takes half a second: only who lands rules waits for it.
        from dbt_project.kernels.allocation.rules import RuleError, check_steps

        rows = connection.execute(
            f"SELECT DISTINCT {name(column.name)}, {source_of_steps(table)} FROM {read}"
            f" WHERE {name(column.name)} IS NOT NULL"
        ).fetchall()
        wrong = []
        for steps, source in rows:
            try:
                check_steps(steps, source)
            except RuleError as error:
                wrong.append((steps, source, str(error)))
        connection.execute("DELETE FROM door_bad_steps")
        if wrong:
            connection.executemany("INSERT INTO door_bad_steps VALUES (?, ?, ?)", wrong)


def _round(connection: duckdb.DuckDBPyConnection, table: Table, read: str, run: Run) -> int:
    """One round: what of `work` may enter enters. Leaves `failed` with one reason per row that may not."""
    found = failures(table, run.moment, run_is_complete=run.is_complete)
    union = " UNION ALL ".join(
        f"SELECT {place} AS place, n, reason, detail FROM ({select}) f(n, reason, detail)"
        for place, select in enumerate(found)
    )
    overruled = f" WHERE reason <> {literal(run.overrules)}" if run.overrules else ""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE failed AS SELECT n, arg_min(reason, place) AS reason, arg_min(detail,"
        " place) AS detail"
        f" FROM (SELECT * FROM ({union}){overruled}) GROUP BY n"
    )
    staying = ["SELECT n FROM failed", *held_back(table)]
    connection.execute(f"CREATE OR REPLACE TEMP TABLE staying AS {' UNION '.join(staying)}")
    entering = _count(connection, "SELECT (SELECT count(*) FROM work) - (SELECT count(*) FROM staying)")
    if not entering:
        return 0
    connection.execute(enter(table, read, run.moment))
    connection.execute(
        "INSERT INTO decided SELECT n, batch_no, row_number, 'loaded', NULL, NULL, amount_tied, row_key, is_new"
        " FROM work ANTI JOIN staying USING (n)"
    )
    connection.execute("DELETE FROM work WHERE n NOT IN (SELECT n FROM staying)")
    return entering


def _write_down(connection: duckdb.DuckDBPyConnection, table: Table, run: Run) -> None:
    """Append the verdicts that are new or changed, and bring the quarantine up to date."""
    by = literal(run.decided_by)
    label = literal(table.name)
    connection.execute(
        "INSERT INTO landing.verdicts SELECT b.batch_id, d.row_number, "
        f"{label}, d.verdict, d.reason, d.detail, d.amount, {run.moment}, {by} FROM decided d"
        " JOIN landing.batches b ON b.rowid = d.batch_no"
        " LEFT JOIN landing.quarantine q ON q.batch_id = b.batch_id AND q.row_number = d.row_number AND NOT d.is_new"
        " WHERE d.is_new OR d.verdict <> 'quarantined' OR d.reason IS DISTINCT FROM q.reason"
    )
    if _count(connection, "SELECT count(*) FROM decided WHERE NOT is_new"):
        connection.execute(
            "UPDATE landing.quarantine q SET reason = coalesce(d.reason, q.reason), detail = coalesce(d.detail,"
            " q.detail),"
            " row_key = coalesce(d.row_key, q.row_key),"
            " status = CASE WHEN d.verdict = 'quarantined' AND d.reason <> 'replaced_by_correction' THEN 'open'"
            " WHEN d.verdict = 'quarantined' THEN 'rejected' ELSE 'released' END,"
            f" resolved_by = CASE WHEN d.verdict <> 'quarantined' OR d.reason = 'replaced_by_correction' THEN {by} END,"
            " decided_at = CASE WHEN d.verdict <> 'quarantined' OR d.reason IS DISTINCT FROM q.reason THEN"
            f" {run.moment}"
            " ELSE q.decided_at END"
            " FROM decided d JOIN landing.batches b ON b.rowid = d.batch_no"
            " WHERE NOT d.is_new AND b.batch_id = q.batch_id AND d.row_number = q.row_number"
        )
    if _count(connection, "SELECT count(*) FROM decided WHERE is_new AND verdict = 'quarantined'"):
        own = ("batch_id", "file", "row_number", "unknown_columns", *PROFILE_FAULTS)
        shown = ", ".join(f"{literal(c)}, l.{name(c)}" for c, _ in landed_columns(table) if c not in own)
        connection.execute(
            "INSERT INTO landing.quarantine (quarantine_id, batch_id, source_system, file, row_number, table_name,"
            " reason, detail, raw, amount, status, resolved_by, first_seen_at, decided_at, row_key)"
            " SELECT left(sha256(l.batch_id || ':' || d.row_number), 16), l.batch_id, l.source_system, l.file,"
            f" d.row_number, {label}, d.reason, d.detail, CAST(json_object({shown}) AS VARCHAR), d.amount,"
            f" 'open', NULL, {run.moment}, {run.moment}, d.row_key"
            f" FROM decided d JOIN landing.{name('landed_' + table.name)} l"
            " ON l.rowid = d.n WHERE d.is_new AND d.verdict = 'quarantined'"
        )
    # A row with the same key that a later run landed, and that is in the books, settles what waited under that key.
    if _count(connection, f"SELECT count(*) FROM landing.quarantine WHERE status = 'open' AND table_name = {label}"):
        connection.execute(
            "UPDATE landing.quarantine q SET status = 'rejected', resolved_by = 'corrected by a later row',"
            f" decided_at = {run.moment} FROM (SELECT DISTINCT row_key FROM decided SEMI JOIN (SELECT row_key FROM"
            f" landing.quarantine WHERE status = 'open' AND table_name = {label}) USING (row_key)"
            f" SEMI JOIN landing.{name(table.name)} USING (row_key) WHERE verdict <> 'quarantined' AND is_new) d"
            f" WHERE q.status = 'open' AND q.table_name = {label} AND q.row_key = d.row_key"
            f" AND q.first_seen_at < {run.moment}"
        )


def find_late_links(connection: duckdb.DuckDBPyConnection) -> None:
    """Point links of other source systems to the row in `default` that arrived after them, where their own has none.

    A link is kept though nothing is known under it; its key is made here and no fact, so that it comes out the same
    whichever arrived first.
    """
    for table in contract():
        links = [c for c in table.references if c.reference is not None and c.reference.if_unknown == "keep"]
        accepted = f"landing.{name(table.name)}"
        if not links or not _count(connection, f"SELECT count(*) FROM {accepted} WHERE source_system <> 'default'"):
            continue
        for column in links:
            reference = column.reference
            assert reference is not None and column.key_name is not None
            target = contract()[reference.table].column(reference.column).key_name
            assert target is not None
            known = f"SELECT {name(target)} FROM landing.{name(reference.table)}"
            key, value = name(column.key_name), name(column.name)
            connection.execute(
                f"UPDATE {accepted} SET {key} = 'default:' || {value} WHERE source_system <> 'default'"
                f" AND {key} = source_system || ':' || {value} AND {key} NOT IN ({known})"
                f" AND 'default:' || {value} IN ({known})"
            )


def match_suspense(connection: duckdb.DuckDBPyConnection, run: Run) -> None:
    """Note which payments in suspense claimed a lease that is known by now and were not matched by anybody."""
    connection.execute(
        f"""INSERT INTO landing.suspense_resolutions
            SELECT p.row_key, p.payment_key, l.lease_key, l.lease_id, {run.moment}
            FROM landing.payments p
            JOIN (SELECT DISTINCT lease_key, lease_id FROM landing.leases) l
              ON l.lease_key IN (p.source_system || ':' || p.claimed_lease_id, 'default:' || p.claimed_lease_id)
            WHERE p.version_no = 1 AND p.lease_key IS NULL AND p.claimed_lease_id IS NOT NULL
              AND p.row_key NOT IN (SELECT row_key FROM landing.suspense_resolutions)
              AND p.payment_key NOT IN (SELECT payment_key FROM landing.payment_matches)
            QUALIFY row_number() OVER (PARTITION BY p.row_key
                      ORDER BY l.lease_key <> p.source_system || ':' || p.claimed_lease_id) = 1"""
    )


def count_outcomes(connection: duckdb.DuckDBPyConnection) -> None:
    """Rebuild batch_outcomes: loaded from the accepted tables themselves, the rest from verdicts and quarantine.

    A row that a person set aside counts as quarantined: it landed and is not in the books. A row that a rule of a
    profile set aside counts as skipped, without its amount: a total would count twice.
    """
    landed = {
        table
        for (table,) in connection.execute(
            "SELECT DISTINCT table_name FROM landing.batches WHERE status = 'loaded'"
        ).fetchall()
    }
    loaded = " UNION ALL ".join(
        "SELECT batch_id, count(*) AS rows, "
        + (f"sum(CAST({name(table.amount)} AS DECIMAL(18,2)))" if table.amount else "CAST(0 AS DECIMAL(38,2))")
        + f" AS amount FROM landing.{name(table.name)} GROUP BY batch_id"
        for table in contract()
        if table.name in landed
    )
    loaded = loaded or "SELECT NULL AS batch_id, 0 AS rows, 0 AS amount WHERE false"
    connection.execute("DELETE FROM landing.batch_outcomes")
    connection.execute(
        f"""INSERT INTO landing.batch_outcomes
            SELECT batch_id, 'loaded', sum(rows), coalesce(sum(amount), 0) FROM ({loaded}) GROUP BY batch_id
            UNION ALL
            SELECT batch_id, 'duplicate', count(*), coalesce(sum(amount), 0) FROM landing.verdicts
            WHERE verdict = 'duplicate' GROUP BY batch_id
            UNION ALL
            SELECT batch_id, 'quarantined', count(*), coalesce(sum(amount), 0) FROM landing.quarantine
            WHERE status IN ('open', 'rejected') GROUP BY batch_id
            UNION ALL
            SELECT batch_id, 'skipped', count(*), 0 FROM landing.skipped_rows GROUP BY batch_id"""
    )
