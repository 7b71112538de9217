"""Who may import whom, by import-linter: the contracts of `.importlinter` hold, and each is seen to break."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("orchestration", "apps", "dbt_project")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        [*command, "--config", ".importlinter", "--no-cache"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The Python of the project, its contracts and nothing else, where a test may plant an import."""
    for package in (*PACKAGES, "tests/architecture"):
        for path in (ROOT / package).rglob("*.py"):
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    (tmp_path / "tests" / "__init__.py").touch()
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_the_import_contracts_hold() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 kept, 0 broken" in result.stdout, result.stdout


@pytest.mark.parametrize(
    ("file", "line", "says"),
    [
        ("apps/planted.py", "import orchestration.home", "apps imports neither orchestration nor dagster BROKEN"),
        ("apps/planted.py", "import dagster", "apps imports neither orchestration nor dagster BROKEN"),
        ("dbt_project/kernels/planted.py", "import duckdb", "dbt_project.kernels.planted may not import duckdb"),
        ("dbt_project/kernels/planted.py", "import orchestration.home", "may not import orchestration.home"),
        ("orchestration/planted.py", "import streamlit", "orchestration imports no streamlit BROKEN"),
    ],
)
def test_a_planted_import_breaks_its_contract(copied: Path, file: str, line: str, says: str) -> None:
    (copied / file).write_text(line + "\n")
    result = lint(copied)
    assert result.returncode != 0
    assert says in result.stdout, result.stdout
    assert "2 kept, 1 broken" in result.stdout, result.stdout
