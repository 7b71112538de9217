"""The one canonical text of a value, by the type of its column: how a cell is read."""

from __future__ import annotations

from orchestration.contract import Column
from orchestration.landing.judge.expressions import landed_text, literal, matches, raw_text, trimmed_text
from orchestration.landing.read import AMOUNT

DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIMESTAMP = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?( ?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?))?)?"
)
_TRUE = "('true', 't', 'yes', 'y', '1')"
_FALSE = "('false', 'f', 'no', 'n', '0')"
#: A day, a time to the second and an offset: what systems of record write.
_INSTANT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
INSTANT_FORMAT = "%Y-%m-%dT%H:%M:%S.%f"


def _instant(text: str) -> str:
    return f"strftime(make_timestamp(epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))), {literal(INSTANT_FORMAT + 'Z')})"


def _timestamp(value: str, raw: str) -> str:
    plain = f"{matches(value, _INSTANT)} AND {value} >= '1900' AND {value} < '2200'"
    # The form is known here: a sign or a Z behind the day belongs to an offset.
    time = f"substr({raw}, 12)"
    offset = " OR ".join(f"contains({time}, {literal(sign)})" for sign in "Zz+-")
    # DuckDB wants +hh:mm or +hh; +hhmm gets its colon.
    short = f"{raw}[-5] IN ('+', '-')"
    colon = f"CASE WHEN {short} THEN left({raw}, -2) || ':' || right({raw}, 2) ELSE upper({raw}) END"
    local = f"strftime(TRY_CAST({raw} AS TIMESTAMP), {literal(INSTANT_FORMAT)})"
    year = f"{raw} >= '1900' AND {raw} < '2200'"
    return (
        f"CASE WHEN {plain} THEN {_instant(value)} WHEN {matches(raw, _TIMESTAMP)} AND {year}"
        f" THEN CASE WHEN {offset} THEN {_instant(colon)} ELSE {local} END END"
    )


def canonical(column: Column) -> str:
    """SQL for the canonical text of a column, NULL where it is empty or cannot be read.

    Most values landed as they are kept. So each is first taken for canonical text: one that reads and writes as itself
    is; only the others are trimmed and looked at more closely. Both ways give the same text.
    """
    landed, raw = landed_text(column.name), raw_text(column.name)
    match column.type:
        case "id" | "text":
            return f"upper({raw})" if column.check == "currency" else trimmed_text(landed)
        case "amount":
            # Ten digits before the point, as in AMOUNT.
            as_is = f"CAST(TRY_CAST({landed} AS DECIMAL(12,2)) AS VARCHAR) = {landed}"
            read = f"WHEN {matches(raw, AMOUNT)} THEN CAST(TRY_CAST({raw} AS DECIMAL(18,2)) AS VARCHAR)"
            return f"CASE WHEN {as_is} THEN {landed} {read} END"
        case "rate":
            plain = f"CAST(TRY_CAST({raw} AS DECIMAL(18,8)) AS VARCHAR)"
            shortest = f"regexp_replace(regexp_replace({plain}, '0+$', ''), '[.]$', '')"
            return f"CASE WHEN {matches(raw, '[+-]?([0-9]{1,9}([.][0-9]{0,8})?|[.][0-9]{1,8})')} THEN {shortest} END"
        case "integer":
            return f"CASE WHEN {matches(raw, '[+-]?[0-9]{1,9}')} THEN CAST(TRY_CAST({raw} AS BIGINT) AS VARCHAR) END"
        case "date":
            day = f"TRY_CAST({raw} AS DATE)"
            usable = f"{matches(raw, DATE)} AND year({day}) BETWEEN 1900 AND 2199"
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
            return f"CASE WHEN {matches(raw, '[0-9]{4}-(0[1-9]|1[0-2])')} THEN {raw} END"
