"""Every command of the chapters in docs/ is one that works on the shipped sample and has something to show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from orchestration.home import Home
from orchestration.query import ask

CHAPTERS = ("aging.md", "arrears.md", "application.md", "rent-and-fees.md")
DOCS = Path(__file__).resolve().parents[2] / "docs"
QUERIES = [
    (chapter, line)
    for chapter in CHAPTERS
    for line in re.findall(r"^\.venv/bin/tieout query .*$", (DOCS / chapter).read_text("utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize(("chapter", "line"), QUERIES)
def test_a_query_of_a_chapter_shows_something(chapter: str, line: str, sample_home: Home) -> None:
    _, command, sql = shlex.split(line)
    assert command == "query"
    assert ask(sample_home.need_published(), sql).rows, f"{chapter}: {sql}"


def test_every_chapter_has_its_queries() -> None:
    counts = {chapter: sum(1 for of, _ in QUERIES if of == chapter) for chapter in CHAPTERS}
    assert counts == {"aging.md": 5, "arrears.md": 6, "application.md": 6, "rent-and-fees.md": 8}


def test_the_chapter_on_aging_tells_of_a_payment_that_was_keyed_late(sample_home: Home) -> None:
    """What the words say of the household is so: it owes more as known before the payment was keyed than after."""
    build = sample_home.need_published()
    now, then = (shlex.split(line)[2] for line in [line for chapter, line in QUERIES if chapter == "aging.md"][1:3])
    assert "2025-10-10" in then and "2025-10-10" not in now
    assert ask(build, then).rows[0][2] > ask(build, now).rows[0][2]
