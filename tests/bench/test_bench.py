"""The benchmark runs, on a size at which nothing can be measured; no time is ever asserted."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from tests.bench import __main__ as bench
from tests.bench import chart
from tests.bench.landing import write_landing
from tests.bench.portfolio import portfolio


def test_the_one_command_measures_every_piece_and_adds_a_line_that_the_chart_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.jsonl"
    size = ["--leases", "24", "--months", "3", "--statements", "3", "--twin-leases", "4", "--without-guard"]
    bench.main([*size, "--scratch", str(tmp_path), "--results", str(results)])
    said = capsys.readouterr().out
    line = json.loads(results.read_text("utf-8"))
    landed = line["build"]["verdicts"]
    assert set(landed) == {"loaded"}, f"the generator writes rows that the door takes; found {landed}"
    assert line["statements"]["statements"] == 3
    assert line["yardstick"]["rows_in"] == sum(line["generate"]["rows"].values())
    assert line["yardstick"]["rows_out"] == line["build"]["rows_out"] > line["yardstick"]["rows_in"]
    assert {"build_to_yardstick_cpu", "kernel_to_twin_per_core", "statements_per_second"} <= line["ratios"].keys()
    assert all(cost["peak_mb"] > 0 for cost in line["build"]["steps"].values())
    assert all(f"{piece}: not there yet" in said for piece in bench.NOT_THERE_YET)
    chart.main(["--results", str(results)])
    assert "24 leases x 3 months" in capsys.readouterr().out


def test_the_landing_files_are_the_events_of_the_kernel_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    write_landing(tmp_path / "one", 24, 3)
    write_landing(tmp_path / "two", 24, 3)
    events = portfolio(24, 3)
    with duckdb.connect() as connection:
        connection.register("events", events)
        for table, sign, kinds in (
            ("charges", "", ("charge", "credit", "charge_reversal")),
            ("payments", "-", ("payment",)),
            ("payment_reversals", "", ("payment_return",)),
        ):
            one, two = (connection.sql(f"select * from '{tmp_path / at}/{table}-*.parquet'") for at in ("one", "two"))
            assert one.except_(two).fetchall() == two.except_(one).fetchall() == []
            expected = connection.execute(
                f"select count(*), sum({sign}amount_minor) from events where kind in {kinds}"
            ).fetchall()
            assert one.aggregate("count(*), cast(sum(amount) * 100 as bigint)").fetchall() == expected


def test_a_chart_of_what_nobody_measured_names_what_was() -> None:
    lines = [{"at": "2026-01-01T00:00", "code": "x", "leases": 1, "months": 1, "ratios": {"build_peak_mb": 5.0}}]
    assert "build_peak_mb" in chart.bars(lines, "speed")
    assert "Measured so far: nothing" in chart.bars([], "speed")
    assert chart.bars(lines, "build_peak_mb").count("█") == chart.WIDTH
