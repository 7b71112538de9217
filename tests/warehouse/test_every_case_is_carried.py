"""Every public case of rounding, late fees, dates and income that fell names its test: carried_by.csv, and it is true.

A case may be carried by a story of the sample, whose answers were worked out by hand.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from tests.kernel.test_every_case_is_carried import source_of

ROOT = Path(__file__).resolve().parents[2]


def table(*path: str) -> list[dict[str, str]]:
    with ROOT.joinpath(*path).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


CARRIED = table("tests", "warehouse", "carried_by.csv")
STORIES = {row["lease_id"]: row["source_case"] for row in table("seeds", "sample", "stories", "stories.csv")}
ANSWERED = {row["lease_id"] for row in table("seeds", "expected", "expected.csv")}


def holds(row: dict[str, str]) -> bool:
    """The test exists, asserts something, and names the case; or it plays a story of the case that has its answers."""
    text = source_of(row["file"], row["test"]) if (ROOT / row["file"]).is_file() else ""
    if row["story"]:
        return "assert" in text and row["id"] in STORIES.get(row["story"], "") and row["story"] in ANSWERED
    return "assert" in text and (row["id"] in text or f"_{row['id'].lower().replace('-', '_')}_" in text)


@pytest.mark.parametrize("row", CARRIED, ids=lambda row: f"{row['id']} {row['story'] or row['test']}")
def test_what_carries_a_case_exists_and_names_it(row: dict[str, str]) -> None:
    assert holds(row), f"{row['id']} is not carried by {row['file']} {row['test']} {row['story']}"


def test_no_case_went_missing() -> None:
    """As many as the public collection has; of closed periods the one that is about rent, the others are elsewhere."""
    counts = Counter(theme for theme, _ in {(row["theme"], row["id"]) for row in CARRIED})
    assert counts == {
        "rounding and proration": 9, "late fee law": 8, "time zones, dates and file reading": 8,
        "backdated entries and closed periods": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "row",
    [
        {"id": "ROU-01", "file": CARRIED[0]["file"], "test": "test_that_is_gone", "story": ""},
        {"id": "ROU-99", "file": CARRIED[0]["file"], "test": CARRIED[0]["test"], "story": ""},
        {"id": "LAW-11", "file": CARRIED[-1]["file"], "test": CARRIED[-1]["test"], "story": "no-such-story"},
    ],
    ids=["no such test", "a test of another case", "no such story"],
)
def test_a_case_that_nothing_carries_is_found(row: dict[str, str]) -> None:
    assert not holds(row)
