"""Checked events and parsed rules as the integers that the compiled loop reads.

Text becomes an id that is equal where the text is. What a charge is (counts as rent, category, code, GL account)
becomes a class, and each rule gets a mask per class: bit i is set where step i takes that class. Steps that also ask
for a rent period or for the payer stay set there and are taken out when the charge is looked at.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dbt_project.kernels.allocation import loop
from dbt_project.kernels.allocation.inputs import Inputs, Ints, codes, numbers
from dbt_project.kernels.allocation.rules import Rule
from dbt_project.kernels.allocation.words import (
    CORRECTION,
    CREDIT,
    DESIGNATIONS,
    FEE_CATEGORIES,
    LOWERING_CATEGORIES,
    ORDERS,
    PAYMENT,
    SOURCE,
)

LAST = 2**31  # after every priority that an int32 can hold
NONE = int(loop.NONE)
FOR_EVER = 2**31 - 1


class Columns:
    """The columns that `loop` reads, as the rows came; `chunk` copies a range of them in business order."""

    def __init__(self, read: Inputs, rules: dict[int, Rule]) -> None:
        table = read.table
        self._order = read.order
        self._in_order = bool(np.all(read.order[1:] > read.order[:-1]))
        self._rules = [rules[key] for key in sorted(rules)]
        category = _ids(table, "category")[0]
        code, designated_code = _ids(table, "code_key", "designation_code_key")
        responsible, payer = _ids(table, "responsible_person_key", "payer_person_key")
        posted = numbers(table, "posted_on")
        due = numbers(table, "due_on", NONE)
        due = np.where(due == NONE, posted, due)
        service = numbers(table, "service_from", NONE)
        covers_from = numbers(table, "covers_from", NONE)
        covers_to = numbers(table, "covers_to", FOR_EVER)
        payment = read.kind == PAYMENT
        designation = codes(table, "designation", DESIGNATIONS)
        designation[(designation < 0) & ((covers_from != NONE) | (covers_to != FOR_EVER))] = loop.RENT
        designation[~payment] = -1
        credits = ((read.kind == CREDIT) | (read.kind == CORRECTION)) & (read.role == SOURCE)
        lowers = credits & _is_in(table, "category", LOWERING_CATEGORIES)
        lowers_rent = lowers | (credits & (read.named >= 0) & lowers[read.named])
        self.classes, classes = _classes(table, category, code, _ids(table, "gl_account")[0])
        self._columns: dict[int, np.ndarray] = {
            loop.KIND: read.kind,
            loop.ROLE: read.role,
            loop.AMOUNT: read.amount,
            loop.DAY: read.business,
            loop.KNOWN: read.known,
            loop.NAMED: _positions(read),
            loop.HAS_NAME: table["names_event_key"].is_valid().to_numpy(),
            loop.DUE: due,
            loop.POSTED: posted,
            loop.TIE: numbers(table, "tie_rank"),
            loop.KEY: read.event,
            loop.CLASS: classes,
            loop.IS_RENT: numbers(table, "counts_as_rent"),
            loop.IS_FEE: _is_in(table, "category", FEE_CATEGORIES),
            loop.CODE: code,
            loop.PRIORITY: _priorities(table),
            loop.PERIOD: numbers(table, "rent_period_from", NONE),
            loop.CURRENT_PERIOD: numbers(table, "current_period_from", NONE),
            loop.SERVICE_DAY: np.where(service == NONE, due, service),
            loop.RESPONSIBLE: responsible,
            loop.PERSON: np.where(payer >= 0, payer, responsible),
            loop.INDIVIDUAL: numbers(table, "is_individual_billing"),
            loop.DESIGNATION: designation,
            loop.DESIGNATED_CODE: designated_code,
            loop.COVERS_FROM: covers_from,
            loop.COVERS_TO: covers_to,
            loop.FORGIVEN: numbers(table, "is_forgiven"),
            loop.AFTER_MOVE_OUT: numbers(table, "is_after_move_out"),
            loop.POLICY: read.policy,
            loop.LAW: read.law,
            loop.LOWERS_RENT: lowers_rent,
            loop.TENDERED: lowers_rent | (payment & (designation < 0)),
        }

    def chunk(self, start: int, stop: int) -> Ints:
        """Events `start` to `stop` of the business order, a row per column."""
        chunk = np.empty((loop.EVENT_COLUMNS, stop - start), np.int64)
        rows = slice(start, stop) if self._in_order else self._order[start:stop]
        for at, column in self._columns.items():
            chunk[at] = column[rows]
        return chunk

    def rows(self, positions: Ints) -> Ints:
        """Rows of the table at these places of the business order."""
        return positions if self._in_order else self._order[positions]

    def rules(self) -> Ints:
        """The rules in the order of their keys, as `loop` reads them."""
        table = np.zeros((max(len(self._rules), 1), loop.CLASSES + max(len(self.classes), 1)), np.int64)
        for rule, row in zip(self._rules, table, strict=False):
            row[loop.STEPS] = len(rule.steps)
            row[loop.HOLD] = rule.hold
            row[loop.YIELDS] = rule.yields
            for number, step in enumerate(rule.steps):
                bit = 1 << number
                row[loop.ORDER + number] = ORDERS.index(step.order)
                row[loop.ASKS_PRIOR] |= bit if step.period == "prior" else 0
                row[loop.ASKS_CURRENT] |= bit if step.period == "current" else 0
                row[loop.ASKS_PAYER] |= bit if step.payers_own else 0
                row[loop.DESIGNATED_ONLY] |= bit if step.designated_only else 0
                for which, one in enumerate(self.classes):
                    row[loop.CLASSES + which] |= bit if step.takes_class(*one) else 0
        return table


def _positions(read: Inputs) -> Ints:
    """Where in its account the event stands that each event names, -1 where it names none there."""
    position = np.empty(len(read.order), np.int64)
    position[read.order] = np.arange(len(read.order))
    named = np.full(len(read.order), -1, np.int32)
    has = np.flatnonzero(read.named >= 0)
    account = np.searchsorted(read.accounts, position[has], side="right") - 1
    named[has] = position[read.named[has]] - read.accounts[account]
    return named


def _priorities(table: pa.Table) -> Ints:
    priority = numbers(table, "application_priority").astype(np.int64)
    priority[table["application_priority"].is_null().to_numpy()] = LAST
    return priority


def _ids(table: pa.Table, *names: str) -> list[Ints]:
    """Columns of text as ids that are equal where the text is, across the columns; -1 where there is none."""
    chunks = [chunk for name in names for chunk in table[name].chunks]
    if all(chunk.null_count == len(chunk) for chunk in chunks):
        return [np.full(table.num_rows, -1, np.int32) for _ in names]
    indices = pa.concat_arrays(chunks).dictionary_encode().indices
    ids = (pc.fill_null(indices, -1) if indices.null_count else indices).to_numpy()
    return np.split(ids, len(names))


def _is_in(table: pa.Table, name: str, words: tuple[str, ...]) -> np.ndarray:
    return pc.is_in(table[name], value_set=pa.array(words)).to_numpy()


def _classes(
    table: pa.Table, category: Ints, code: Ints, account: Ints
) -> tuple[list[tuple[bool, str | None, str | None, str | None]], Ints]:
    """What entries there are (counts as rent, category, code, account) and which of them each event is."""
    mixed = numbers(table, "counts_as_rent").astype(np.int64)
    for ids in (category, code, account):
        # Renumbered densely each time, so that the product stays small whatever the number of codes.
        mixed = pa.array(mixed * (int(ids.max(initial=-1)) + 2) + ids + 1).dictionary_encode().indices.to_numpy()
        mixed = mixed.astype(np.int64)
    first = np.zeros(int(mixed.max(initial=-1)) + 1, np.int64)
    first[mixed[::-1]] = np.arange(len(mixed))[::-1]
    names = ["counts_as_rent", "category", "code_key", "gl_account"]
    rows = table.select(names).take(pa.array(first, pa.int64())).to_pylist()
    return [tuple(row[name] for name in names) for row in rows], mixed.astype(np.int32)
