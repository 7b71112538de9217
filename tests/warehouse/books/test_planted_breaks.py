"""Breaks planted in built books: the right comparison catches each, and the finder names the planted row.

A break is planted in a copy of the built file, on which every comparison's own query is run again, as a build would
have
run it. The quick proof plants two of them, the full proof all.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.closing.breaks import Break, find_breaks, first_entry
from tests.warehouse.books.conftest import Books

pytestmark = pytest.mark.long
FULL = os.environ.get("TIEOUT_PROOF", "quick") == "full"


@dataclass(frozen=True)
class Planted:
    """What is done to a built file, and what must be said about it."""

    name: str
    breaks: tuple[str, ...]
    first_on: str
    entry: str  # how the finder's entry begins
    numbers: frozenset[int]  # the tie-outs that catch it, and no others
    reported: tuple[str, ...] = ()
    rebuilt: tuple[str, ...] = ()  # models between the planted table and the comparisons


LINES, APPLIED = "gl.int_journals__entries", "subledger.int_allocation__applications"
PLANTED = (
    Planted(
        "a doubled join",
        (f"insert into {APPLIED} select * from {APPLIED} where source_id = 'GLT-05-P2' and amount > 0",),
        "2026-06-04", "payments GLT-05-P2 (payments.csv row ", frozenset({1, 2}),
    ),
    Planted(
        "a dropped reversal",
        (f"delete from {LINES} where source_id = 'RET-06-P1-R'",),
        "2026-02-03", "payment_reversals RET-06-P1-R (payment_reversals.csv row ", frozenset({1, 3}),
    ),
    Planted(
        "a mapping changed under a closed month",
        ("update gl.int_trial_balance__periods set account = '4100' "
         "where entity_id = 'CLO-01' and account = '4000' and period = '2025-12' and book = 'accrual'",),
        "2025-12-31", "", frozenset({8}), reported=("2025-12",),
    ),
    Planted(
        "a payment on the wrong property",
        (f"update {LINES} set property_key = 'default:GLT-04', property_id = 'GLT-04', entity_key = 'default:GLT-04', "
         "entity_id = 'GLT-04' where source_id = 'TIMING-P1'",),
        "2026-06-30", "payments TIMING-P1 (payments.csv row ", frozenset({1, 3}),
    ),
    Planted(
        "a journal by hand on the receivable account",
        (f"insert into {LINES} select * replace ('BY-HAND' as journal_id, 'by hand' as source_table, "
         f"'JE-1' as source_id, debit - 7 as debit) from {LINES} where source_id = 'GLT-04-JUN' and debit > 0",),
        "2026-06-01", "by hand JE-1 (charges.csv row ", frozenset({1, 3, 5}),
    ),
    Planted(
        "a posting that slipped into a closed month",
        (f"update {LINES} set accounting_on = '2025-12-30' where source_id = 'BOUNCED-P1-R'",),
        "2025-12-30", "payment_reversals BOUNCED-P1-R (payment_reversals.csv row ", frozenset({1, 3, 8}),
        reported=("2025-12",),
    ),
    Planted(
        "a late arrival that is not listed",
        ("delete from gl.int_late_arrivals__entries where source_id = 'WORKED-P2'",),
        "2026-10-02", "payments WORKED-P2 (payments.csv row ", frozenset({11}), reported=("2026-10",),
        rebuilt=("int_tie_outs__reported_changes",),
    ),
    Planted(
        "money in suspense that no journal holds",
        (f"delete from {LINES} where source_id = 'SUSPENSE-P2' and event = 'suspense_received'",),
        "2026-09-10", "payments SUSPENSE-P2 (payments.csv row ", frozenset({12}), reported=("2026-09",),
    ),
    Planted(
        "a deposit paid out twice",
        ("insert into core.int_events__deposits select * replace ('M9' as movement_id, 'default:M9' as movement_key) "
         "from core.int_events__deposits where movement_id = 'DEPOSIT-M6'",),
        "2026-06-12", "deposit_movements M9 (deposit_movements.csv row ", frozenset({4}),
    ),
    Planted(
        "an instalment that left no agreement",
        (f"delete from {LINES} where source_id = 'T8' and account_role = 'agreement_receivable'",),
        "2026-03-01", "transfers T8 (transfers.csv row ", frozenset({5, 10}),
    ),
    Planted(
        "a line that lost its other half",
        (f"delete from {LINES} where source_id = 'GLT-03-TAX' and account = '2040'",),
        "2022-11-01", "charges GLT-03-TAX (charges.csv row ", frozenset({5}),
    ),
)  # fmt: skip


def compared_again(worked: Books, tmp_path: Path, planted: Planted | None) -> tuple[list[Break], set[int]]:
    """Plant a break, run every comparison again, and ask the finder. Returns the breaks and the numbers that differ."""
    broken = tmp_path / "broken.duckdb"
    shutil.copy(worked.second, broken)
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(f"attach '{worked.home.raw}' as raw (read_only)")
        connection.execute(f"attach '{broken}' as warehouse")
        connection.execute("use warehouse")
        views = (
            "stg_closed_balances",
            "stg_gl_balances",
            "stg_gl_journal_lines",
            "stg_bank_deposits",
            "stg_control_totals",
        )
        connection.execute("create schema if not exists staging")
        for view, schema in (*((view, "staging") for view in views), ("int_journals__books", "gl")):
            node: Any = worked.nodes[view]
            connection.execute(f"create view {schema}.{view} as {node.compiled}")
        for statement in planted.breaks if planted else ():
            assert connection.execute(statement).fetchone()[0] > 0, f"planted nothing: {statement}"
        ties = [
            name
            for name in worked.nodes
            if "__to__" in name and not name.endswith(("__no_difference", "__one_row_per_day"))
        ]
        assert len(ties) > 15
        for model in (*(planted.rebuilt if planted else ()), *ties):
            connection.execute(f"create or replace table tie_outs.{model} as {worked.nodes[model].compiled}")
        breaks = find_breaks(connection)
        differing = " union ".join(
            f"select distinct tie_out_no from tie_outs.{tie} where difference <> 0" for tie in ties
        )
        numbers = {number for (number,) in connection.execute(differing).fetchall()} - {6, 7, 13, 14}
    return breaks, numbers


def test_sound_books_have_no_break(worked: Books, tmp_path: Path) -> None:
    assert compared_again(worked, tmp_path, None) == ([], set())


@pytest.mark.parametrize(
    "planted", PLANTED if FULL else PLANTED[:2], ids=lambda planted: planted.name.replace(" ", "_")
)
def test_the_right_comparison_catches_a_break_and_the_finder_names_the_row(
    worked: Books, tmp_path: Path, planted: Planted
) -> None:
    breaks, numbers = compared_again(worked, tmp_path, planted)
    assert numbers == planted.numbers
    first = breaks[0]
    assert str(first.first_on) == planted.first_on
    assert first.entry.startswith(planted.entry), [found.text() for found in breaks]
    assert first.reported == planted.reported
    assert {found.entry for found in breaks} == {first.entry}, "one row was planted, and one is named"


def test_a_break_says_since_when_where_and_what_was_reported(worked: Books, tmp_path: Path) -> None:
    breaks, _ = compared_again(worked, tmp_path, PLANTED[1])
    text = breaks[0].text()
    assert text.startswith(
        "since 2026-02-03, RET-06 of RET-06: payment_reversals RET-06-P1-R (payment_reversals.csv row "
    )
    assert text.endswith("; no reported month is affected")


def test_the_missing_batch_and_the_entry_by_hand_of_other_books_are_found_when_asked_for(worked: Books) -> None:
    with duckdb.connect(str(worked.second), read_only=True) as connection:
        assert find_breaks(connection) == []
        outside = find_breaks(connection, outside=True)
    named = {found.entity_id: found.entry.split(" (")[0] for found in outside}
    assert named["GLT-08"] == 'entry GLT-08-JE-17 "to agree"'
    assert named["NO-BATCH"] == "entry NO-BATCH-2"


@pytest.mark.parametrize(
    ("look_at", "entry"),
    [
        ("payments P1 (payments.csv row 3), charges C1 (charges.csv row 9)", "payments P1 (payments.csv row 3)"),
        ('entry E1 "late, by hand" (a.csv row 1), entry E2 (a.csv row 2)', 'entry E1 "late, by hand" (a.csv row 1)'),
        (
            "payments A, B (files, old.csv row 3), charges C1 (charges.csv row 9)",
            "payments A, B (files, old.csv row 3)",
        ),
        ("", ""),
    ],
)
def test_the_first_entry_is_taken_whole(look_at: str, entry: str) -> None:
    assert first_entry(look_at) == entry
