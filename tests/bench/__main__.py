"""Measure Tieout: `python -m tests.bench --size S`.

One command, one machine, one piece after the other, each in a child process: the seeded portfolio as landing files; the
full build of it; the kernel alone and its twin; a month's statements; and beside them the yardstick, DuckDB alone
reading the same raw rows, sorting them by lease and date and writing as many rows as the build publishes. Ratios travel
between machines, seconds do not. Each run adds a line to results.jsonl, which `python -m tests.bench.chart` draws.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orchestration.resources.dbt import code_version
from tests.bench.measure import in_a_process
from tests.bench.portfolio import SIZES

RESULTS = Path(__file__).parent / "results.jsonl"
#: Of the product's promises, what the warehouse cannot do yet, and so nobody can measure: the place is kept.
NOT_THERE_YET = ("incremental", "reproduce")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="S")
    parser.add_argument("--leases", type=int, help="instead of the size's number of leases")
    parser.add_argument("--months", type=int, help="instead of the size's number of months")
    parser.add_argument(
        "--only", nargs="+", choices=("build", "kernel", "statements", "yardstick"), help="these pieces"
    )
    parser.add_argument(
        "--scratch", type=Path, help="where files and home are made, and stay (default: a temporary one)"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file that the line is added to")
    parser.add_argument("--statements", type=int, default=1_000)
    parser.add_argument("--twin-leases", type=int, default=20)
    parser.add_argument("--without-guard", action="store_true", help="leave out Great Expectations")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    leases, months = SIZES[options.size]
    leases, months = options.leases or leases, options.months or months
    scratch = options.scratch or Path(tempfile.mkdtemp(prefix="tieout-bench-"))
    try:
        found = measure(scratch, leases, months, options)
    finally:
        if options.scratch is None:
            shutil.rmtree(scratch, ignore_errors=True)
    line = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": code_version(),
        "cores": os.cpu_count(),
        "leases": leases,
        "months": months,
        **found,
    }
    line["ratios"] = ratios(line)
    print(report(line))
    with open(options.results, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


def measure(scratch: Path, leases: int, months: int, options: argparse.Namespace) -> dict[str, Any]:
    """Run the pieces in turn. Without a build the yardstick writes twice as many rows as it reads."""
    files, home = scratch / "files", scratch / "home"
    wanted = options.only or ("build", "kernel", "statements", "yardstick")
    found: dict[str, Any] = {}

    def piece(name: str, **arguments: object) -> dict[str, Any]:
        print(f"{datetime.now():%H:%M:%S} {name}", flush=True)
        found[name] = in_a_process(name, **arguments)
        return found[name]

    shutil.rmtree(files, ignore_errors=True)
    made = piece("generate", folder=files, leases=leases, months=months)
    if "build" in wanted:
        shutil.rmtree(home, ignore_errors=True)
        piece("build", home=home, folder=files, as_of=made["as_of"], expectations=not options.without_guard)
    if "statements" in wanted and home.exists():
        piece("statements", home=home, month=made["as_of"][:7], most=options.statements)
    if "kernel" in wanted:
        piece("kernel", leases=leases, months=months, twin_leases=options.twin_leases, threads=options.threads)
    if "yardstick" in wanted:
        rows = found["build"]["rows_out"] if "build" in found else 2 * sum(made["rows"].values())
        piece("yardstick", folder=files, scratch=scratch / "yardstick.duckdb", rows_out=rows)
    return found


def ratios(line: dict[str, Any]) -> dict[str, float]:
    """What travels between machines: CPU of the build against CPU of the yardstick, speeds of kernel and twin."""
    found: dict[str, float] = {}
    if "build" in line:
        raw = sum(line["generate"]["rows"].values())
        found["build_raw_rows_per_second"] = raw / line["build"]["process"]["wall"]
        found["build_peak_mb"] = line["build"]["process"]["peak_mb"]
        if "yardstick" in line:
            for kind in ("cpu", "wall"):
                found[f"build_to_yardstick_{kind}"] = _ratio(line, kind)
    if "kernel" in line:
        steps = line["kernel"]["steps"]
        found["kernel_events_per_second"] = line["kernel"]["events"] / steps["kernel"]["wall"]
        twin = line["kernel"]["twin_events"] / steps["twin"]["cpu"]
        found["kernel_to_twin_per_core"] = line["kernel"]["events"] / steps["kernel"]["cpu"] / twin
    if "statements" in line:
        found["statements_per_second"] = (
            line["statements"]["statements"] / line["statements"]["steps"]["statements"]["wall"]
        )
    return {name: round(value, 3) for name, value in found.items()}


def _ratio(line: dict[str, Any], kind: str) -> float:
    whole, least = (sum(step[kind] for step in line[piece]["steps"].values()) for piece in ("build", "yardstick"))
    return whole / max(least, 0.001)


def report(line: dict[str, Any]) -> str:
    """The line in words: a row per step, then the ratios."""
    raw = line["generate"]["rows"]
    said = [
        f"{line['leases']:,} leases x {line['months']} months: "
        + ", ".join(f"{count:,} {table.replace('_', ' ')}" for table, count in raw.items())
        + f"; {line['cores']} cores",
        f"{'piece':<12}{'step':<18}{'wall s':>10}{'CPU s':>10}{'peak MB':>10}",
    ]
    for name in ("generate", "build", "statements", "kernel", "yardstick"):
        for step, cost in line.get(name, {}).get("steps", {}).items():
            said.append(f"{name:<12}{step:<18}{cost['wall']:>10.2f}{cost['cpu']:>10.2f}{cost['peak_mb']:>10,.0f}")
    if "build" in line:
        for title in ("layers", "slowest"):
            pairs = ", ".join(f"{name} {seconds}" for name, seconds in line["build"][title].items())
            said.append(f"seconds of {title}: {pairs}")
        said.append(f"rows published: {line['build']['rows_out']:,}; file {line['build']['bytes'] / 2**20:,.0f} MiB")
    said += [f"{name.replace('_', ' ')}: {value:,.3f}" for name, value in line["ratios"].items()]
    said += [f"{name}: not there yet" for name in NOT_THERE_YET]
    return "\n".join(said)


if __name__ == "__main__":
    main()
