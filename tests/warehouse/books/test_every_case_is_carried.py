"""No public case on closed periods, the ledger, statements or agreements is without a named test: carried_by.csv says
which, and is true."""

from __future__ import annotations

import ast
import csv
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
with (Path(__file__).parent / "carried_by.csv").open(encoding="utf-8", newline="") as lines:
    CARRIED = list(csv.DictReader(lines))


def carries(row: dict[str, str]) -> bool:
    """There is such a test, its name begins with the case, and it asserts something."""
    if not (ROOT / row["file"]).is_file():
        return False
    tree = ast.parse((ROOT / row["file"]).read_text("utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == row["test"]]
    named = row["id"].lower().replace("-", "_") + "_" in row["test"]
    return named and any(isinstance(node, ast.Assert) for test in found for node in ast.walk(test))


@pytest.mark.parametrize("row", CARRIED, ids=lambda row: f"{row['id']} {row['file']}")
def test_what_carries_a_case_exists_and_names_it(row: dict[str, str]) -> None:
    assert carries(row)


def test_no_case_of_these_themes_went_missing() -> None:
    """As many as the public collection has of each theme."""
    assert Counter(name.split("-")[0] for name in {row["id"] for row in CARRIED}) == {
        "CLO": 6, "GLT": 7, "STM": 3, "AGR": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [{"test": "test_clo_01_is_gone"}, {"id": "CLO-04"}, {"file": "tests/no_such_file.py"}], ids=str
)
def test_a_case_that_nothing_carries_is_found(wrong: dict[str, str]) -> None:
    assert not carries({**CARRIED[0], **wrong})
