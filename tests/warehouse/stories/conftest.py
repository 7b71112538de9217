"""The shipped sample, landed and built once for the stories."""

from __future__ import annotations

import os

import pytest

from orchestration import pipeline
from orchestration.home import Home
from orchestration.sample import write_sample


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with the whole sample published as of its own day. Read it, do not change it."""
    folder = tmp_path_factory.mktemp("sample-landing")
    sample = write_sample(folder)
    for path in folder.iterdir():
        os.utime(path, (0, 0))  # files of long ago: the door need not watch whether they still grow
    home = Home(tmp_path_factory.mktemp("sample") / "home")
    pipeline.run_folder(home, folder, as_of=sample.as_of.isoformat(), expectations=False)
    return home
