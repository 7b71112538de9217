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
from dbt_project.kernels.allocation.inputs import Inputs, Ints, days, ints
from dbt_project.kernels.allocation.rules import Rule
from dbt_project.kernels.allocation.words import CORRECTION, CREDIT, DESIGNATIONS, ORDERS, PAYMENT, SOURCE, TARGET

FEES = ("fee", "late_fee", "nsf_fee", "legal")
LOWERING = ("concession", "subsidy")
LAST = 2**31  # after every priority that an int32 can hold
FOR_EVER = 2**62


class Columns:
    """The columns that `loop` reads, each as long as the events; `chunk` copies a range of them."""

    def __init__(self, read: Inputs, rules: dict[int, Rule]) -> None:
        table = read.table
        count = table.num_rows
        self.rule_keys = np.array(sorted(rules), np.int64)
        category = _ids(table["category"])
        code, designated_code = _shared_ids(table["code_key"], table["designation_code_key"])
        responsible, payer = _shared_ids(table["responsible_person_key"], table["payer_person_key"])
        posted = days(table, "posted_on", loop.NONE)
        due = days(table, "due_on", loop.NONE)
        due = np.where(due == loop.NONE, posted, due)
        service = days(table, "service_from", loop.NONE)
        payment = read.kind == PAYMENT
        covers_from = days(table, "covers_from", loop.NONE)
        covers_to = days(table, "covers_to", FOR_EVER)
        designation = _positions(table["designation"], DESIGNATIONS)
        covered = (covers_from != loop.NONE) | (covers_to != FOR_EVER)
        designation[(designation < 0) & covered] = loop.RENT
        designation[~payment] = -1
        credits = np.isin(read.kind, (CREDIT, CORRECTION)) & (read.role == SOURCE)
        lowers = credits & _is_in(table["category"], LOWERING)
        corrects = np.where(read.named >= 0, read.named, 0)
        lowers_rent = lowers | (credits & (read.named >= 0) & lowers[corrects])
        account, classes = _ids(table["gl_account"]), np.zeros(count, np.int64)
        self.classes, classes[read.role == TARGET] = _classes(table, read.role == TARGET, category, code, account)
        starts = np.repeat(read.accounts[:-1], np.diff(read.accounts))
        self._columns: dict[int, np.ndarray] = {
            loop.KIND: read.kind,
            loop.ROLE: read.role,
            loop.AMOUNT: read.amount,
            loop.DAY: read.business,
            loop.KNOWN: read.known,
            loop.NAMED: np.where(read.named >= 0, read.named - starts, -1),
            loop.HAS_NAME: table["names_event_key"].is_valid().to_numpy(),
            loop.DUE: due,
            loop.POSTED: posted,
            loop.TIE: ints(table, "tie_rank"),
            loop.KEY: read.event,
            loop.CLASS: classes,
            loop.IS_RENT: ints(table, "counts_as_rent"),
            loop.IS_FEE: _is_in(table["category"], FEES),
            loop.CODE: code,
            loop.PRIORITY: ints(table, "application_priority", LAST),
            loop.PERIOD: days(table, "rent_period_from", loop.NONE),
            loop.CURRENT_PERIOD: days(table, "current_period_from", loop.NONE),
            loop.SERVICE_DAY: np.where(service == loop.NONE, due, service),
            loop.RESPONSIBLE: responsible,
            loop.PERSON: np.where(payer >= 0, payer, responsible),
            loop.INDIVIDUAL: ints(table, "is_individual_billing"),
            loop.DESIGNATION: designation,
            loop.DESIGNATED_CODE: designated_code,
            loop.COVERS_FROM: covers_from,
            loop.COVERS_TO: covers_to,
            loop.FORGIVEN: ints(table, "is_forgiven"),
            loop.AFTER_MOVE_OUT: ints(table, "is_after_move_out"),
            loop.POLICY: np.searchsorted(self.rule_keys, ints(table, "policy_rule_key")),
            loop.LAW: np.where(
                table["law_rule_key"].is_valid().to_numpy(),
                np.searchsorted(self.rule_keys, ints(table, "law_rule_key")),
                -1,
            ),
            loop.LOWERS_RENT: lowers_rent,
            loop.TENDERED: lowers_rent | (payment & (designation < 0)),
        }

    def chunk(self, start: int, stop: int) -> Ints:
        """Events `start` to `stop`, a row per column."""
        chunk = np.empty((loop.EVENT_COLUMNS, stop - start), np.int64)
        for at, column in self._columns.items():
            chunk[at] = column[start:stop]
        return chunk

    def rules(self, rules: dict[int, Rule]) -> Ints:
        """The rules in the order of their keys, as `loop` reads them."""
        table = np.zeros((max(len(rules), 1), loop.CLASSES + max(len(self.classes), 1)), np.int64)
        for at, key in enumerate(self.rule_keys.tolist()):
            rule, row = rules[key], table[at]
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


def _ids(column: pa.ChunkedArray) -> Ints:
    return _shared_ids(column)[0]


def _shared_ids(*columns: pa.ChunkedArray) -> list[Ints]:
    """Columns of text as ids that are equal where the text is, across the columns; -1 where there is none."""
    together = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
    encoded = together.combine_chunks().dictionary_encode()
    indices = encoded.indices if isinstance(encoded, pa.DictionaryArray) else encoded.combine_chunks().indices
    ids = pc.fill_null(indices, -1).to_numpy(zero_copy_only=False)
    return np.split(ids, np.cumsum([len(column) for column in columns])[:-1])


def _positions(column: pa.ChunkedArray, words: tuple[str, ...]) -> Ints:
    return pc.fill_null(pc.index_in(column, value_set=pa.array(words)), -1).to_numpy().astype(np.int64)


def _is_in(column: pa.ChunkedArray, words: tuple[str, ...]) -> np.ndarray:
    return pc.is_in(column, value_set=pa.array(words)).to_numpy()


def _classes(
    table: pa.Table, targets: np.ndarray, category: Ints, code: Ints, account: Ints
) -> tuple[list[tuple[bool, str | None, str | None, str | None]], Ints]:
    """What charges there are (counts as rent, category, code, account) and which of them each target is."""
    rent = ints(table, "counts_as_rent")[targets].astype(np.int64)
    where = np.flatnonzero(targets)
    mixed = rent
    for ids in (category[targets], code[targets], account[targets]):
        # Renumbered densely each time, so that the product stays small whatever the number of codes.
        mixed = np.unique(mixed * (int(ids.max(initial=-1)) + 2) + ids + 1, return_inverse=True)[1]
    _, first, which = np.unique(mixed, return_index=True, return_inverse=True)
    names = ["counts_as_rent", "category", "code_key", "gl_account"]
    rows = table.select(names).take(pa.array(where[first], pa.int64())).to_pylist()
    return [tuple(row[name] for name in names) for row in rows], which
