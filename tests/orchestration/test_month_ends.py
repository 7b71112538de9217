"""A year of month ends through the Dagster job, something late every month: no closed month moves, every day ties.

The quick proof runs three months, the full proof twelve.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from orchestration import jobs
from orchestration.closing.month_end import reports, statements
from orchestration.closing.pack import broken_packs, seals
from orchestration.errors import CheckFailed
from orchestration.home import Home
from tests.warehouse.books.portfolio import Portfolio

pytestmark = pytest.mark.long
MONTHS = 12 if os.environ.get("TIEOUT_PROOF", "quick") == "full" else 3
YEAR = 2025


def first_of(month: int) -> date:
    return date(YEAR + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def files_of(month: int, folder: Path) -> Path:
    """What arrives in the first days after a month: its rents and payments, and a payment of the month before that
    came late."""
    p = Portfolio()
    if month == 1:
        for name, zone in (("EAST", "America/New_York"), ("WEST", "Pacific/Honolulu")):
            p.entity(name)
            p.property(name, name)
            p.rows["first", "properties"][-1]["time_zone"] = zone
            p.lease(name, name)
    else:
        p.rows.clear()
    on = first_of(month)
    for name in ("EAST", "WEST"):
        p.charge(name, f"R{month}", "1000.00", on.isoformat())
        p.payment(name, f"P{month}", "900.00", (on + timedelta(days=3)).isoformat())
        if month > 1:
            late = first_of(month - 1) + timedelta(days=20)
            recorded = datetime.combine(on, datetime.min.time()) + timedelta(days=10)
            p.payment(name, f"L{month}", "40.00", late.isoformat(), recorded_at=f"{recorded.isoformat()}Z")
    p.write(folder)
    return folder / "first"


def month_end(home: Home, month: int, folder: Path) -> None:
    # A month is over for a build that stands on a later day; the entity's own clock decides whether it may close.
    # 3:00 of the next day in New York is 21:00 of the last day in Honolulu: that entity closes a run later.
    moment = datetime.combine(first_of(month + 1), datetime.min.time(), UTC) + timedelta(hours=8)
    jobs.month_end(
        home,
        files_of(month, folder),
        by="A. Controller",
        reviewed_by="B. Chief",
        as_of=first_of(month + 1).isoformat(),
        loaded_at=moment,
    )


def stopped_while_drawing(home: Home, pack: str, period: str) -> None:
    """Take away what a month end writes last of the statements of a month, and one of them."""
    (statements(home, period) / f"{pack}.json").unlink()
    (statements(home, period) / f"EAST-{period}.pdf").unlink()


def drawn(home: Home, period: str) -> list[str]:
    """The leases whose statements of a month lie in its folder."""
    return sorted(path.name.removesuffix(f"-{period}.pdf") for path in statements(home, period).glob("*.pdf"))


def rows(home: Home, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(home.need_published().path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_month_ends_close_what_is_over_and_nothing_that_was_closed_ever_moves(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    sealed: dict[str, str] = {}
    for month in range(1, MONTHS + 1):
        if month == 2:  # as if the first month end had been stopped while it drew
            stopped_while_drawing(home, f"EAST-{first_of(1):%Y-%m}", f"{first_of(1):%Y-%m}")
        month_end(home, month, tmp_path / f"files{month}")
        assert set(sealed.items()) <= set(seals(home).items()), "a pack that was sealed stays as it was"
        sealed = seals(home)
        period = f"{first_of(month):%Y-%m}"
        before = f"{first_of(month - 1):%Y-%m}" if month > 1 else ""
        assert f"EAST-{period}" in sealed and f"WEST-{period}" not in sealed, "it is still the last day in Honolulu"
        assert not before or f"WEST-{before}" in sealed
        assert broken_packs(home, home.need_published().path) == []
        assert rows(home, "select * from marts.tie_outs where difference <> 0") == []
        told = json.loads((reports(home) / f"month-end-{first_of(month + 1)}.json").read_text())
        assert f"EAST {period}" in told["closed"] and told["statements"] == {1: 1, 2: 3}.get(month, 2)
        assert any(line.startswith(f"WEST {period}: the month is not over") for line in told["left_open"])
        assert drawn(home, period) == ["EAST"] and (not before or drawn(home, before) == ["EAST", "WEST"])

    # In Honolulu the month before is still open when the late payment becomes known: it is late in New York only.
    late = rows(
        home,
        "select entity_id, source_id, closed_period, period, amount from marts.late_arrivals order by closed_period",
    )
    assert late == [
        ("EAST", f"EAST-L{month}", f"{first_of(month - 1):%Y-%m}", f"{first_of(month):%Y-%m}", Decimal("-40.00"))
        for month in range(2, MONTHS + 1)
    ]
    days = rows(
        home, "select count(*) from marts.tie_outs where entity_id = 'EAST' and tie_out = 'debits__to__credits'"
    )
    assert days == [((first_of(MONTHS + 1) - first_of(1)).days + 1,)]

    # A byte of a sealed pack is changed: the next month end stops at its step and names the file.
    spoilt = home.closes / f"EAST-{first_of(1):%Y-%m}" / "trial_balance.csv"
    spoilt.write_bytes(spoilt.read_bytes().replace(b"1000.00", b"1000.01", 1))
    with pytest.raises(CheckFailed, match=f"closes/{spoilt.parent.name}/trial_balance.csv was changed"):
        month_end(home, MONTHS + 1, tmp_path / "files-last")
    failed = json.loads((reports(home) / "month-end-failed.json").read_text())
    assert failed["stopped_at"] == "load_and_build" and "trial_balance.csv" in failed["message"]
