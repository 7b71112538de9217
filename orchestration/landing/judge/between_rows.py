"""What must hold between rows: what a row names, what reverses or overlaps what, which of several may enter.

Both lists are SQL over `work`, the rows that are judged, and the rows accepted so far.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.contract import Table
from orchestration.landing.judge.canonical import INSTANT_FORMAT
from orchestration.landing.judge.expressions import (
    NONE,
    UNIT,
    current,
    decimal,
    found_name,
    landing,
    literal,
    name,
    shown,
)
from orchestration.landing.judge.row_faults import fault_of

#: A payment (as `r`) in suspense that names no entity, and no account with a collection arrangement on its day.
BELONGS_TO_NOBODY = """r.lease_key IS NULL AND r.entity_id IS NULL AND r.entity_key IS NULL AND NOT EXISTS (
    SELECT 1 FROM landing.collection_arrangements c WHERE c.version_no = 1
    AND c.settlement_account = r.settlement_account AND c.source_system IN (r.source_system, 'default')
    AND c.valid_from <= r.received_on
    AND (c.valid_to IS NULL OR c.valid_to > r.received_on))"""


def _failure(reason: str, where: str, found: str, source: str, expected: str | None = None) -> str:
    """A SELECT of failures (n, reason, detail). `found` is SQL text, `source` the FROM clause and what follows."""
    fault = fault_of("true", reason, where, found, expected)
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
        found.append(_failure(reason, column.name, shown(name(column.name)), source, expected))
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
    near = f"recorded_at > strftime({loaded_at} - INTERVAL 14 HOUR, {literal(INSTANT_FORMAT)})"
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
    amount, original = decimal("r.amount"), decimal("o.amount")
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
            f"{named} WHERE {original} = -{decimal('oo.amount')}",
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
            f" AND x.charge_key <> r.charge_key AND {decimal('x.amount')} = -{original} WHERE {whole}",
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
            joined + f"{decimal('r.amount')} <> {decimal('o.amount')}",
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
            f"work r WHERE {BELONGS_TO_NOBODY}",
        )
    ]


def _between_reversals() -> list[str]:
    return [
        _failure(
            "returned_more_than_paid",
            "amount",
            "r.amount || ' after ' || coalesce(u.used, 0) || ' of a payment of ' || p.amount",
            "work r JOIN landing.payments p ON p.payment_key = r.payment_key AND p.version_no = 1"
            f" LEFT JOIN (SELECT payment_key, sum({decimal('amount')}) AS used FROM landing.payment_reversals"
            " WHERE version_no = 1 GROUP BY payment_key) u ON u.payment_key = r.payment_key"
            f" WHERE r.known_version = 0 AND {decimal('r.amount')} + coalesce(u.used, 0) > {decimal('p.amount')}",
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
    parts = [f"{alias}.source_system", *(f"coalesce({alias}.{name(column)}, {NONE})" for column in columns)]
    return f" || {UNIT} || ".join(parts)


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
            f" ANTI JOIN failed f ON f.n = r.n WHERE {decimal('r.amount')} = -{decimal('o.amount')})"
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
            f" sum({decimal('r.amount')}) OVER (PARTITION BY r.payment_key ORDER BY r.reversed_on, {order}) AS upto,"
            f" row_number() OVER (PARTITION BY r.payment_key ORDER BY r.reversed_on, {order}) AS place"
            f" FROM {free} JOIN landing.payments p ON p.payment_key = r.payment_key AND p.version_no = 1"
            " WHERE r.known_version = 0) x"
            f" LEFT JOIN (SELECT payment_key, sum({decimal('amount')}) AS used FROM landing.payment_reversals"
            " WHERE version_no = 1 GROUP BY payment_key) u ON u.payment_key = x.payment_key"
            f" WHERE x.place > 1 AND x.upto + coalesce(u.used, 0) > {decimal('x.paid')}"
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
