"""Every test of a figure runs twice: through the kernel and through its readable twin."""

from __future__ import annotations

import pytest

from dbt_project.kernels.allocation import allocate, allocate_reference


@pytest.fixture(params=[allocate, allocate_reference], ids=["kernel", "twin"])
def engine(request: pytest.FixtureRequest):
    return request.param
