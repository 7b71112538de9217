"""A published home for the pages and documents, small and shared by every test of this room that only reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.reports.published import Published
from tests.apps.published_home import portfolio, publish


@pytest.fixture(scope="session")
def small_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("small-home")
    publish(home, portfolio())
    return home


@pytest.fixture(scope="session")
def small(small_home: Path) -> Iterator[Published]:
    yield Published(small_home)
