"""Judging rows, set by set, in SQL inside DuckDB: typed, then keyed, then against each other.

`read_rows` and `type_rows` turn text into canonical text and find what is wrong with a row by itself.
`settle_hard_keys` finds duplicates, changed facts and versions. `failures` checks what a row names and what must hold
between rows, against the rows accepted so far, and `enter` lets rows in. `accept.py` plays the last until nothing more
enters: the order of files, names and rows never matters: every choice between rows is made by their content
(recorded_at, then the canonical text itself).

A row is kept here by its place among the landed ones (`n`) and by the few columns that others are judged by; when it
enters it is read once more. So the whole width of a row is written twice, as it landed and as it was accepted, and what
landing needs of memory is a fraction of the rows.

All SQL is generated from the contract; values from files never become SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from orchestration.contract import HARD_LIMIT, Column, Table, contract
from orchestration.landing.raw_table import BLANKS
from orchestration.landing.read import AMOUNT
from orchestration.landing.reasons import REASONS
from orchestration.landing.store import LINEAGE, PROFILE_FAULTS

#: Between the parts of a composed text that is only compared, never shown.
_UNIT = "chr(31)"
_NONE = "chr(30)"


def literal(text: str) -> str:
    """`text` as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def name(identifier: str) -> str:
    """`identifier` quoted."""
    return '"' + identifier.replace('"', '""') + '"'


_BLANKS_SQL = literal(BLANKS)


def _shown(expression: str) -> str:
    """A value in quotation marks for a message, cut where it is long."""
    return f"'''' || left({expression}, 80) || CASE WHEN length({expression}) > 80 THEN '...' ELSE '' END || ''''"


def _trimmed(value: str) -> str:
    """SQL for a value without blanks at its ends, NULL where nothing is left.

    Trimming a list of characters is dear, row for row, and nearly no value needs it: one that begins and ends with a
    visible ASCII character is taken as it is. Its end is looked at from behind, which DuckDB does in half the time of
    cutting off the last character.
    """
    bare = " AND ".join(f"{text} >= '!' AND {text} < chr(127)" for text in (value, f"reverse({value})"))
    return f"CASE WHEN {bare} THEN {value} ELSE nullif(trim({value}, {_BLANKS_SQL}), '') END"


def _landed(column: str) -> str:
    """A column of `read_rows` as it landed."""
    return name("landed__" + column)


def _raw(column: str) -> str:
    """A column of `read_rows` as it landed, without blanks at its ends."""
    return name("raw__" + column)


def _written_out(sql: str) -> str:
    """`sql` with trimmed values written out where they stand: DuckDB works out a named column for every row, a branch
    of a CASE only for the rows that come to it."""
    return re.sub(r'"raw__(\w+)"', lambda found: f"nullif(trim({_landed(found[1])}, {_BLANKS_SQL}), '')", sql)


def _matches(expression: str, pattern: str) -> str:
    return f"regexp_full_match({expression}, {literal(pattern.removeprefix('^').removesuffix('$'))})"


_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIMESTAMP = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?( ?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?))?)?"
)
_TRUE = "('true', 't', 'yes', 'y', '1')"
_FALSE = "('false', 'f', 'no', 'n', '0')"
#: A day, a time to the second and an offset: what systems of record write.
_INSTANT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
_FORMAT = "%Y-%m-%dT%H:%M:%S.%f"


def _instant(text: str) -> str:
    return f"strftime(make_timestamp(epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))), {literal(_FORMAT + 'Z')})"


def _timestamp(value: str, raw: str) -> str:
    plain = f"{_matches(value, _INSTANT)} AND {value} >= '1900' AND {value} < '2200'"
    # The form is known here: a sign or a Z behind the day belongs to an offset.
    time = f"substr({raw}, 12)"
    offset = " OR ".join(f"contains({time}, {literal(sign)})" for sign in "Zz+-")
    # DuckDB wants +hh:mm or +hh; +hhmm gets its colon.
    short = f"{raw}[-5] IN ('+', '-')"
    colon = f"CASE WHEN {short} THEN left({raw}, -2) || ':' || right({raw}, 2) ELSE upper({raw}) END"
    local = f"strftime(TRY_CAST({raw} AS TIMESTAMP), {literal(_FORMAT)})"
    year = f"{raw} >= '1900' AND {raw} < '2200'"
    return (
        f"CASE WHEN {plain} THEN {_instant(value)} WHEN {_matches(raw, _TIMESTAMP)} AND {year}"
        f" THEN CASE WHEN {offset} THEN {_instant(colon)} ELSE {local} END END"
    )


def canonical(column: Column) -> str:
    """SQL for the canonical text of a column, NULL where it is empty or cannot be read.

    Most values landed as they are kept. So each is first taken for canonical text: one that reads and writes as itself
    is; only the others are trimmed and looked at more closely. Both ways give the same text.
    """
    landed, raw = _landed(column.name), _raw(column.name)
    match column.type:
        case "id" | "text":
            return f"upper({raw})" if column.check == "currency" else _trimmed(landed)
        case "amount":
            # Ten digits before the point, as in AMOUNT.
            as_is = f"CAST(TRY_CAST({landed} AS DECIMAL(12,2)) AS VARCHAR) = {landed}"
            read = f"WHEN {_matches(raw, AMOUNT)} THEN CAST(TRY_CAST({raw} AS DECIMAL(18,2)) AS VARCHAR)"
            return f"CASE WHEN {as_is} THEN {landed} {read} END"
        case "rate":
            plain = f"CAST(TRY_CAST({raw} AS DECIMAL(18,8)) AS VARCHAR)"
            shortest = f"regexp_replace(regexp_replace({plain}, '0+$', ''), '[.]$', '')"
            return f"CASE WHEN {_matches(raw, '[+-]?([0-9]{1,9}([.][0-9]{0,8})?|[.][0-9]{1,8})')} THEN {shortest} END"
        case "integer":
            return f"CASE WHEN {_matches(raw, '[+-]?[0-9]{1,9}')} THEN CAST(TRY_CAST({raw} AS BIGINT) AS VARCHAR) END"
        case "date":
            day = f"TRY_CAST({raw} AS DATE)"
            usable = f"{_matches(raw, _DATE)} AND year({day}) BETWEEN 1900 AND 2199"
            as_is = (
                f"strlen({landed}) = 10 AND {landed} >= '1900' AND {landed} < '2200'"
                f" AND CAST(TRY_CAST({landed} AS DATE) AS VARCHAR) = {landed}"
            )
            return f"CASE WHEN {as_is} THEN {landed} WHEN {usable} THEN CAST({day} AS VARCHAR) END"
        case "timestamp":
            return _timestamp(landed, raw)
        case "boolean":
            read = f"WHEN lower({raw}) IN {_TRUE} THEN 'true' WHEN lower({raw}) IN {_FALSE} THEN 'false'"
            return f"CASE WHEN {landed} IN ('true', 'false') THEN {landed} {read} END"
        case "enum":
            listed = ", ".join(literal(value) for value in column.values)
            read = f"WHEN lower({raw}) IN ({listed}) THEN lower({raw})"
            return f"CASE WHEN {landed} IN ({listed}) THEN {landed} {read} END"
        case "json":
            return f"CASE WHEN json_valid({raw}) THEN CAST(json({raw}) AS VARCHAR) END"
        case "period":
            return f"CASE WHEN {_matches(raw, '[0-9]{4}-(0[1-9]|1[0-2])')} THEN {raw} END"


def _amount_words(raw: str) -> str:
    """SQL that names what is wrong with an amount."""
    cases = (
        (f"lower({raw}) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')", "not a number (NaN or infinite)"),
        (f"lower({raw}) IN ('null', 'none', 'n/a', 'na', '-', '#n/a', '#value!', '#ref!')", "a word for nothing"),
        (f"regexp_matches({raw}, '^[(].*[)]$')", "parentheses for a negative"),
        (f"regexp_matches({raw}, '[$€£¥]|^[A-Za-z]{{3}} ?[0-9]|[0-9] ?[A-Za-z]{{3}}$')", "a currency sign"),
        (_matches(raw, "[+-]?([0-9]+|[0-9]{1,3}([. ][0-9]{3})+),[0-9]{1,2}"), "a decimal comma"),
        (_matches(raw, "[+-]?[0-9]{1,3}([, '’][0-9]{3})+([.][0-9]*)?"), "thousands separators"),
        (f"contains({raw}, ',')", "a comma"),
        (_matches(raw, "[+-]?[0-9]*[.][0-9]{3,}"), "more than two decimals"),
        (_matches(raw, "[+-]?[0-9.]+[eE][+-]?[0-9]+"), "scientific notation"),
        (_matches(raw, "[0-9.]+-"), "a sign behind the number"),
        (_matches(raw, "[+-]?[0-9]{11,}([.][0-9]{0,2})?"), "more than ten digits before the point"),
        (f"regexp_matches({raw}, '[−–]')", "a dash that is not a minus sign"),
    )
    whens = " ".join(f"WHEN {test} THEN {literal(words)}" for test, words in cases)
    return f"CASE {whens} ELSE 'text that is not a number' END"


def _date_words(raw: str) -> str:
    cases = (
        (_matches(raw, "[0-9]{5}([.][0-9]+)?"), "an Excel serial number instead of a date"),
        (
            _matches(raw, "[0-9]{1,2}[/.-][0-9]{1,2}[/.-]([0-9]{2}|[0-9]{4})"),
            "a date whose day and month are ambiguous",
        ),
        (_matches(raw, "[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"), "a date with slashes"),
        (_matches(raw, "[0-9]{8}"), "a date without dashes"),
        (_matches(raw, _DATE + "[T ].+"), "a date with a time of day"),
        (f"{_matches(raw, _DATE)} AND TRY_CAST({raw} AS DATE) IS NULL", "a day that does not exist"),
        (_matches(raw, _DATE), "a year out of range, likely a typing error"),
    )
    whens = " ".join(f"WHEN {test} THEN {literal(words)}" for test, words in cases)
    return f"CASE {whens} ELSE 'text that is not a date' END"


_TYPE_REASON = {
    "amount": "not_an_amount",
    "rate": "not_a_number",
    "integer": "not_a_number",
    "date": "not_a_date",
    "timestamp": "not_a_timestamp",
    "boolean": "not_a_boolean",
    "enum": "not_in_list",
    "json": "not_json",
    "period": "not_a_period",
}


@dataclass(frozen=True)
class Fault:
    """A condition under which a row is held (SQL), the reason's code, and the detail (SQL text)."""

    when: str
    reason: str
    detail: str


def _fault(when: str, reason: str, where: str, found: str, expected: str | None = None) -> Fault:
    """`found` is SQL text. The detail says column, found, expected and what to do."""
    words = REASONS[reason]
    tail = f"; expected {expected or words.expected}. {words.what_to_do}"
    return Fault(when, reason, f"{literal(where + ': found ')} || {found} || {literal(tail)}")


def _type_fault(column: Column) -> Fault | None:
    if column.type in ("id", "text"):
        return None
    raw = _raw(column.name)
    value = name(column.name)
    found = _shown(raw)
    expected = None
    if column.type == "amount":
        found += f" || ' (' || {_amount_words(raw)} || ')'"
    elif column.type == "date":
        found += f" || ' (' || {_date_words(raw)} || ')'"
    elif column.type == "enum":
        expected = "one of " + ", ".join(column.values)
    return _fault(f"{value} IS NULL AND {raw} IS NOT NULL", _TYPE_REASON[column.type], column.name, found, expected)


def _bound_faults(column: Column) -> Iterable[Fault]:
    if column.type not in ("amount", "rate", "integer"):
        return
    kind = "DECIMAL(18,2)" if column.type == "amount" else "DECIMAL(27,8)"
    number = f"TRY_CAST({name(column.name)} AS {kind})"
    found = name(column.name)
    if column.over is not None:
        yield _fault(
            f"{number} <= {column.over}", "amount_not_positive", column.name, found, f"more than {column.over}"
        )
    if column.minimum is not None:
        yield _fault(
            f"{number} < {column.minimum}", "number_out_of_range", column.name, found, f"at least {column.minimum}"
        )
    if column.maximum is not None:
        yield _fault(
            f"{number} > {column.maximum}", "number_out_of_range", column.name, found, f"at most {column.maximum}"
        )
    if column.type == "amount" and column.limit < HARD_LIMIT:
        yield _fault(
            f"abs({number}) > {column.limit}", "amount_out_of_range", column.name, found, f"at most {column.limit:,}"
        )


#: Ranges as (first, last, is the end exclusive).
_RANGES = (
    ("valid_from", "valid_to", True),
    ("known_from", "known_to", True),
    ("service_from", "service_to", False),
    ("covers_from", "covers_to", False),
    ("start_on", "end_on", False),
    ("term_from", "term_to", False),
    ("months_covered_from", "months_covered_to", True),
)


def row_faults(table: Table) -> list[Fault]:
    """What can be wrong with a row by itself, in the order in which it is said."""
    faults = [
        _fault(
            f"source_system <> 'default' AND NOT {_matches('source_system', '[A-Za-z0-9][A-Za-z0-9_.-]{0,59}')}",
            "bad_source_system",
            "source_system",
            _shown("source_system"),
        )
    ]
    for column in table.columns:
        raw = _raw(column.name)
        if column.required:
            empty = f"{name(column.name)} IS NULL AND {raw} IS NULL"
            faults.append(_fault(empty, "missing_required", column.name, "'nothing'"))
        typed = _type_fault(column)
        if typed is not None:
            faults.append(typed)
        faults += _bound_faults(column)
        if column.pattern is not None:
            faults.append(
                _fault(
                    f"NOT {_matches(raw, column.pattern)}",
                    "bad_format",
                    column.name,
                    _shown(raw),
                    f"a value like {column.like}",
                )
            )
        if column.check == "currency":
            listed = "(SELECT code FROM door_currencies)"
            faults.append(
                _fault(f"upper({raw}) NOT IN {listed}", "currency_not_two_decimals", column.name, _shown(raw))
            )
        elif column.check == "time_zone":
            listed = "(SELECT zone FROM door_time_zones)"
            faults.append(_fault(f"{raw} NOT IN {listed}", "unknown_time_zone", column.name, _shown(raw)))
        elif column.check == "landing_table":
            listed = ", ".join(literal(each.name) for each in contract())
            words = "the name of a landing table, such as charges"
            faults.append(_fault(f"{raw} NOT IN ({listed})", "not_in_list", column.name, _shown(raw), words))
        elif column.check == "steps":
            problem = (
                f"(SELECT b.problem FROM door_bad_steps b WHERE b.steps = read_rows.{name(column.name)}"
                f" AND b.source IS NOT DISTINCT FROM {source_of_steps(table)})"
            )
            faults.append(_fault(f"{problem} IS NOT NULL", "bad_rule_steps", column.name, problem))
    for rule in table.requires:
        for needed in rule.columns:
            faults.append(
                _fault(
                    f"{name(rule.when)} = {literal(rule.value)} AND {_raw(needed)} IS NULL",
                    "missing_required",
                    needed,
                    "'nothing'",
                    f"a value where {rule.when} is {rule.value}",
                )
            )
    if table.one_of:
        empty = " AND ".join(f"{_raw(column)} IS NULL" for column in table.one_of)
        faults.append(
            _fault(empty, "missing_required", " or ".join(table.one_of), "'nothing'", "a value in one of them")
        )
    for first, last, exclusive in _RANGES:
        if first in table.names and last in table.names:
            wrong = "<=" if exclusive else "<"
            faults.append(
                _fault(
                    f"{name(last)} {wrong} {name(first)}",
                    "dates_out_of_order",
                    f"{first}, {last}",
                    f"{name(first)} || ' to ' || {name(last)}",
                )
            )
    faults.append(
        _fault(
            f"recorded_at IS NULL AND {_raw('recorded_at')} IS NOT NULL",
            "not_a_timestamp",
            "recorded_at",
            _shown(_raw("recorded_at")),
        )
    )
    return faults


def source_of_steps(table: Table) -> str:
    """SQL for who stands behind the steps of a row of `read_rows` (`law`, `policy`), NULL where it is not said."""
    return "read_rows.source" if "source" in table.names else "CAST(NULL AS VARCHAR)"


_RECORDED = Column(name="recorded_at", type="timestamp", description="When the books first knew it.")
#: Which row it is: its place in the table of landed rows and that of its batch, and what every reader of it needs.
_WHERE = ("n", "batch_no", "row_number", "source_system", "landed_at", "is_new")


def key_expression(table: Table) -> str:
    """SQL for `row_key`: the source system and the key columns, escaped so that two keys never look alike."""

    def part(column: str) -> str:
        default = table.column(column).default
        value = f"coalesce({name(column)}, {literal(default or '')})"
        return f"CASE WHEN contains({value}, '|') THEN replace({value}, '|', '||') ELSE {value} END"

    own = " || '|' || ".join(part(column) for column in table.key)
    if table.key_else:
        other = " || '|' || ".join(part(column) for column in table.key_else)
        first = name(table.key[0])
        own = f"CASE WHEN {first} IS NOT NULL THEN {own} ELSE 'opening:' || {other} END"
    return f"source_system || ':' || {own}"


def content_expression(table: Table, columns: Iterable[str]) -> str:
    """SQL for a text that is equal exactly where the canonical content of the columns is."""

    def part(column: str) -> str:
        default = table.column(column).default
        value = name(column)
        if table.name == "payments" and column == "lease_id":
            value = f"coalesce({value}, claimed_lease_id)"
        return f"coalesce({value}, {literal(default) if default else _NONE})"

    return "md5(" + f" || {_UNIT} || ".join(part(column) for column in columns) + ")"


def read_rows(table: Table, pending: str) -> str:
    """A SELECT, as `read_rows` in brackets, of `pending` (landed rows, n, batch_no, landed_at, is_new): landed and
    canonical text, and the row's key. Only what is asked of it is worked out."""
    return _read(table, pending, "", _written_out)


def _read(table: Table, pending: str, trimmed: str, written: Callable[[str], str]) -> str:
    columns = [*table.columns, _RECORDED]
    landed = ", ".join(f"{name(c.name)} AS {_landed(c.name)}" for c in columns)
    read = ", ".join(f"{written(canonical(c))} AS {name(c.name)}" for c in columns)
    claimed = ", CAST(NULL AS VARCHAR) AS claimed_lease_id" if table.name == "payments" else ""
    where = ", ".join((*_WHERE, "batch_id", "file", *PROFILE_FAULTS))
    rows = f"(SELECT {where}, {landed} FROM {pending})"
    if trimmed:
        rows = f"(SELECT *, {trimmed} FROM {rows})"
    return f"(SELECT *, {key_expression(table)} AS row_key FROM (SELECT *, {read}{claimed} FROM {rows})) read_rows"


def _read_faulty(table: Table, pending: str) -> str:
    """As `read_rows`, with trimmed values under names: few rows, many words."""
    raw = ", ".join(f"{_trimmed(_landed(c.name))} AS {_raw(c.name)}" for c in (*table.columns, _RECORDED))
    return _read(table, pending, raw, str)


def judged_columns(table: Table) -> list[str]:
    """Columns that a row is judged by beside other rows: those that name one, and those that the SQL of `failures` and
    `held_back` names. Only these are kept at hand for every row; the rest is read again from the landed row when it
    enters."""
    words = _words(table)
    by = {c.reference.by for c in table.references if c.reference is not None}
    return [
        c.name
        for c in (*table.columns, _RECORDED)
        if c.reference is not None or c.name in words or c.name in by or c.key_name in words
    ]


@cache
def _words(table: Table) -> frozenset[str]:
    """Every word of the SQL that judges rows of a table beside other rows: more than the columns, never fewer."""
    said = " ".join((*failures(table, "", run_is_complete=False), *held_back(table), _BELONGS_TO_NOBODY))
    return frozenset(re.findall(r"[a-z_0-9]+", said))


def _work_columns(table: Table) -> tuple[str, ...]:
    """The columns of `work` that come from the row itself."""
    claimed = ("claimed_lease_id",) if table.name == "payments" else ()
    return (*_WHERE, *map(name, judged_columns(table)), *claimed, "row_key", "amount_tied", "fault", "known_version")


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
        "fault": _written_out(f"CASE WHEN profile_fault IS NOT NULL THEN profile_fault {faults} END AS fault"),
        "known_version": "0 AS known_version",
    }
    typed = ", ".join(made.get(column, column) for column in _work_columns(table))
    rows = f"(SELECT {typed}, CAST(1 AS BIGINT) AS seq FROM {read})"
    return [f"CREATE OR REPLACE TEMP TABLE work AS {resolved(table, rows)}", *_payees(table)]


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
        f" is_new FROM {_read_faulty(table, own)} JOIN faulty USING (n)",
    ]


# ---------------------------------------------------------------------------------------------------- keys and versions


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
        f"(SELECT {', '.join(_work_columns(table))}, row_number() OVER (PARTITION BY row_key"
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
        *_payees(table),
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


# ------------------------------------------------------------------------------ what rows name and what must hold


def landing(table: str) -> str:
    """The accepted rows of a table."""
    return f"landing.{name(table)}"


def current(table: str) -> str:
    """The latest version of every accepted row of a table."""
    return (
        f"(SELECT * FROM {landing(table)}"
        " QUALIFY row_number() OVER (PARTITION BY row_key ORDER BY version_no DESC) = 1)"
    )


def _target_key(column: Column) -> str:
    """SQL for the key that a reference is looked for by, in the target table."""
    reference = column.reference
    assert reference is not None
    if reference.by is not None:
        return f"chart_key || {_UNIT} || {name(reference.column)}"
    target = Column(name=reference.column, type="id", description="")
    return name(target.key_name or reference.column)


def found_name(column: Column) -> str:
    """The column of `work` that says where the row that an id names was found: 1 in its own source system, 2 in
    `default`, NULL nowhere."""
    return name("found__" + column.name)


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
            tail = "" if reference.by is None else f" || {_UNIT} || {value}"
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
    columns = [f"w.{column}" for column in (*_work_columns(table), "seq")]
    if table.name == "payments":
        columns = [c for c in columns if c not in ('w."lease_id"', "w.claimed_lease_id")]
        columns += ["coalesce(lease_id, claimed_lease_id) AS lease_id", "CAST(NULL AS VARCHAR) AS claimed_lease_id"]
    rows = f"(SELECT {', '.join(columns)} FROM left_over w)"
    return [
        "CREATE OR REPLACE TEMP TABLE left_over AS SELECT * FROM work",
        f"CREATE OR REPLACE TEMP TABLE work AS {resolved(table, rows)}",
        *_payees(table),
    ]


def _payees(table: Table) -> list[str]:
    """Where there is only one entity, money that names none was paid to it."""
    if table.name != "payments":
        return []
    only = "SELECT CASE WHEN count(DISTINCT entity_key) = 1 THEN min(entity_key) END FROM landing.entities"
    return [f"UPDATE work r SET entity_key = ({only}) WHERE {_BELONGS_TO_NOBODY}"]


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


#: A payment (as `r`) in suspense that names no entity, and no account with a collection arrangement on its day.
_BELONGS_TO_NOBODY = """r.lease_key IS NULL AND r.entity_id IS NULL AND r.entity_key IS NULL AND NOT EXISTS (
    SELECT 1 FROM landing.collection_arrangements c WHERE c.version_no = 1
    AND c.settlement_account = r.settlement_account AND c.source_system IN (r.source_system, 'default')
    AND c.valid_from <= r.received_on
    AND (c.valid_to IS NULL OR c.valid_to > r.received_on))"""


def _failure(reason: str, where: str, found: str, source: str, expected: str | None = None) -> str:
    """A SELECT of failures (n, reason, detail). `found` is SQL text, `source` the FROM clause and what follows."""
    fault = _fault("true", reason, where, found, expected)
    return f"SELECT n, {literal(reason)}, {fault.detail} FROM {source}"


def failures(table: Table, loaded_at: str, *, run_is_complete: bool) -> list[str]:
    """SELECTs of what is wrong between rows, in the order in which it is said: (n, reason, detail)."""
    found: list[str] = []
    for column in table.references:
        reference = column.reference
        if reference is None or reference.if_unknown in ("keep", "suspend"):
            continue
        if reference.table == "charge_codes":
            reason = "unclassified_code"
        elif reference.table == "payments":
            reason = "unknown_payment" if table.name == "payment_reversals" else "waiting_for_named_row"
        else:
            reason = "waiting_for_named_row" if reference.if_unknown == "wait" else "unknown_reference"
        expected = None
        if reason != "unclassified_code":
            expected = f"an accepted row of {reference.table} with this {reference.column}"
        source = f"work WHERE {name(column.name)} IS NOT NULL AND {found_name(column)} IS NULL"
        found.append(_failure(reason, column.name, _shown(name(column.name)), source, expected))
    found.append(
        "SELECT n, 'waiting_for_named_row', 'another version of the same row must enter first.' FROM work r"
        " WHERE seq > 1 AND EXISTS (SELECT 1 FROM work q WHERE q.row_key = r.row_key AND q.seq < r.seq)"
    )
    found.append(_future(table, loaded_at))
    found += _BETWEEN_ROWS.get(table.name, lambda: [])()
    if table.no_overlap:
        found += _overlaps(table)
    if table.no_conflict:
        found.append(_conflicts(table))
    if table.name == "period_closes":
        found += _closes(loaded_at, run_is_complete)
    return found


def _future(table: Table, loaded_at: str) -> str:
    """recorded_at later than the run. Without an offset it is read in the property's time zone, else in UTC."""
    instant = "TRY_CAST(recorded_at AS TIMESTAMPTZ) AT TIME ZONE 'UTC'"
    source = "work r"
    zone = "'UTC'"
    if "property_key" in table.key_columns.values() and table.name != "properties":
        source += f" LEFT JOIN {_zones()} z ON z.property_key = r.property_key"
        zone = "coalesce(z.zone, 'UTC')"
    elif "lease_key" in table.key_columns.values():
        source += (
            " LEFT JOIN (SELECT DISTINCT lease_key, property_key FROM landing.leases) l USING (lease_key)"
            f" LEFT JOIN {_zones()} z ON z.property_key = l.property_key"
        )
        zone = "coalesce(z.zone, 'UTC')"
    local = f"timezone({zone}, TRY_CAST(recorded_at AS TIMESTAMP)) AT TIME ZONE 'UTC'"
    exact = f"CASE WHEN recorded_at LIKE '%Z' THEN {instant} ELSE {local} END > {loaded_at}"
    # Only rows within reach of the run are looked at closely: no zone is more than 14 hours from UTC.
    near = f"recorded_at > strftime({loaded_at} - INTERVAL 14 HOUR, {literal(_FORMAT)})"
    return _failure(
        "recorded_in_future",
        "recorded_at",
        f"recorded_at || ', loaded at ' || strftime({loaded_at}, '%Y-%m-%dT%H:%M:%SZ')",
        f"(SELECT n, recorded_at FROM {source} WHERE recorded_at IS NOT NULL AND {near} AND {exact}) late",
    )


def _zones() -> str:
    """The zone in which days of a property begin for the books: the one they knew first, as the warehouse reads it.

    Never the one that happened to land first: of versions that no close lies between, the content decides.
    """
    closes = (
        "(SELECT q.row_key, q.version_no, count(*) AS closes FROM landing.properties q JOIN landing.period_closes c"
        " ON c.entity_key = q.entity_key AND c.registered_at < q.accepted_at GROUP BY q.row_key, q.version_no)"
    )
    first = "coalesce(c.closes, 0), coalesce(p.recorded_at, ''), p.version_no, coalesce(p.valid_from, '')"
    return (
        f"(SELECT p.property_key, arg_min(p.time_zone, ({first})) AS zone FROM landing.properties p"
        f" LEFT JOIN {closes} c ON c.row_key = p.row_key AND c.version_no = p.version_no GROUP BY p.property_key)"
    )


def _decimal(expression: str) -> str:
    return f"CAST({expression} AS DECIMAL(18,2))"


def _code_in_force(day: str) -> str:
    return _failure(
        "unclassified_code",
        "charge_code",
        f"charge_code || ', without a classification in force on ' || {name(day)}",
        f"work r WHERE code_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {current('charge_codes')} c"
        f" WHERE c.code_key = r.code_key AND (c.valid_from IS NULL OR c.valid_from <= r.{name(day)})"
        f" AND (c.valid_to IS NULL OR c.valid_to > r.{name(day)}))",
    )


def _named_elsewhere(column: str, key: str, *, with_party: bool = True) -> str:
    party = " OR coalesce(r.ledger_party, 'resident') <> coalesce(o.ledger_party, 'resident')" if with_party else ""
    return _failure(
        "named_row_elsewhere",
        column,
        f"r.{name(column)} || ' of lease ' || o.lease_id || ', ' || coalesce(o.ledger_party, 'resident')",
        f"work r JOIN landing.charges o ON o.charge_key = r.{name(key)} AND o.version_no = 1"
        f" WHERE r.{name(key)} IS NOT NULL AND (o.lease_key <> r.lease_key{party})",
        "a charge of the same account",
    )


def _between_charges() -> list[str]:
    amount, original = _decimal("r.amount"), _decimal("o.amount")
    named = (
        "work r JOIN landing.charges o ON o.charge_key = r.reverses_charge_key AND o.version_no = 1"
        " LEFT JOIN landing.charges oo ON oo.charge_key = o.reverses_charge_key AND oo.version_no = 1"
    )
    whole = f"{amount} = -{original}"
    shown = "r.amount || ' for ' || o.charge_id || ' of ' || o.amount"
    return [
        _code_in_force("posted_on"),
        _named_elsewhere("reverses_charge_id", "reverses_charge_key"),
        _named_elsewhere("corrects_charge_id", "corrects_charge_key"),
        _failure(
            "reversal_of_reversal",
            "reverses_charge_id",
            "r.reverses_charge_id || ', which reverses ' || o.reverses_charge_id",
            f"{named} WHERE {original} = -{_decimal('oo.amount')}",
        ),
        _failure(
            "reversal_not_exact",
            "amount",
            shown,
            f"{named} WHERE sign({amount}) = sign({original}) OR {amount} = 0 OR abs({amount}) > abs({original})",
        ),
        _failure(
            "reversed_twice",
            "reverses_charge_id",
            "r.reverses_charge_id || ', reversed by ' || x.charge_id",
            f"{named} JOIN landing.charges x ON x.reverses_charge_key = r.reverses_charge_key AND x.version_no = 1"
            f" AND x.charge_key <> r.charge_key AND {_decimal('x.amount')} = -{original} WHERE {whole}",
        ),
    ]


def _between_undoings(table: str, key: str, named_id: str, named_key: str) -> list[str]:
    """A row of `table` that undoes another whole: a deposit movement or a write-off."""
    own_id = key.removesuffix("_key") + "_id"
    joined = (
        f"work r JOIN {landing(table)} o ON o.{key} = r.{named_key} AND o.version_no = 1"
        f" WHERE r.{named_key} IS NOT NULL AND "
    )
    return [
        _failure(
            "named_row_elsewhere",
            named_id,
            f"r.{named_id} || ' of lease ' || o.lease_id",
            joined + "(o.lease_key <> r.lease_key"
            " OR coalesce(r.ledger_party, 'resident') <> coalesce(o.ledger_party, 'resident'))",
        ),
        _failure(
            "reversal_of_reversal",
            named_id,
            f"r.{named_id} || ', which reverses ' || o.{named_id}",
            joined + f"o.{named_key} IS NOT NULL",
        ),
        _failure(
            "reversal_not_exact",
            "amount",
            f"r.amount || ' for ' || o.{own_id} || ' of ' || o.amount",
            joined + f"{_decimal('r.amount')} <> {_decimal('o.amount')}",
        ),
        _failure(
            "reversed_twice",
            named_id,
            f"r.{named_id} || ', reversed by ' || o.{own_id}",
            f"work r JOIN {landing(table)} o ON o.{named_key} = r.{named_key} AND o.version_no = 1"
            f" AND o.{key} <> r.{key}",
        ),
    ]


def _between_payments() -> list[str]:
    """Money in suspense belongs to an entity, or no journal could be made of it."""
    return [
        _failure(
            "no_payee",
            "lease_id, entity_id, settlement_account",
            "'lease ' || coalesce(claimed_lease_id, 'none') || ', settlement account '"
            " || coalesce(settlement_account, 'none')",
            f"work r WHERE {_BELONGS_TO_NOBODY}",
        )
    ]


def _between_reversals() -> list[str]:
    return [
        _failure(
            "returned_more_than_paid",
            "amount",
            "r.amount || ' after ' || coalesce(u.used, 0) || ' of a payment of ' || p.amount",
            "work r JOIN landing.payments p ON p.payment_key = r.payment_key AND p.version_no = 1"
            f" LEFT JOIN (SELECT payment_key, sum({_decimal('amount')}) AS used FROM landing.payment_reversals"
            " WHERE version_no = 1 GROUP BY payment_key) u ON u.payment_key = r.payment_key"
            f" WHERE r.known_version = 0 AND {_decimal('r.amount')} + coalesce(u.used, 0) > {_decimal('p.amount')}",
        )
    ]


def _between_matches() -> list[str]:
    return [
        _failure(
            "payment_not_in_suspense",
            "payment_id",
            "r.payment_id || ', which has the lease ' || coalesce(p.lease_id, s.lease_id)",
            "work r JOIN landing.payments p ON p.payment_key = r.payment_key AND p.version_no = 1"
            " LEFT JOIN landing.suspense_resolutions s ON s.row_key = p.row_key"
            " WHERE coalesce(p.lease_id, s.lease_id) IS NOT NULL",
        )
    ]


_BETWEEN_ROWS = {
    "charges": _between_charges,
    "opening_balances": lambda: [_code_in_force("as_of")],
    "payments": _between_payments,
    "payment_reversals": _between_reversals,
    "payment_matches": _between_matches,
    "deposit_movements": lambda: [
        _named_elsewhere("charge_id", "charge_key", with_party=False),
        *_between_undoings("deposit_movements", "movement_key", "reverses_movement_id", "reverses_movement_key"),
    ],
    "write_offs": lambda: [
        _named_elsewhere("charge_id", "charge_key"),
        *_between_undoings("write_offs", "write_off_key", "reverses_write_off_id", "reverses_write_off_key"),
    ],
}


def _group(alias: str, columns: Iterable[str]) -> str:
    parts = [f"{alias}.source_system", *(f"coalesce({alias}.{name(column)}, {_NONE})" for column in columns)]
    return f" || {_UNIT} || ".join(parts)


def _overlap(left: str, right: str) -> str:
    return (
        f"coalesce({left}.valid_from, '') < coalesce({right}.valid_to, '9999')"
        f" AND coalesce({right}.valid_from, '') < coalesce({left}.valid_to, '9999')"
    )


def _overlaps(table: Table) -> list[str]:
    return [
        _failure(
            "overlapping_dates",
            "valid_from, valid_to",
            "coalesce(r.valid_from, 'always') || ' to ' || coalesce(r.valid_to, 'open') || ', while another is"
            " in force '"
            " || coalesce(c.valid_from, 'always') || ' to ' || coalesce(c.valid_to, 'open')",
            f"work r JOIN {current(table.name)} c ON {_group('c', table.no_overlap)} ="
            f" {_group('r', table.no_overlap)}"
            f" AND c.row_key <> r.row_key WHERE {_overlap('r', 'c')}",
        )
    ]


_SAYS = "coalesce({a}.steps, '') || coalesce({a}.yields_to_designation, 'false')"


def _conflicts(table: Table) -> str:
    says = _SAYS.format(a="c") + " <> " + _SAYS.format(a="r")
    return _failure(
        "conflicting_rule",
        ", ".join(table.no_conflict),
        "r.rule_id || ', which says otherwise than ' || c.rule_id",
        f"work r JOIN {current(table.name)} c ON {_group('c', table.no_conflict)} ="
        f" {_group('r', table.no_conflict)}"
        f" AND c.row_key <> r.row_key WHERE {says} AND coalesce(r.status, 'in_force') = 'in_force'"
        " AND coalesce(c.status, 'in_force') = 'in_force'",
    )


def _closes(loaded_at: str, run_is_complete: bool) -> list[str]:
    next_month = "CAST(CAST(period || '-01' AS DATE) + INTERVAL 1 MONTH AS TIMESTAMP)"
    closed = "TRY_CAST(left(closed_at, 26) AS TIMESTAMP)"
    # No zone is more than 14 hours from UTC: a close is only held where no reading of it makes the month over.
    earliest = f"CASE WHEN closed_at LIKE '%Z' THEN {closed} + INTERVAL 14 HOUR ELSE {closed} END"
    soonest = f"CASE WHEN closed_at LIKE '%Z' THEN {closed} ELSE {closed} - INTERVAL 14 HOUR END"
    found = [
        _failure(
            "month_already_closed",
            "period",
            "r.period || ', while ' || c.last || ' is closed'",
            "work r JOIN (SELECT entity_key, max(period) AS last FROM landing.period_closes GROUP BY entity_key) c"
            " ON c.entity_key = r.entity_key WHERE r.known_version = 0 AND r.period <= c.last",
        ),
        _failure(
            "month_not_over",
            "closed_at",
            "closed_at || ' for ' || period",
            f"work WHERE {earliest} < {next_month} OR {soonest} > {loaded_at}",
        ),
    ]
    if not run_is_complete:
        found.append(_failure("waiting_for_complete_run", "period", "period", "work WHERE known_version = 0"))
    return found


def held_back(table: Table) -> list[str]:
    """SELECTs of n: rows without a failure that must wait for another row of this round, because only one may enter.

    The order is by content, so it is the same whatever the order of files and rows.
    """
    order = "coalesce(r.recorded_at, ''), r.row_key"

    free = "work r ANTI JOIN failed f ON f.n = r.n"
    others = "(SELECT * FROM work ANTI JOIN failed USING (n)) q"
    held: list[str] = []
    if table.name == "charges":
        # Only whole reversals exclude each other; a smaller amount is a credit.
        whole = (
            "(SELECT r.n, r.row_key, r.posted_on, r.recorded_at, r.reverses_charge_key FROM work r"
            " JOIN landing.charges o ON o.charge_key = r.reverses_charge_key AND o.version_no = 1"
            f" ANTI JOIN failed f ON f.n = r.n WHERE {_decimal('r.amount')} = -{_decimal('o.amount')})"
        )
        held.append(
            f"SELECT n FROM {whole} QUALIFY row_number() OVER (PARTITION BY reverses_charge_key"
            " ORDER BY posted_on, coalesce(recorded_at, ''), row_key) > 1"
        )
    for other, key, day in (
        ("deposit_movements", "reverses_movement_key", "occurred_on"),
        ("write_offs", "reverses_write_off_key", "written_off_on"),
    ):
        if table.name == other:
            held.append(
                f"SELECT r.n FROM {free} WHERE r.{key} IS NOT NULL"
                f" QUALIFY row_number() OVER (PARTITION BY r.{key} ORDER BY r.{day}, {order}) > 1"
            )
    if table.name == "payment_reversals":
        held.append(
            "SELECT n FROM (SELECT r.n, r.payment_key, p.amount AS paid,"
            f" sum({_decimal('r.amount')}) OVER (PARTITION BY r.payment_key ORDER BY r.reversed_on, {order}) AS upto,"
            f" row_number() OVER (PARTITION BY r.payment_key ORDER BY r.reversed_on, {order}) AS place"
            f" FROM {free} JOIN landing.payments p ON p.payment_key = r.payment_key AND p.version_no = 1"
            " WHERE r.known_version = 0) x"
            f" LEFT JOIN (SELECT payment_key, sum({_decimal('amount')}) AS used FROM landing.payment_reversals"
            " WHERE version_no = 1 GROUP BY payment_key) u ON u.payment_key = x.payment_key"
            f" WHERE x.place > 1 AND x.upto + coalesce(u.used, 0) > {_decimal('x.paid')}"
        )
    if table.no_overlap:
        mine = "(coalesce(r.valid_from, ''), coalesce(r.valid_to, '9999'), r.row_key)"
        theirs = "(coalesce(q.valid_from, ''), coalesce(q.valid_to, '9999'), q.row_key)"
        held.append(
            f"SELECT DISTINCT r.n FROM {free} JOIN {others}"
            f" ON {_group('q', table.no_overlap)} = {_group('r', table.no_overlap)}"
            f" AND q.row_key <> r.row_key WHERE {theirs} < {mine} AND {_overlap('r', 'q')}"
        )
    if table.no_conflict:
        says = _SAYS.format(a="q") + " <> " + _SAYS.format(a="r")
        held.append(
            f"SELECT DISTINCT r.n FROM {free} JOIN {others}"
            f" ON {_group('q', table.no_conflict)} = {_group('r', table.no_conflict)}"
            f" AND q.row_key <> r.row_key WHERE {says} AND q.row_key < r.row_key"
        )
    return held
