"""Fixtures of the door's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.landing.portfolio import Door


@pytest.fixture
def door(tmp_path: Path) -> Door:
    """An empty home and landing folder."""
    return Door(tmp_path)
