"""The door of the kernel: Arrow tables in, checked arrays in business order out.

The problem. The loop trusts its input blindly, because it is compiled. So everything that it relies on is checked here,
once, and an error names the account and the event, so that a person can look the row up.

The order of steps. Take the named columns and cast them; refuse nulls where there must be none; rank each event in the
business order of its day; sort; find the event that each one names; check signs, names, dates, knowledge and amounts.

Business order. Business date; then opening balance (0); charge, positive correction, transfer in (1); credit, negative
correction (2); payment, deposit applied, transfer out, write-off (3); charge reversal (4); return, refund of credit and
any other undoing (5); then known at, then the order of table and id (`tie_rank`), then `event_key`.

What it refuses. An undoing (charge reversal, return, a write-off or deposit with a positive amount) that names nothing
in its own account, names the wrong kind or counts earlier than what it names; any event known before one that it names
in its account; a charge reversal
that is not the exact negative of the whole row, or the second one of a row; returns of more than the payment; a kind,
designation or rule key it does not know; an event key that stands twice; an account whose money would not fit int64.

What it lets pass. A credit, write-off or payment may name an event of another account, or one that has not posted yet:
it then simply finds nothing open there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dbt_project.kernels.allocation.rules import Rule
from dbt_project.kernels.allocation.words import (
    CHARGE,
    CORRECTION,
    CREDIT,
    DEPOSIT,
    DESIGNATIONS,
    KINDS,
    OPENING,
    PAYMENT,
    REFUND,
    RETURN,
    REVERSAL,
    SOURCE,
    TARGET,
    TRANSFER,
    UNDO,
    WRITE_OFF,
)

LARGEST_AMOUNT = 10**18  # what DECIMAL(18,2) holds, in minor units
LARGEST_TOTAL = 2**61  # the sum of absolute amounts of one account; half of what int64 holds, so that no sum can wrap

_DAY = pa.date32()
EVENTS_SCHEMA = pa.schema(
    [
        pa.field("account_key", pa.int64(), nullable=False),
        pa.field("event_key", pa.int64(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("amount_minor", pa.int64(), nullable=False),
        pa.field("business_on", _DAY, nullable=False),
        pa.field("known_at", pa.timestamp("us"), nullable=False),
        pa.field("tie_rank", pa.int64(), nullable=False),
        pa.field("names_event_key", pa.int64()),
        pa.field("due_on", _DAY),
        pa.field("posted_on", _DAY, nullable=False),
        pa.field("category", pa.string()),
        pa.field("code_key", pa.string()),
        pa.field("gl_account", pa.string()),
        pa.field("counts_as_rent", pa.bool_(), nullable=False),
        pa.field("application_priority", pa.int32()),
        pa.field("rent_period_from", _DAY),
        pa.field("current_period_from", _DAY),
        pa.field("service_from", _DAY),
        pa.field("service_to", _DAY),
        pa.field("responsible_person_key", pa.string()),
        pa.field("payer_person_key", pa.string()),
        pa.field("is_individual_billing", pa.bool_(), nullable=False),
        pa.field("designation", pa.string()),
        pa.field("designation_code_key", pa.string()),
        pa.field("covers_from", _DAY),
        pa.field("covers_to", _DAY),
        pa.field("is_forgiven", pa.bool_(), nullable=False),
        pa.field("is_after_move_out", pa.bool_(), nullable=False),
        pa.field("policy_rule_key", pa.int32(), nullable=False),
        pa.field("law_rule_key", pa.int32()),
    ]
)

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class InputError(ValueError):
    """Events that cannot be played. The message names the account and the event."""


@dataclass(frozen=True)
class Inputs:
    """Events sorted by account and business order, checked.

    `table` has EVENTS_SCHEMA in that order. The arrays run along it: `kind` and `role` are codes, `named` is the
    position of the event named if it is in the same account, else -1, `accounts` holds where each account starts
    (and, last, where the table ends).
    """

    table: pa.Table
    account: Ints
    event: Ints
    kind: Ints
    role: Ints
    amount: Ints
    business: Ints
    known: Ints
    named: Ints
    accounts: Ints


def read_events(events: pa.Table, rules: dict[int, Rule]) -> Inputs:
    """Check the events and bring them into business order.

    Args:
        events: a table with the columns of EVENTS_SCHEMA, in any order and any row order; others are left aside.
        rules: the rules that events may name, as `parse_rules` returns them.

    Raises:
        InputError: see the module's "what it refuses".
    """
    table = _typed(events)
    _refuse_nulls(table)
    kind = _codes(table, "kind", KINDS)
    amount = ints(table, "amount_minor")
    account = ints(table, "account_key")
    order = _business_order(table, kind, amount, account)
    if order is not None:
        table = table.take(pa.array(order))
        kind, amount, account = kind[order], amount[order], account[order]
    event = ints(table, "event_key")
    named = _named(table, event, account)
    read = Inputs(
        table=table,
        account=account,
        event=event,
        kind=kind,
        role=_roles(kind, amount),
        amount=amount,
        business=ints(table, "business_on"),
        known=ints(table, "known_at"),
        named=named,
        accounts=np.flatnonzero(np.diff(account, prepend=account[0] - 1, append=account[-1] + 1))
        if len(account)
        else np.zeros(1, np.int64),
    )
    _check(read, rules)
    return read


def _typed(events: pa.Table) -> pa.Table:
    missing = [name for name in EVENTS_SCHEMA.names if name not in events.column_names]
    if missing:
        raise InputError(f"the events table lacks the columns {', '.join(missing)}")
    columns = []
    for field in EVENTS_SCHEMA:
        column = events[field.name]
        if pa.types.is_floating(column.type):
            raise InputError(f"the events column {field.name} is {column.type}; money and keys are never floats")
        if column.type != field.type:
            try:
                column = column.cast(field.type)
            except pa.ArrowInvalid as error:
                raise InputError(f"the events column {field.name} is not {field.type}: {error}") from error
        columns.append(column.combine_chunks())
    return pa.Table.from_arrays(columns, schema=pa.schema([f.with_nullable(True) for f in EVENTS_SCHEMA]))


def _refuse_nulls(table: pa.Table) -> None:
    for field in EVENTS_SCHEMA:
        if not field.nullable and table[field.name].null_count:
            at = int(np.flatnonzero(table[field.name].is_null().to_numpy())[0])
            row = table.slice(at, 1).to_pylist()[0]
            raise InputError(f"account {row['account_key']}, event {row['event_key']}: {field.name} is missing")


def ints(table: pa.Table, name: str, null: int = 0) -> Ints:
    """A column as int64: days since 1970 for dates, microseconds for timestamps, `null` where there is none."""
    column = table[name]
    if pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    column = column.cast(pa.int64())
    if column.null_count:
        column = pc.fill_null(column, null)
    return column.to_numpy()


def days(table: pa.Table, name: str, null: int) -> Ints:
    """A column of dates as days since 1970, `null` where there is none."""
    return ints(table, name, null)


def _codes(table: pa.Table, name: str, words: tuple[str, ...]) -> Ints:
    found = pc.index_in(table[name], value_set=pa.array(words))
    unknown = pc.and_(found.is_null(), table[name].is_valid())
    if pc.any(unknown).as_py():
        row = table.filter(unknown).slice(0, 1).to_pylist()[0]
        where = f"account {row['account_key']}, event {row['event_key']}"
        raise InputError(f"{where}: {name} {row[name]!r} is not one of {', '.join(words)}")
    return pc.fill_null(found, -1).to_numpy().astype(np.int64)


def _roles(kind: Ints, amount: Ints) -> Ints:
    role = np.where(amount >= 0, TARGET, SOURCE)
    role[(kind == REVERSAL) | (kind == RETURN)] = UNDO
    role[(kind == CREDIT) | (kind == PAYMENT)] = SOURCE
    held = (kind == WRITE_OFF) | (kind == DEPOSIT)
    role[held] = np.where(amount[held] > 0, UNDO, SOURCE)
    return role


def _ranks(kind: Ints, role: Ints) -> Ints:
    by_kind = np.empty(len(KINDS), np.int64)
    by_kind[OPENING] = 0
    by_kind[[CHARGE, CORRECTION, TRANSFER]] = 1
    by_kind[CREDIT] = 2
    by_kind[[PAYMENT, DEPOSIT, WRITE_OFF]] = 3
    by_kind[REVERSAL] = 4
    by_kind[[RETURN, REFUND]] = 5
    rank = by_kind[kind]
    rank[(kind == CORRECTION) & (role == SOURCE)] = 2
    rank[(kind == TRANSFER) & (role == SOURCE)] = 3
    rank[(role == UNDO) & (kind != REVERSAL)] = 5
    return rank


def _business_order(table: pa.Table, kind: Ints, amount: Ints, account: Ints) -> Ints | None:
    """The order to take the rows in, or None where they stand in it already."""
    rank = _ranks(kind, _roles(kind, amount))
    keys = (
        ints(table, "event_key"),
        ints(table, "tie_rank"),
        ints(table, "known_at"),
        # Days fit 32 bits and ranks 3: one key instead of two.
        ints(table, "business_on") * 8 + rank,
        account,
    )
    if _is_sorted(keys):
        return None
    return np.lexsort(keys)


def _is_sorted(keys: tuple[Ints, ...]) -> bool:
    undecided = np.ones(max(len(keys[0]) - 1, 0), np.bool_)
    for key in reversed(keys):
        if np.any(undecided & (key[1:] < key[:-1])):
            return False
        undecided &= key[1:] == key[:-1]
    return True


def _named(table: pa.Table, event: Ints, account: Ints) -> Ints:
    by_key = np.argsort(event, kind="stable")
    keys = event[by_key]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        at = by_key[twice[0]]
        raise InputError(f"account {account[at]}, event {event[at]}: the event key stands twice")
    named = np.full(len(event), -1, np.int64)
    names = table["names_event_key"]
    has = names.is_valid().to_numpy()
    if not has.any():
        return named
    wanted = ints(table, "names_event_key")[has]
    at = np.searchsorted(keys, wanted)
    at[at == len(keys)] = 0
    found = by_key[at]
    hit = (keys[at] == wanted) & (account[found] == account[has])
    named[has] = np.where(hit, found, -1)
    return named


def _check(read: Inputs, rules: dict[int, Rule]) -> None:
    def refuse(bad: Bools, why: Callable[[int], str]) -> None:
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise InputError(f"account {read.account[at]}, event {read.event[at]} ({KINDS[read.kind[at]]}): {why(at)}")

    kind, role, amount, named = read.kind, read.role, read.amount, read.named
    positive = np.isin(kind, [CHARGE, RETURN, REFUND])
    negative = np.isin(kind, [CREDIT, PAYMENT])
    refuse(
        positive & (amount < 0), lambda at: f"the amount {amount[at]} is negative, but this kind raises what is owed"
    )
    refuse(
        negative & (amount > 0), lambda at: f"the amount {amount[at]} is positive, but this kind lowers what is owed"
    )

    undo = role == UNDO
    names = ints(read.table, "names_event_key", null=-1)
    refuse(undo & (named < 0), lambda at: f"it undoes event {names[at]}, which is not in its account")
    of = np.where(named >= 0, named, 0)
    may_undo = {RETURN: PAYMENT, WRITE_OFF: WRITE_OFF, DEPOSIT: DEPOSIT}
    for one, other in may_undo.items():
        refuse(
            undo & (kind == one) & (kind[of] != other),
            lambda at, other=other: f"it undoes event {names[at]}, a {KINDS[kind[of[at]]]}, not a {KINDS[other]}",
        )
    refuse(
        undo & (kind == REVERSAL) & ~np.isin(kind[of], [OPENING, CHARGE, CREDIT, CORRECTION]),
        lambda at: f"it reverses event {names[at]}, a {KINDS[kind[of[at]]]}, not a charge, a credit or a correction",
    )
    refuse(undo & (role[of] == UNDO), lambda at: f"it undoes event {names[at]}, which itself undoes another")
    refuse(
        undo & (read.business < read.business[of]),
        lambda at: f"it counts before event {names[at]}, which it undoes",
    )
    early = (named >= 0) & (read.known < read.known[of])
    refuse(early, lambda at: f"it was known before event {names[at]}, which it names")
    refuse(
        undo & (kind == REVERSAL) & (amount != -amount[of]),
        lambda at: f"its amount {amount[at]} is not the exact negative of event {names[at]} ({amount[of[at]]})",
    )
    reversals = np.flatnonzero(undo & (kind == REVERSAL))
    first = np.unique(named[reversals], return_index=True)[1]
    again = np.zeros(len(kind), np.bool_)
    again[np.delete(reversals, first)] = True
    refuse(again, lambda at: f"event {names[at]} is reversed twice")
    undone = np.zeros(len(kind), np.int64)
    np.add.at(undone, named[undo], np.abs(amount[undo]))
    refuse(
        (role == SOURCE) & (undone > -amount),
        lambda at: f"{undone[at]} of it is returned or undone, more than its {-amount[at]}",
    )

    designation = _codes(read.table, "designation", DESIGNATIONS)
    coded = designation == DESIGNATIONS.index("code")
    refuse(
        coded & read.table["designation_code_key"].is_null().to_numpy(),
        lambda at: "it is designated to a charge code but designation_code_key is missing",
    )
    known_rules = np.array(sorted(rules), np.int64)
    for column in ("policy_rule_key", "law_rule_key"):
        keys = ints(read.table, column)
        refuse(
            read.table[column].is_valid().to_numpy() & ~np.isin(keys, known_rules),
            lambda at, column=column, keys=keys: f"{column} {keys[at]} is not in the rules table",
        )
    held = np.array(sorted(key for key, rule in rules.items() if rule.hold), np.int64)
    laws = ints(read.table, "law_rule_key")
    refuse(
        read.table["law_rule_key"].is_valid().to_numpy() & np.isin(laws, held),
        lambda at: f"its law, rule {laws[at]}, says hold; only a policy can",
    )
    if len(amount):
        refuse(np.abs(amount) > LARGEST_AMOUNT, lambda at: f"the amount {amount[at]} is out of range")
        # Shifted right, so that even eight million of the largest amounts cannot wrap the sum that looks for it.
        totals = np.add.reduceat(np.abs(amount) >> 20, read.accounts[:-1])
        over = np.zeros(len(amount), np.bool_)
        over[read.accounts[:-1]] = totals >= (LARGEST_TOTAL >> 20)
        refuse(over, lambda at: "the amounts of this account add up to more than the books can hold")
