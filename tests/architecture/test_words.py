"""Groups of words that the SQL and the kernel both speak of are the same groups."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbt_project.kernels.allocation.words import FEE_CATEGORIES, LOWERING_CATEGORIES
from tests.architecture.spark import renderer

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"


@pytest.mark.parametrize(
    ("macro", "words"), [("fee_categories", FEE_CATEGORIES), ("lowering_categories", LOWERING_CATEGORIES)]
)
def test_the_sql_and_the_kernel_mean_the_same_by_it(macro: str, words: tuple[str, ...]) -> None:
    listed = renderer(PROJECT)(f"{{{{ listed({macro}()) }}}}")
    assert re.findall(r"'(\w+)'", listed) == list(words)
