"""Measure the door: `python -m tests.bench.door --rows 5000000 [--json FILE]`.

Lands one file of so many charges into a home that already knows their leases, and runs the guard behind the door. In
the same run Polars reads the same file alone, as text: the yardstick. Each part is a process of its own, one after the
other, `--rounds` times. Printed, and written as JSON, are seconds, CPU seconds and peak memory of each and the ratios;
ratios travel between machines, absolutes do not. One row in a thousand is wrong on purpose, so that the quarantine
works too.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb

from tests.landing.portfolio import FIRST_RUN, Door, portfolio

_ROWS_A_LEASE = 120


def write_charges(path: Path, rows: int) -> Path:
    """A CSV of `rows` charges of `rows / 120` leases over three years, recorded when they were posted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    leases = max(1, rows // _ROWS_A_LEASE)
    day = "DATE '2023-11-01' + CAST(hash(i, 1) % 1000 AS INTEGER)"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT 'CH-' || lpad(CAST(i AS VARCHAR), 9, '0') AS charge_id,"
            f" 'LS-' || lpad(CAST(hash(i) % {leases} AS VARCHAR), 7, '0') AS lease_id,"
            " CASE hash(i, 2) % 4 WHEN 0 THEN 'LATE' ELSE 'RENT' END AS charge_code,"
            " CASE WHEN i % 1000 = 999 THEN '1.234,50' ELSE CAST(CAST(hash(i, 3) % 250000 AS DECIMAL(18,2)) / 100"
            " AS VARCHAR) END AS amount,"
            f" {day} AS posted_on, {day} + 4 AS due_on, date_trunc('month', {day})::DATE AS service_from,"
            f" last_day({day}) AS service_to, 'resident' AS ledger_party, 'S-' || hash(i, 4) % {leases} AS schedule_id,"
            " 'monthly, \"posted\" by run' AS reason, 'Ann' AS posted_by,"
            f" strftime({day}, '%Y-%m-%d') || 'T02:10:11-06:00' AS recorded_at"
            f" FROM range({rows}) t(i)) TO '{path}' (HEADER)"
        )
    return path


def write_leases(path: Path, rows: int) -> Path:
    """A CSV of the leases of those charges."""
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT 'LS-' || lpad(CAST(i AS VARCHAR), 7, '0') AS lease_id, 'P1' AS property_id,"
            " 'U1' AS unit_id, '2023-01-01' AS start_on"
            f" FROM range({max(1, rows // _ROWS_A_LEASE)}) t(i)) TO '{path}' (HEADER)"
        )
    return path


def _measured(work: Any) -> None:
    """Run `work` in this process and print what it cost as JSON."""
    started = time.perf_counter()
    found = work()
    wall = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"seconds": wall, "cpu": used.ru_utime + used.ru_stime, "peak_mb": _peak_mb(), **found}))


def _peak_mb() -> float:
    """The most memory this process held. ru_maxrss also knows what stood before exec, so the kernel's own count."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def land_charges(home: Path) -> dict[str, Any]:
    report = Door(home, runs=1).land()
    assert not report.refused, report.refused
    return {"rows": sum(batch.rows for batch in report.batches), "verdicts": report.verdicts}


def guard(home: Path) -> dict[str, Any]:
    from orchestration.expectations import validate

    results = validate(home / "raw.duckdb")
    assert all(one.passed for one in results), [one for one in results if not one.passed]
    return {"expectations": len(results)}


def read_alone(file: Path) -> dict[str, Any]:
    import polars as pl

    return {"rows": pl.read_csv(file, infer_schema=False).height}


_PARTS = {"landing": land_charges, "guard": guard, "yardstick": read_alone}


def _apart(part: str, path: Path) -> dict[str, Any]:
    """One part in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.door", "--part", part, "--path", str(path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{part} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(rows: int, rounds: int) -> dict[str, Any]:
    """What landing, guard and yardstick cost (medians over rounds, peaks as maxima), and the ratios."""
    runs: dict[str, list[dict[str, Any]]] = {part: [] for part in _PARTS}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            door = Door(home)
            door.folder.mkdir()
            write_leases(door.folder / "leases-many.csv", rows)
            door.land(portfolio(), loaded_at=FIRST_RUN - timedelta(hours=1))
            for file in door.folder.iterdir():
                file.unlink()
            file = write_charges(door.folder / "charges-many.csv", rows)
            runs["yardstick"].append(_apart("yardstick", file))
            runs["landing"].append(_apart("landing", home))
            runs["guard"].append(_apart("guard", home))
            size = file.stat().st_size
    found: dict[str, Any] = {"rows": rows, "file_mb": round(size / 1e6, 1), "rounds": rounds}
    for part, several in runs.items():
        found[part] = {
            "seconds": round(statistics.median(one["seconds"] for one in several), 2),
            "cpu": round(statistics.median(one["cpu"] for one in several), 2),
            "peak_mb": round(max(one["peak_mb"] for one in several)),
        }
    assert runs["landing"][0]["rows"] == rows == runs["yardstick"][0]["rows"]
    found["verdicts"] = runs["landing"][0]["verdicts"]
    found["landing_to_yardstick"] = {
        key: round(found["landing"][key] / found["yardstick"][key], 2) for key in ("seconds", "cpu", "peak_mb")
    }
    found["rows_per_cpu_second"] = round(rows / found["landing"]["cpu"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", type=Path, help="where the figures are written as well")
    parser.add_argument("--part", choices=_PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        _measured(lambda: _PARTS[options.part](options.path))
        return
    found = measure(options.rows, options.rounds)
    print(f"{found['rows']:,} charges in a file of {found['file_mb']:,} MB; {found['verdicts']}")
    for part in _PARTS:
        cost = found[part]
        print(f"{part:<10}{cost['seconds']:9.2f} s {cost['cpu']:9.2f} CPU-s {cost['peak_mb']:9,} MB at most")
    ratio = found["landing_to_yardstick"]
    print(
        f"landing to Polars reading the file alone: {ratio['seconds']} in seconds, {ratio['cpu']} in CPU seconds,"
        f" {ratio['peak_mb']} in memory; {found['rows_per_cpu_second']:,} rows a CPU second"
    )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"written to {options.json}")


if __name__ == "__main__":
    main()
