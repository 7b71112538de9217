"""The parsed dbt project, read once: what every test of this folder judges."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from orchestration.resources.dbt import parsed


@pytest.fixture(scope="session")
def parsed_manifest() -> dict[str, Any]:
    """dbt's manifest of the project as it stands."""
    return json.loads(parsed().manifest_json.read_text("utf-8"))


@pytest.fixture
def manifest(parsed_manifest: dict[str, Any]) -> dict[str, Any]:
    """A copy of the manifest that a test may break on purpose."""
    return copy.deepcopy(parsed_manifest)
