"""No public case is without a test: carried_by.csv says which test holds the figures of which case, and is true.

A case may also be answered by a decision page, where what comes out here is not what its file says: it tells why.
"""

from __future__ import annotations

import ast
import csv
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def table(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


CARRIED = table("carried_by.csv")


def source_of(file: str, test: str) -> str:
    """The text of a test with its decorators; empty where there is no such test."""
    text = (ROOT / file).read_text("utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == test:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return ""


def holds(row: dict[str, str]) -> bool:
    """The test exists, names the case or runs every case of the file, and asserts something; or the page exists."""
    if not (ROOT / row["file"]).is_file():
        return False
    if not row["test"]:
        text = (ROOT / row["file"]).read_text("utf-8")
        return row["file"].startswith("docs/decisions/") and "**What each reading gives.**" in text
    text = source_of(row["file"], row["test"])
    named = row["id"] in text or row["id"].lower().replace("-", "_") in text
    number = row["id"].rpartition("-")[2]
    named = named or f"_and_{number}_" in text or row["theme"] == "examples of law"
    return named and "assert" in text


@pytest.mark.parametrize("row", CARRIED, ids=lambda row: f"{row['id']} {row['test'] or row['file']}")
def test_what_carries_a_case_exists_and_names_it(row: dict[str, str]) -> None:
    assert holds(row), f"{row['id']} is not carried by {row['file']} {row['test']}"


def test_every_case_and_every_example_is_carried_by_a_test() -> None:
    tested = {row["id"] for row in CARRIED if row["test"]}
    cases = {row["case_id"] for row in table("cases.csv")}
    examples = {f"{row['rule_id']} {row['example']}" for row in table("application_examples.csv")}
    assert tested == cases | examples


def test_no_case_of_the_four_themes_went_missing() -> None:
    """As many as the public collection has of each theme; a case that is taken out of both tables is missed here."""
    counts = Counter(theme for theme, _ in {(row["theme"], row["id"]) for row in CARRIED})
    assert counts == {
        "allocation": 8, "returns": 6, "aging": 7, "credit": 4, "examples of law": 13,
        "closes, ledger and agreements": 4,
    }  # fmt: skip


@pytest.mark.parametrize(
    "row",
    [
        {"theme": "aging", "id": "AGE-01", "file": "tests/kernel/test_public_cases.py", "test": "test_age_01_is_gone"},
        {"theme": "aging", "id": "AGE-03", "file": CARRIED[0]["file"], "test": CARRIED[0]["test"]},
        {"theme": "aging", "id": "AGE-01", "file": "docs/decisions/README.md", "test": ""},
        {"theme": "aging", "id": "AGE-01", "file": "docs/decisions/9999-no-page.md", "test": ""},
    ],
    ids=["no such test", "a test of another case", "a page without readings", "no such page"],
)
def test_a_case_that_nothing_carries_is_found(row: dict[str, str]) -> None:
    assert not holds(row)
