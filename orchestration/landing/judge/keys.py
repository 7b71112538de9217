"""Rows of one key: duplicates, changed facts, versions, and which of two that clash stays."""

from __future__ import annotations

from orchestration.contract import Table
from orchestration.landing.judge.expressions import landing, literal, name
from orchestration.landing.judge.rows import content_expression
from orchestration.landing.judge.work import payees, resolved, work_columns
from orchestration.landing.reasons import REASONS


def find_hard_keys(table: Table) -> str:
    """SQL for the temp table `hard`: keys met before, or more than once in this run. All others are simply new."""
    # Keys are compared by a number first: of millions of them, few are left to be compared as text.
    return (
        "CREATE OR REPLACE TEMP TABLE hard AS WITH numbered AS (SELECT row_key, hash(row_key) AS number FROM work),"
        " twice AS (SELECT number FROM numbered GROUP BY number HAVING count(*) > 1)"
        " SELECT row_key FROM numbered SEMI JOIN twice USING (number) GROUP BY row_key HAVING count(*) > 1"
        f" UNION SELECT row_key FROM (SELECT row_key FROM {landing(table.name)} WHERE hash(row_key) IN"
        " (SELECT number FROM numbered)) SEMI JOIN work USING (row_key)"
    )


def settle_hard_keys(table: Table, read: str) -> list[str]:
    """SQL that decides rows of hard keys: `settled` (with settled_as) is decided, the rest stays in `work`.

    Such a row is read once more from where it landed (`read`, as `read_rows`): here its whole content counts.
    A row equal to an accepted one is a duplicate; one that changes a fact is held. Of rows with one key and no way to
    tell which is later, the first in a fixed order stays: the latest run's, then by the canonical text. Rows of earlier
    runs that waited give way to a corrected row of a later run.
    """
    content = content_expression(table, table.names)
    facts = content_expression(table, table.fact_columns) if table.is_fact else content
    columns = "".join(f", read_rows.{name(column)}" for column in (*table.names, "recorded_at"))
    columns += ", read_rows.claimed_lease_id" if table.name == "payments" else ""
    changed_reason = "month_already_closed" if table.name == "period_closes" else "changed_fact"
    changed = f"WHEN t.row_facts <> k.row_facts THEN '{changed_reason}'" if table.is_fact else ""
    same_content = "EXISTS (SELECT 1 FROM known v WHERE v.row_key = t.row_key AND v.row_content = t.row_content)"
    kept = (
        f"(SELECT {', '.join(work_columns(table))}, row_number() OVER (PARTITION BY row_key"
        " ORDER BY recorded_at NULLS FIRST) AS seq FROM settled WHERE settled_as IS NULL)"
    )
    later = "(t.recorded_at IS NOT NULL AND t.recorded_at > coalesce(k.recorded_at, ''))"
    by_time = "PARTITION BY row_key, recorded_at"
    older_or_twice = "THEN 'replaced_by_correction' ELSE 'key_used_twice' END"
    fact_clash = "CAST(NULL AS VARCHAR)"
    if table.is_fact:
        order = "newest DESC, recorded_at NULLS LAST, row_content"
        first = f"first_value(row_facts) OVER (PARTITION BY row_key ORDER BY {order})"
        fact_clash = (
            f"CASE WHEN row_facts <> {first} THEN CASE WHEN newest < max(newest) OVER (PARTITION BY row_key)"
            f" {older_or_twice} END"
        )
    return [
        f"""CREATE OR REPLACE TEMP TABLE known AS
            SELECT row_key, version_no, recorded_at, {content} AS row_content, {facts} AS row_facts
            FROM {landing(table.name)} SEMI JOIN hard USING (row_key)""",
        f"""CREATE OR REPLACE TEMP TABLE met AS
            WITH latest AS (
              SELECT row_key, arg_max(row_content, version_no) AS row_content,
                     arg_max(recorded_at, version_no) AS recorded_at,
                     arg_min(row_facts, version_no) AS row_facts, max(version_no) AS version_no
              FROM known GROUP BY row_key),
            these AS (
              SELECT *, {content} AS row_content, {facts} AS row_facts
              FROM (SELECT w.n, w.batch_no, read_rows.batch_id, w.row_number, w.source_system, w.landed_at, w.is_new,
                           w.row_key, w.amount_tied, w.fault{columns}
                    FROM (SELECT * FROM work SEMI JOIN hard USING (row_key)) w JOIN {read} USING (n)))
            SELECT t.*, coalesce(k.version_no, 0) AS known_version,
                   CASE WHEN k.row_key IS NULL THEN NULL
                        WHEN t.row_content = k.row_content OR ({same_content} AND NOT {later}) THEN 'duplicate'
                        {changed} END AS met_as
            FROM these t LEFT JOIN latest k ON k.row_key = t.row_key""",
        f"""CREATE OR REPLACE TEMP TABLE sequenced AS
            WITH contents AS (
              SELECT *, max(landed_at) OVER ({by_time}, row_content) AS newest,
                     row_number() OVER ({by_time}, row_content ORDER BY landed_at, batch_id, row_number) AS copy_no
              FROM met WHERE met_as IS NULL),
            clashes AS (SELECT *, {fact_clash} AS fact_clash FROM contents WHERE copy_no = 1),
            timed AS (
              SELECT n, row_key, recorded_at, row_content,
                     CASE WHEN row_content <> first_value(row_content)
                                 OVER ({by_time} ORDER BY newest DESC, row_content)
                          THEN CASE WHEN newest < max(newest) OVER ({by_time}) {older_or_twice} END AS time_clash
              FROM clashes WHERE fact_clash IS NULL),
            kept AS (
              SELECT n, row_content = lag(row_content)
                       OVER (PARTITION BY row_key ORDER BY recorded_at NULLS FIRST) AS is_same
              FROM timed WHERE time_clash IS NULL)
            SELECT c.n,
                   CASE WHEN c.copy_no > 1 THEN 'duplicate'
                        WHEN x.fact_clash IS NOT NULL THEN x.fact_clash
                        WHEN t.time_clash IS NOT NULL THEN t.time_clash
                        WHEN k.is_same THEN 'duplicate' END AS sequenced_as
            FROM contents c
            LEFT JOIN clashes x USING (n)
            LEFT JOIN timed t USING (n)
            LEFT JOIN kept k USING (n)""",
        """CREATE OR REPLACE TEMP TABLE settled AS
            SELECT m.* EXCLUDE (met_as, row_content, row_facts), coalesce(m.met_as, s.sequenced_as) AS settled_as
            FROM met m LEFT JOIN sequenced s USING (n)""",
        "DELETE FROM work WHERE row_key IN (SELECT row_key FROM hard)",
        f"INSERT INTO work BY NAME {resolved(table, kept)}",
        *payees(table),
    ]


def settled_rows(table: Table) -> str:
    """A SELECT of decided rows (see accept.py) for hard keys that are decided. A changed fact says what changed."""
    held = "s.settled_as <> 'duplicate'"
    changed = []
    for column in (table.column(fact) for fact in table.fact_columns):
        now, before = f"s.{name(column.name)}", f"f.{name(column.name)}"
        if column.reference is not None and column.reference.if_unknown == "suspend":
            now, before = f"coalesce({now}, s.claimed_lease_id)", f"coalesce({before}, f.claimed_lease_id)"
        if column.default is not None:
            now, before = (
                f"coalesce({now}, {literal(column.default)})",
                f"coalesce({before}, {literal(column.default)})",
            )
        changed.append(
            f"CASE WHEN {now} IS DISTINCT FROM {before} THEN {literal(column.name + ': found ')}"
            f" || coalesce({now}, 'nothing') || '; expected ' || coalesce({before}, 'nothing')"
            " || ' as first accepted.' END"
        )
    which = f"array_to_string(list_filter([{', '.join(changed)}], lambda x: x IS NOT NULL), ' ')" if changed else "''"
    words = " ".join(
        f"WHEN {literal(r.code)} THEN {literal(f'found {r.found}; expected {r.expected}. {r.what_to_do}')}"
        for r in (REASONS[code] for code in _KEY_REASONS)
    )
    told = (
        f"CASE WHEN s.settled_as = 'changed_fact' THEN {which} || {literal(' ' + REASONS['changed_fact'].what_to_do)}"
        f" ELSE s.row_key || ': ' || CASE s.settled_as {words} END END"
    )
    return (
        f"SELECT s.n, s.batch_no, s.row_number, CASE WHEN {held} THEN 'quarantined' ELSE 'duplicate' END,"
        f" CASE WHEN {held} THEN s.settled_as END, CASE WHEN {held} THEN {told} END,"
        f" s.amount_tied, s.row_key, s.is_new FROM settled s LEFT JOIN {landing(table.name)} f"
        " ON f.row_key = s.row_key AND f.version_no = 1 WHERE s.settled_as IS NOT NULL"
    )


_KEY_REASONS = ("key_used_twice", "replaced_by_correction", "month_already_closed")
