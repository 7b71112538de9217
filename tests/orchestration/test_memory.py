"""DuckDB is told how much memory it may hold, and a word that is no amount is refused before anything runs."""

from __future__ import annotations

import pytest

from orchestration.errors import UsageError
from orchestration.home import Home
from orchestration.landing.store import open_raw
from orchestration.resources.memory import memory_limit


def test_without_a_word_it_is_half_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIEOUT_MEMORY", raising=False)
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_PHYS_PAGES": 4 << 20, "SC_PAGE_SIZE": 4096}[name])
    assert memory_limit() == "8192MiB"
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_PHYS_PAGES": 1 << 18, "SC_PAGE_SIZE": 4096}[name])
    assert memory_limit() == "1024MiB", "less than that nothing can be sorted in"


def test_the_door_has_a_word_of_its_own(monkeypatch: pytest.MonkeyPatch, a_home: Home) -> None:
    monkeypatch.setenv("TIEOUT_DOOR_MEMORY", "1536MiB")
    connection = open_raw(a_home)
    assert connection.execute("select current_setting('memory_limit')").fetchone() == ("1.5 GiB",)


@pytest.mark.parametrize("wanted", ["6", "6 cats", "-1GB", "0GB", "6GB'; drop table x"])
def test_a_word_that_is_no_amount_is_refused(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    monkeypatch.setenv("TIEOUT_MEMORY", wanted)
    with pytest.raises(UsageError, match="expected an amount of memory, such as 6GB"):
        memory_limit()
