"""Damaged files are read whole or refused in words, whatever the damage. Sized by TIEOUT_PROOF; see `fuzz.py`."""

from __future__ import annotations

import os

import pytest

from orchestration.landing import FileRefused
from tests.landing import fuzz
from tests.landing.portfolio import Door

FULL = os.environ.get("TIEOUT_PROOF") == "full"


def test_damaged_files_are_read_whole_or_refused_in_words() -> None:
    count = 100_000 if FULL else 400
    outcome = fuzz.run(0, count)
    print(f"{count:,} damaged files in {outcome.seconds:,.0f} s: {dict(outcome.counts)}")
    assert outcome.findings == {}
    assert sum(outcome.counts.values()) == count
    assert set(outcome.counts) == {"read", "refused"}, "the damages leave some files readable and break others"


def test_a_process_that_dies_or_hangs_is_seen_and_the_next_case_goes_on() -> None:
    crashed = fuzz.run(0, 6, grief=["--crash", "2"])
    assert list(crashed.findings) == [2] and "ended with -11" in crashed.findings[2]
    assert sum(crashed.counts.values()) == 6
    hung = fuzz.run(0, 4, bound=10, grief=["--hang", "1"])
    assert list(hung.findings) == [1] and "the bound of 10 s" in hung.findings[1]
    assert sum(hung.counts.values()) == 4


@pytest.mark.parametrize("number", [713, 1768])
def test_a_broken_byte_behind_a_quote_and_a_return_is_placed_without_parsing_the_line(number: int) -> None:
    """What broke: the column of a NUL was found with the csv module, which raised over a return in the line."""
    assert fuzz.check(number) == ("refused", None)


def test_the_same_case_is_the_same_file() -> None:
    assert all(fuzz.case(number) == fuzz.case(number) for number in range(20))


def test_rows_of_damaged_files_are_all_accounted_for_behind_the_door(door: Door) -> None:
    """One run over many damaged files: each is refused whole, or all its rows are loaded, duplicate or quarantined."""
    count = 1_000 if FULL else 100
    door.folder.mkdir()
    readable = {}
    for number in range(50_000, 50_000 + count):
        file, data = fuzz.case(number)
        (door.folder / file).write_bytes(data)
        try:
            readable[file] = fuzz.read_file(file, data, fuzz.contract()["charges"], "default").rows
        except FileRefused:
            continue
    report = door.land()
    landed = dict(
        door.rows("SELECT file, rows_landed FROM landing.batches WHERE status = 'loaded' AND file LIKE '%-5%'")
    )
    skipped = {note.file for note in report.skipped}
    assert landed == {file: rows for file, rows in readable.items() if file not in skipped}
    assert len(landed) > count // 20
    assert len(report.refused) + len(landed) + len(skipped) == count
    assert door.untied() == []
