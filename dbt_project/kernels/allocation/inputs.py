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

from dbt_project.kernels.allocation.ordering import sort_accounts
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
    """Checked events. The table and the arrays are in the order in which the rows came.

    `order` holds rows by account and business order, `accounts` where each account starts in it (and, last, its end).
    `kind` and `role` are codes of `words`, `named` is the row of the event named if it is in the same account, else -1;
    `policy` and `law` are places in the sorted rule keys, -1 for no law.
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
    policy: Ints
    law: Ints
    order: Ints
    accounts: Ints


def read_events(events: pa.Table, rules: dict[int, Rule]) -> Inputs:
    """Check the events and find their business order.

    Args:
        events: a table with the columns of EVENTS_SCHEMA, in any order and any row order; others are left aside.
        rules: the rules that events may name, as `parse_rules` returns them.

    Raises:
        InputError: see the module's "what it refuses".
    """
    table = _typed(events)
    _refuse_nulls(table)
    kind = codes(table, "kind", KINDS)
    amount = numbers(table, "amount_minor")
    account = numbers(table, "account_key")
    event = numbers(table, "event_key")
    business = numbers(table, "business_on")
    known = numbers(table, "known_at")
    role = _roles(kind, amount)
    keys = np.array(sorted(rules), np.int64)
    order, accounts = _business_order(table, account, event, known, business * np.int64(8) + _ranks(kind, role))
    read = Inputs(
        table=table,
        account=account,
        event=event,
        kind=kind,
        role=role,
        amount=amount,
        business=business,
        known=known,
        named=_named(table, event, account),
        policy=_places(table, "policy_rule_key", keys),
        law=_places(table, "law_rule_key", keys),
        order=order,
        accounts=accounts,
    )
    _check(read, [rules[key] for key in keys.tolist()])
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


def numbers(table: pa.Table, name: str, null: int = 0) -> Ints:
    """A column as integers of its own width: days for dates, microseconds for timestamps; `null` where none."""
    column = table[name].chunk(0) if table[name].num_chunks else pa.array([], table.schema.field(name).type)
    if column.null_count == len(column):
        return np.full(len(column), null, np.int64 if column.type.bit_width == 64 else np.int32)
    if pa.types.is_date32(column.type):
        column = column.view(pa.int32())
    elif pa.types.is_timestamp(column.type):
        column = column.view(pa.int64())
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return (pc.fill_null(column, null) if column.null_count else column).to_numpy()


def codes(table: pa.Table, name: str, words: tuple[str, ...]) -> Ints:
    """A column of words as their places in `words`, -1 where there is none. Raises InputError for another word."""
    found = pc.index_in(table[name], value_set=pa.array(words))
    if found.null_count > table[name].null_count:
        unknown = pc.and_(found.is_null(), table[name].is_valid())
        row = table.filter(unknown).slice(0, 1).to_pylist()[0]
        where = f"account {row['account_key']}, event {row['event_key']}"
        raise InputError(f"{where}: {name} {row[name]!r} is not one of {', '.join(words)}")
    return pc.fill_null(found, -1).to_numpy().astype(np.int8)


def _places(table: pa.Table, name: str, keys: Ints) -> Ints:
    """Rule keys as places in `keys`: -1 where there is none, len(keys) where it is not among them."""
    rule = numbers(table, name)
    place = np.searchsorted(keys, rule).astype(np.int32)
    if len(keys):
        place[keys[np.minimum(place, len(keys) - 1)] != rule] = len(keys)
    place[table[name].is_null().to_numpy()] = -1
    return place


def _among(*kinds: int) -> Bools:
    """A table to look up whether a kind is among these."""
    among = np.zeros(len(KINDS), np.bool_)
    among[list(kinds)] = True
    return among


def _roles(kind: Ints, amount: Ints) -> Ints:
    role = np.where(amount >= 0, TARGET, SOURCE).astype(np.int8)
    role[_among(CREDIT, PAYMENT)[kind]] = SOURCE
    held = _among(WRITE_OFF, DEPOSIT)[kind]
    role[held] = np.where(amount[held] > 0, UNDO, SOURCE)
    role[_among(REVERSAL, RETURN)[kind]] = UNDO
    return role


def _ranks(kind: Ints, role: Ints) -> Ints:
    rank = np.empty((len(KINDS), 3), np.int8)
    rank[OPENING] = 0
    rank[[CHARGE, CORRECTION, TRANSFER]] = 1
    rank[CREDIT] = rank[CORRECTION, SOURCE] = 2
    rank[[PAYMENT, DEPOSIT, WRITE_OFF]] = rank[TRANSFER, SOURCE] = 3
    rank[REVERSAL] = 4
    rank[[RETURN, REFUND]] = rank[[WRITE_OFF, DEPOSIT], UNDO] = 5
    return rank[kind, role]


def _business_order(table: pa.Table, account: Ints, event: Ints, known: Ints, day_and_rank: Ints) -> tuple[Ints, Ints]:
    """Rows by account and business order, and where each account starts."""
    count = len(account)
    if not count:
        return np.empty(0, np.int64), np.zeros(1, np.int64)
    if np.all(account[1:] >= account[:-1]):
        order, grouped = np.arange(count), account
    else:
        order = np.argsort(account, kind="stable")
        grouped = account[order]
    accounts = np.concatenate(([0], np.flatnonzero(grouped[1:] != grouped[:-1]) + 1, [count]))
    # Arrow lends arrays that may not be written; a second type of array would be a second compilation.
    keys = [np.require(key, np.int64, "CW") for key in (event, numbers(table, "tie_rank"), known, day_and_rank)]
    sort_accounts(order, np.empty_like(order), accounts, *keys)
    return order, accounts


def _named(table: pa.Table, event: Ints, account: Ints) -> Ints:
    in_order = bool(np.all(event[1:] > event[:-1]))
    by_key = np.arange(len(event)) if in_order else np.argsort(event, kind="stable")
    keys = event if in_order else event[by_key]
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        at = by_key[twice[0]]
        raise InputError(f"account {account[at]}, event {event[at]}: the event key stands twice")
    named = np.full(len(event), -1, np.int64)
    has = np.flatnonzero(table["names_event_key"].is_valid().to_numpy())
    if len(has):
        wanted = numbers(table, "names_event_key")[has]
        found = by_key[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)]
        named[has] = np.where((event[found] == wanted) & (account[found] == account[has]), found, -1)
    return named


def _check(read: Inputs, rules: list[Rule]) -> None:
    def refuse(rows: Ints, bad: Bools, why: Callable[[int], str]) -> None:
        """Refuse the first of `rows` that is bad."""
        if bad.any():
            at = int(rows[np.argmax(bad)])
            raise InputError(f"account {read.account[at]}, event {read.event[at]} ({KINDS[read.kind[at]]}): {why(at)}")

    kind, role, amount, named = read.kind, read.role, read.amount, read.named
    every = np.arange(len(kind))
    out = (amount > LARGEST_AMOUNT) | (amount < -LARGEST_AMOUNT)
    refuse(every, out, lambda at: f"the amount {amount[at]} is out of range")
    if len(amount):
        # Shifted right, so that even eight million of the largest amounts cannot wrap the sum that looks for it.
        totals = np.add.reduceat(np.abs(amount[read.order]) >> 20, read.accounts[:-1])
        first = read.order[read.accounts[:-1]]
        words = "the amounts of this account add up to more than the books can hold"
        refuse(first, totals >= (LARGEST_TOTAL >> 20), lambda at: words)
    for kinds, bad, words in (
        (_among(CHARGE, RETURN, REFUND), amount < 0, "negative, but this kind raises what is owed"),
        (_among(CREDIT, PAYMENT), amount > 0, "positive, but this kind lowers what is owed"),
    ):
        refuse(every, kinds[kind] & bad, lambda at, words=words: f"the amount {amount[at]} is {words}")

    names = numbers(read.table, "names_event_key", null=-1)
    rows = np.flatnonzero(named >= 0)
    early = read.known[rows] < read.known[named[rows]]
    undo = np.flatnonzero(role == UNDO)
    refuse(undo, named[undo] < 0, lambda at: f"it undoes event {names[at]}, which is not in its account")
    of = named[undo]
    for one, other in {RETURN: PAYMENT, WRITE_OFF: WRITE_OFF, DEPOSIT: DEPOSIT}.items():
        refuse(
            undo,
            (kind[undo] == one) & (kind[of] != other),
            lambda at, other=other: f"it undoes event {names[at]}, a {KINDS[kind[named[at]]]}, not a {KINDS[other]}",
        )
    reverses = kind[undo] == REVERSAL
    refuse(
        undo,
        reverses & ~_among(OPENING, CHARGE, CREDIT, CORRECTION)[kind[of]],
        lambda at: f"it reverses event {names[at]}, a {KINDS[kind[named[at]]]}, not a charge, a credit or a correction",
    )
    refuse(undo, role[of] == UNDO, lambda at: f"it undoes event {names[at]}, which itself undoes another")
    before = read.business[undo] < read.business[of]
    refuse(undo, before, lambda at: f"it counts before event {names[at]}, which it undoes")
    refuse(rows, early, lambda at: f"it was known before event {names[at]}, which it names")
    refuse(
        undo,
        reverses & (amount[undo] != -amount[of]),
        lambda at: f"its amount {amount[at]} is not the exact negative of event {names[at]} ({amount[named[at]]})",
    )
    again = np.ones(len(undo), np.bool_)
    again[np.unique(np.where(reverses, of, -1 - np.arange(len(undo))), return_index=True)[1]] = False
    refuse(undo, again, lambda at: f"event {names[at]} is reversed twice")
    undone = np.zeros(len(kind), np.int64)
    np.add.at(undone, of, np.abs(amount[undo]))
    refuse(
        every,
        (role == SOURCE) & (undone > -amount),
        lambda at: f"{undone[at]} of it is returned or undone, more than its {-amount[at]}",
    )

    coded = codes(read.table, "designation", DESIGNATIONS) == DESIGNATIONS.index("code")
    refuse(
        every,
        coded & read.table["designation_code_key"].is_null().to_numpy(),
        lambda at: "it is designated to a charge code but designation_code_key is missing",
    )
    for place, column in ((read.policy, "policy_rule_key"), (read.law, "law_rule_key")):
        refuse(
            every,
            place == len(rules),
            lambda at, column=column: f"{column} {read.table[column][at].as_py()} is not in the rules table",
        )
    holds = np.array([*(rule.hold for rule in rules), False])
    refuse(every, holds[read.law], lambda at: f"its law, rule {rules[read.law[at]].key}, says hold; only a policy can")
