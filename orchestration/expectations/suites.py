"""What must hold of accepted rows, generated from the contract, as plain data that imports no Great Expectations.

These say again, by other means than the judge at the door, what the contract promises: a value must be the canonical
writing of its own type, a reference must find its row, undoings must fit what they undo. So a fault of the judge, or a
hand in the file, shows here before anything is built.

Every query selects from `{batch}` (the accepted table) the rows that break the expectation: row_key, version_no, where
the row came from, and what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestration.contract import Column, Table, contract

#: The tables that every figure rests on. Each gets a suite.
CORE_TABLES = (
    "entities",
    "properties",
    "units",
    "persons",
    "leases",
    "lease_parties",
    "charge_codes",
    "gl_accounts",
    "gl_mappings",
    "charges",
    "payments",
    "payment_reversals",
    "payment_matches",
    "opening_balances",
    "deposit_movements",
    "write_offs",
    "application_rules",
    "period_closes",
    "gl_balances",
)


@dataclass(frozen=True)
class Expectation:
    """One expectation on a table: its name, the sentence that must hold, and the query for rows that break it."""

    table: str
    name: str
    sentence: str
    query: str


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _rows(wrong: str, where: str, joins: str = "") -> str:
    return (
        f"SELECT a.row_key, a.version_no, a.file, a.row_number, {wrong} AS wrong"
        f" FROM (SELECT * FROM {{batch}}) a{joins} WHERE {where}"
    )


def _is_canonical(column: Column) -> str:
    """SQL that is true where the text is the one canonical writing of a value of the column's type."""
    value = f'a."{column.name}"'
    match column.type:
        case "amount":
            return f"CAST(TRY_CAST({value} AS DECIMAL(18,2)) AS VARCHAR) = {value}"
        case "integer":
            return f"CAST(TRY_CAST({value} AS BIGINT) AS VARCHAR) = {value}"
        case "rate":
            return f"TRY_CAST({value} AS DECIMAL(18,8)) IS NOT NULL"
        case "date":
            return f"CAST(TRY_CAST({value} AS DATE) AS VARCHAR) = {value} AND length({value}) = 10"
        case "timestamp":
            return f"TRY_CAST(rtrim({value}, 'Z') AS TIMESTAMP) IS NOT NULL AND length(rtrim({value}, 'Z')) = 26"
        case "period":
            return f"TRY_CAST({value} || '-01' AS DATE) IS NOT NULL AND length({value}) = 7"
        case "boolean":
            return f"{value} IN ('true', 'false')"
        case "json":
            return f"json_valid({value})"
        case "enum":
            return f"{value} IN ({', '.join(_text(v) for v in column.values)})"
        case "id" | "text":
            return f"{value} = trim({value}) AND {value} <> ''"


def _first_wrong(conditions: list[tuple[str, str]]) -> tuple[str, str]:
    """From (condition for a wrong row, words as SQL): the CASE that says the first one, and the condition for any."""
    cases = " ".join(f"WHEN {condition} THEN {words}" for condition, words in conditions)
    return f"CASE {cases} END", " OR ".join(f"coalesce({condition}, false)" for condition, _ in conditions)


def _as_declared(table: Table) -> Expectation:
    """Required values are there, every value is the canonical text of its type, every number is inside its bounds."""
    conditions = [
        (f'a."{name}" IS NULL', _text(f"{name} is empty"))
        for name in (*table.required, "row_key", "source_system", "batch_id")
    ]
    for column in table.columns:
        value = f'a."{column.name}"'
        shown = f"{_text(column.name + ': ')} || {value}"
        conditions.append((f"{value} IS NOT NULL AND NOT coalesce({_is_canonical(column)}, false)", shown))
        for bound, sign in ((column.over, "<="), (column.minimum, "<"), (column.maximum, ">")):
            if bound is not None:
                conditions.append((f"TRY_CAST({value} AS DECIMAL(27,8)) {sign} {bound}", shown))
    wrong, where = _first_wrong(conditions)
    return Expectation(
        table.name,
        "rows_are_as_declared",
        "Required values are there, and every value is the canonical text of its type and inside its bounds.",
        _rows(wrong, where),
    )


def _referenced(table: Table) -> Expectation | None:
    """Each id is looked for by itself, so that DuckDB joins it once; a row with several is told by the first."""
    parts: list[str] = []
    for column in table.references:
        reference = column.reference
        if reference is None or column.key_name is None or reference.if_unknown == "keep":
            continue
        key = Column(name=reference.column, type="id", description="").key_name
        named = column.key_name if reference.if_unknown == "suspend" else column.name
        words = f'{_text(column.name + ": ")} || coalesce(a."{column.name}", a."{column.key_name}")'
        missing = f'NOT EXISTS (SELECT 1 FROM landing."{reference.table}" t WHERE t."{key}" = a."{column.key_name}")'
        parts.append(_rows(f"{len(parts)} AS place, {words}", f'a."{named}" IS NOT NULL AND {missing}'))
    if not parts:
        return None
    return Expectation(
        table.name,
        "named_rows_are_accepted",
        "Every row that another names is accepted itself.",
        "SELECT row_key, version_no, file, row_number, arg_min(wrong, place) AS wrong"
        f" FROM ({' UNION ALL '.join(parts)}) GROUP BY row_key, version_no, file, row_number",
    )


def _facts_stay(table: Table) -> Expectation | None:
    if not table.is_fact:
        return None
    columns = [c for c in table.columns if c.is_fact and c.name not in table.key]
    conditions = []
    for column in columns:
        value = f'"{column.name}"'
        first, own = f"f.{value}", f"a.{value}"
        if column.default:
            first, own = f"coalesce({first}, {_text(column.default)})", f"coalesce({own}, {_text(column.default)})"
        if column.reference is not None and column.reference.if_unknown == "suspend":
            first, own = f"coalesce(f.{value}, f.claimed_lease_id)", f"coalesce(a.{value}, a.claimed_lease_id)"
        conditions.append((f"{own} IS DISTINCT FROM {first}", _text(column.name + " changed")))
    wrong, where = _first_wrong(conditions)
    return Expectation(
        table.name,
        "facts_never_change",
        "All versions of a row state the same facts.",
        _rows(
            wrong,
            f"a.version_no > 1 AND ({where})",
            " JOIN (SELECT * FROM {batch}) f ON f.row_key = a.row_key AND f.version_no = 1",
        ),
    )


def _numbered(table: Table) -> Expectation:
    return Expectation(
        table.name,
        "versions_count_from_one",
        "Versions of a row are numbered 1, 2, 3, each once and without a gap.",
        "SELECT row_key, max(version_no) AS version_no, any_value(file) AS file, any_value(row_number) AS row_number,"
        " count(*) || ' rows, versions ' || min(version_no) || ' to ' || max(version_no) AS wrong"
        # Nearly every key is there once, as version 1: those are put aside by a number before text is compared.
        " FROM (SELECT * FROM {batch} WHERE hash(row_key) IN (SELECT hash(row_key) FROM (SELECT * FROM {batch})"
        " GROUP BY hash(row_key) HAVING count(*) > 1 OR min(version_no) <> 1))"
        " GROUP BY row_key HAVING min(version_no) <> 1 OR max(version_no) <> count(*)"
        " OR count(DISTINCT version_no) <> count(*)",
    )


def _no_overlap(table: Table) -> Expectation | None:
    if not table.no_overlap:
        return None
    same = " AND ".join(f'b."{name}" IS NOT DISTINCT FROM a."{name}"' for name in table.no_overlap)
    latest = "(SELECT * FROM {batch} QUALIFY row_number() OVER (PARTITION BY row_key ORDER BY version_no DESC) = 1)"
    return Expectation(
        table.name,
        "periods_do_not_overlap",
        f"Periods of the same {', '.join(table.no_overlap)} do not overlap.",
        "SELECT a.row_key, a.version_no, a.file, a.row_number,"
        " coalesce(a.valid_from, 'always') || ' to ' || coalesce(a.valid_to, 'open') AS wrong"
        f" FROM {latest} a JOIN {latest} b ON b.source_system = a.source_system AND {same} AND b.row_key > a.row_key"
        " WHERE coalesce(a.valid_from, '') < coalesce(b.valid_to, '9999')"
        " AND coalesce(b.valid_from, '') < coalesce(a.valid_to, '9999')",
    )


def _returns_fit() -> Expectation:
    return Expectation(
        "payment_reversals",
        "returns_do_not_exceed_the_payment",
        "What is returned, charged back or refunded of a payment is at most its amount.",
        "SELECT a.row_key, a.version_no, a.file, a.row_number, s.undone || ' of ' || s.paid AS wrong"
        " FROM (SELECT * FROM {batch}) a JOIN ("
        "SELECT r.payment_key, sum(TRY_CAST(r.amount AS DECIMAL(18,2))) AS undone,"
        " any_value(TRY_CAST(p.amount AS DECIMAL(18,2))) AS paid FROM landing.payment_reversals r"
        " JOIN landing.payments p ON p.payment_key = r.payment_key AND p.version_no = 1 WHERE r.version_no = 1"
        " GROUP BY r.payment_key) s ON s.payment_key = a.payment_key WHERE s.undone > s.paid",
    )


def _reversals_fit() -> Expectation:
    reversed_amount = "TRY_CAST(o.amount AS DECIMAL(18,2))"
    own_amount = "TRY_CAST(a.amount AS DECIMAL(18,2))"
    wrong, where = _first_wrong(
        [
            ("o.lease_key <> a.lease_key", "'of lease ' || o.lease_id"),
            (f"abs({own_amount}) > abs({reversed_amount})", "a.amount || ' for ' || o.amount"),
            (f"sign({own_amount}) = sign({reversed_amount})", "a.amount || ' for ' || o.amount"),
        ]
    )
    return Expectation(
        "charges",
        "reversals_fit_what_they_reverse",
        "A charge that reverses another is of its lease, of the opposite sign and not larger.",
        _rows(
            wrong,
            f"a.version_no = 1 AND ({where})",
            " JOIN landing.charges o ON o.charge_key = a.reverses_charge_key AND o.version_no = 1",
        ),
    )


def _reversed_once() -> Expectation:
    return Expectation(
        "charges",
        "a_charge_is_reversed_once",
        "A charge is reversed whole at most once.",
        "SELECT max(a.row_key) AS row_key, 1 AS version_no, any_value(a.file) AS file, any_value(a.row_number)"
        " AS row_number, o.charge_id || ' reversed ' || count(*) || ' times' AS wrong FROM (SELECT * FROM {batch}) a"
        " JOIN landing.charges o ON o.charge_key = a.reverses_charge_key AND o.version_no = 1 WHERE a.version_no = 1"
        " AND TRY_CAST(a.amount AS DECIMAL(18,2)) = -TRY_CAST(o.amount AS DECIMAL(18,2))"
        " GROUP BY o.row_key, o.charge_id HAVING count(*) > 1",
    )


def _matches_were_in_suspense() -> Expectation:
    return Expectation(
        "payment_matches",
        "a_match_is_of_a_payment_in_suspense",
        "Only a payment without a lease is matched.",
        _rows(
            "'payment of lease ' || p.lease_id",
            "p.lease_key IS NOT NULL",
            " JOIN landing.payments p ON p.payment_key = a.payment_key AND p.version_no = 1",
        ),
    )


_OWN: dict[str, tuple[Callable[[], Expectation], ...]] = {
    "charges": (_reversals_fit, _reversed_once),
    "payment_reversals": (_returns_fit,),
    "payment_matches": (_matches_were_in_suspense,),
}


def suite(table: Table) -> tuple[Expectation, ...]:
    """The suite of a table, generated from its contract."""
    found = [
        _as_declared(table),
        _referenced(table),
        _facts_stay(table),
        _numbered(table),
        _no_overlap(table),
        *(make() for make in _OWN.get(table.name, ())),
    ]
    return tuple(expectation for expectation in found if expectation is not None)


def suites() -> dict[str, tuple[Expectation, ...]]:
    """The suites of the core tables, by table."""
    return {name: suite(contract()[name]) for name in CORE_TABLES}
