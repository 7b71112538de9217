"""Fixtures of the door's tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.landing.portfolio import Door, portfolio


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Door:
    """A home in which the portfolio has landed, once for all tests. Never written to again."""
    door = Door(tmp_path_factory.mktemp("furnished"))
    door.land(portfolio())
    return door


@pytest.fixture
def door(tmp_path: Path, furnished: Door) -> Door:
    """A copy of the furnished home with an empty landing folder; its next run is an hour later."""
    shutil.copytree(furnished.path, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "landing")
    return Door(tmp_path, runs=1)


@pytest.fixture
def empty_door(tmp_path: Path) -> Door:
    """An empty home and landing folder."""
    return Door(tmp_path)
