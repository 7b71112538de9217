"""What can be wrong with a row by itself, and the words in which it is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orchestration.contract import HARD_LIMIT, Column, Table, contract
from orchestration.landing.judge.canonical import DATE
from orchestration.landing.judge.expressions import literal, matches, name, raw_text, shown
from orchestration.landing.reasons import REASONS


def _amount_words(raw: str) -> str:
    """SQL that names what is wrong with an amount."""
    cases = (
        (f"lower({raw}) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')", "not a number (NaN or infinite)"),
        (f"lower({raw}) IN ('null', 'none', 'n/a', 'na', '-', '#n/a', '#value!', '#ref!')", "a word for nothing"),
        (f"regexp_matches({raw}, '^[(].*[)]$')", "parentheses for a negative"),
        (f"regexp_matches({raw}, '[$€£¥]|^[A-Za-z]{{3}} ?[0-9]|[0-9] ?[A-Za-z]{{3}}$')", "a currency sign"),
        (matches(raw, "[+-]?([0-9]+|[0-9]{1,3}([. ][0-9]{3})+),[0-9]{1,2}"), "a decimal comma"),
        (matches(raw, "[+-]?[0-9]{1,3}([, '’][0-9]{3})+([.][0-9]*)?"), "thousands separators"),
        (f"contains({raw}, ',')", "a comma"),
        (matches(raw, "[+-]?[0-9]*[.][0-9]{3,}"), "more than two decimals"),
        (matches(raw, "[+-]?[0-9.]+[eE][+-]?[0-9]+"), "scientific notation"),
        (matches(raw, "[0-9.]+-"), "a sign behind the number"),
        (matches(raw, "[+-]?[0-9]{11,}([.][0-9]{0,2})?"), "more than ten digits before the point"),
        (f"regexp_matches({raw}, '[−–]')", "a dash that is not a minus sign"),
    )
    whens = " ".join(f"WHEN {test} THEN {literal(words)}" for test, words in cases)
    return f"CASE {whens} ELSE 'text that is not a number' END"


def _date_words(raw: str) -> str:
    cases = (
        (matches(raw, "[0-9]{5}([.][0-9]+)?"), "an Excel serial number instead of a date"),
        (
            matches(raw, "[0-9]{1,2}[/.-][0-9]{1,2}[/.-]([0-9]{2}|[0-9]{4})"),
            "a date whose day and month are ambiguous",
        ),
        (matches(raw, "[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"), "a date with slashes"),
        (matches(raw, "[0-9]{8}"), "a date without dashes"),
        (matches(raw, DATE + "[T ].+"), "a date with a time of day"),
        (f"{matches(raw, DATE)} AND TRY_CAST({raw} AS DATE) IS NULL", "a day that does not exist"),
        (matches(raw, DATE), "a year out of range, likely a typing error"),
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


def fault_of(when: str, reason: str, where: str, found: str, expected: str | None = None) -> Fault:
    """`found` is SQL text. The detail says column, found, expected and what to do."""
    words = REASONS[reason]
    tail = f"; expected {expected or words.expected}. {words.what_to_do}"
    return Fault(when, reason, f"{literal(where + ': found ')} || {found} || {literal(tail)}")


def _type_fault(column: Column) -> Fault | None:
    if column.type in ("id", "text"):
        return None
    raw = raw_text(column.name)
    value = name(column.name)
    found = shown(raw)
    expected = None
    if column.type == "amount":
        found += f" || ' (' || {_amount_words(raw)} || ')'"
    elif column.type == "date":
        found += f" || ' (' || {_date_words(raw)} || ')'"
    elif column.type == "enum":
        expected = "one of " + ", ".join(column.values)
    return fault_of(f"{value} IS NULL AND {raw} IS NOT NULL", _TYPE_REASON[column.type], column.name, found, expected)


def _bound_faults(column: Column) -> Iterable[Fault]:
    if column.type not in ("amount", "rate", "integer"):
        return
    kind = "DECIMAL(18,2)" if column.type == "amount" else "DECIMAL(27,8)"
    number = f"TRY_CAST({name(column.name)} AS {kind})"
    found = name(column.name)
    if column.over is not None:
        yield fault_of(
            f"{number} <= {column.over}", "amount_not_positive", column.name, found, f"more than {column.over}"
        )
    if column.minimum is not None:
        yield fault_of(
            f"{number} < {column.minimum}", "number_out_of_range", column.name, found, f"at least {column.minimum}"
        )
    if column.maximum is not None:
        yield fault_of(
            f"{number} > {column.maximum}", "number_out_of_range", column.name, found, f"at most {column.maximum}"
        )
    if column.type == "amount" and column.limit < HARD_LIMIT:
        yield fault_of(
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
        fault_of(
            f"source_system <> 'default' AND NOT {matches('source_system', '[A-Za-z0-9][A-Za-z0-9_.-]{0,59}')}",
            "bad_source_system",
            "source_system",
            shown("source_system"),
        )
    ]
    for column in table.columns:
        raw = raw_text(column.name)
        if column.required:
            empty = f"{name(column.name)} IS NULL AND {raw} IS NULL"
            faults.append(fault_of(empty, "missing_required", column.name, "'nothing'"))
        typed = _type_fault(column)
        if typed is not None:
            faults.append(typed)
        faults += _bound_faults(column)
        if column.pattern is not None:
            faults.append(
                fault_of(
                    f"NOT {matches(raw, column.pattern)}",
                    "bad_format",
                    column.name,
                    shown(raw),
                    f"a value like {column.like}",
                )
            )
        if column.check == "currency":
            listed = "(SELECT code FROM door_currencies)"
            faults.append(
                fault_of(f"upper({raw}) NOT IN {listed}", "currency_not_two_decimals", column.name, shown(raw))
            )
        elif column.check == "time_zone":
            listed = "(SELECT zone FROM door_time_zones)"
            faults.append(fault_of(f"{raw} NOT IN {listed}", "unknown_time_zone", column.name, shown(raw)))
        elif column.check == "landing_table":
            listed = ", ".join(literal(each.name) for each in contract())
            words = "the name of a landing table, such as charges"
            faults.append(fault_of(f"{raw} NOT IN ({listed})", "not_in_list", column.name, shown(raw), words))
        elif column.check == "steps":
            problem = (
                f"(SELECT b.problem FROM door_bad_steps b WHERE b.steps = read_rows.{name(column.name)}"
                f" AND b.source IS NOT DISTINCT FROM {source_of_steps(table)})"
            )
            faults.append(fault_of(f"{problem} IS NOT NULL", "bad_rule_steps", column.name, problem))
    for rule in table.requires:
        for needed in rule.columns:
            faults.append(
                fault_of(
                    f"{name(rule.when)} = {literal(rule.value)} AND {raw_text(needed)} IS NULL",
                    "missing_required",
                    needed,
                    "'nothing'",
                    f"a value where {rule.when} is {rule.value}",
                )
            )
    if table.one_of:
        empty = " AND ".join(f"{raw_text(column)} IS NULL" for column in table.one_of)
        faults.append(
            fault_of(empty, "missing_required", " or ".join(table.one_of), "'nothing'", "a value in one of them")
        )
    for first, last, exclusive in _RANGES:
        if first in table.names and last in table.names:
            wrong = "<=" if exclusive else "<"
            faults.append(
                fault_of(
                    f"{name(last)} {wrong} {name(first)}",
                    "dates_out_of_order",
                    f"{first}, {last}",
                    f"{name(first)} || ' to ' || {name(last)}",
                )
            )
    faults.append(
        fault_of(
            f"recorded_at IS NULL AND {raw_text('recorded_at')} IS NOT NULL",
            "not_a_timestamp",
            "recorded_at",
            shown(raw_text("recorded_at")),
        )
    )
    return faults


def source_of_steps(table: Table) -> str:
    """SQL for who stands behind the steps of a row of `read_rows` (`law`, `policy`), NULL where it is not said."""
    return "read_rows.source" if "source" in table.names else "CAST(NULL AS VARCHAR)"
