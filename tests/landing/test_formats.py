"""One portfolio in every format, in one file a table or in many, in any order: the same accepted rows, to the letter.

What is compared here is every column of every accepted row but its lineage, and what waits with its reason. That equal
accepted rows give equal published tables is shown through a build in `tests/warehouse`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.landing.formats import ENDINGS, write_tables
from tests.landing.portfolio import Door, Rows
from tests.landing.test_runs import accepted, busy_books, held

FULL = os.environ.get("TIEOUT_PROOF") == "full"


def books() -> dict[str, Rows]:
    """The busy books, with days, moments, texts and names that formats like to change."""
    tables = dict(busy_books())
    more = [
        {"due_on": "2026-10-05", "reason": 'two\nlines, "quoted"', "posted_by": "Zoë 日本"},
        {"service_from": "2026-10-01", "service_to": "2026-10-31", "reason": "=1+1", "recorded_at": "2026-10-01T08:30"},
        {"reason": "0012", "posted_by": "1e3", "recorded_at": "2026-10-02T08:30:00-06:00"},
    ]  # fmt: skip
    tables["charges"] = [row | more[n % len(more)] for n, row in enumerate(tables["charges"])]
    return tables


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Door:
    """The books as CSV, one file a table."""
    door = Door(tmp_path_factory.mktemp("plain"))
    write_tables(door.folder, books(), ["csv"])
    report = door.land()
    assert not report.refused
    return door


VARIANTS: list[tuple[str, list[str], int | None]] = [
    *((f"{end}, one file a table", [end], None) for end in ENDINGS if end != "csv" and (FULL or ".gz" not in end)),
    ("fifty files of all formats, shuffled", list(ENDINGS), 1),
    *((f"many files of {ending}, shuffled", [ending], seed) for seed, ending in enumerate(ENDINGS, 10) if FULL),
    *((f"all formats, order {seed}", list(ENDINGS), seed) for seed in range(20, 40) if FULL),
]


@pytest.mark.parametrize(("endings", "seed"), [v[1:] for v in VARIANTS], ids=[v[0] for v in VARIANTS])
def test_every_format_and_order_gives_the_same_rows(
    plain: Door, tmp_path: Path, endings: list[str], seed: int | None
) -> None:
    door = Door(tmp_path)
    files = write_tables(door.folder, books(), endings, seed)
    report = door.land()
    assert [note.message for note in report.refused] == []
    assert len(report.batches) == files and (seed is None or files >= 50)
    assert accepted(door.raw) == accepted(plain.raw)
    assert [row[:3] for row in held(door)] == [row[:3] for row in held(plain)]
    assert door.untied() == []


def test_the_same_rows_in_another_format_are_duplicates_and_change_nothing(plain: Door, tmp_path: Path) -> None:
    door = Door(tmp_path)
    write_tables(door.folder, books(), ["csv"])
    door.land()
    before = accepted(door.raw)
    write_tables(door.folder, books(), ["parquet", "xlsx", "jsonl.gz"], seed=3)
    report = door.land()
    assert accepted(door.raw) == before == accepted(plain.raw)
    assert set(report.verdicts) == {"duplicate", "quarantined"}
    assert door.untied() == []
