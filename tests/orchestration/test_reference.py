"""The reference page names every table, column, type, value and reason, and the command writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.cli import run_command
from orchestration.contract import contract
from orchestration.landing.reasons import REASONS
from orchestration.reference import MODELS, published_tables, reference_page


def section(page: str, heading: str) -> str:
    """What stands under a heading up to the next one."""
    return page.split(f"\n{heading}\n")[1].split("\n#")[0]


def test_every_landing_table_column_type_and_value_is_on_the_page() -> None:
    page = reference_page()
    words = {"amount": "amount", "date": "date", "integer": "whole number", "boolean": "true or false", "id": "id"}
    for table in contract():
        part = section(page, f"### {table.name}")
        assert table.description in part
        for column in table.columns:
            row = next(line for line in part.splitlines() if line.startswith(f"| {column.name} |"))
            assert f"| {words.get(column.type, '')}" in row
            assert ("| yes |" in row) == column.required
            assert all(f"`{value}`" in row for value in column.values)


def test_every_reason_is_on_the_page_in_words() -> None:
    part = section(reference_page(), "# Why a row waits")
    for reason in REASONS.values():
        assert f"| `{reason.code}` | {reason.found} | {reason.expected} | {reason.what_to_do} |" in part


def test_every_published_table_and_column_is_on_the_page_with_its_type_and_meaning() -> None:
    page = reference_page()
    models = {path.stem for path in (MODELS / "marts").rglob("*.sql")}
    tables = {table.name: table for table in published_tables()}
    assert set(tables) == models
    for table in tables.values():
        part = section(page, f"## {table.name}")
        assert table.description in part and table.columns
        for column in table.columns:
            assert f"| {column.name} | {column.type} | {'yes' if column.is_never_empty else ''} | " in part
            assert len(column.description) > 5 and "{{" not in column.description


def test_the_command_writes_the_page_to_a_file_or_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tables.md"
    assert run_command(["reference", "--out", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == reference_page()
    capsys.readouterr()
    assert run_command(["reference"]) == 0
    assert capsys.readouterr().out == reference_page()


def test_a_file_that_cannot_be_written_is_said_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["reference", "--out", str(tmp_path / "nowhere" / "tables.md")]) == 2
    assert "cannot be written" in capsys.readouterr().err
