"""Draw what was measured over time: `python -m tests.bench.chart [--measure build_to_yardstick_cpu]`.

A block per size, a bar per run, oldest first. Only ratios and speeds are drawn: seconds of two machines do not compare.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.bench.__main__ import RESULTS

WIDTH = 50


def bars(lines: list[dict[str, Any]], measure: str) -> str:
    """The chart as text. Runs that did not take the measure are left out; says so where none did."""
    sizes: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: line["at"]):
        if measure in line["ratios"]:
            sizes[line["leases"], line["months"]].append(line)
    if not sizes:
        known = sorted({name for line in lines for name in line["ratios"]})
        return f"Nothing measured {measure}. Measured so far: {', '.join(known) or 'nothing'}."
    drawn = []
    for (leases, months), runs in sorted(sizes.items()):
        drawn.append(f"{measure}, {leases:,} leases x {months} months")
        most = max(run["ratios"][measure] for run in runs) or 1
        for run in runs:
            value = run["ratios"][measure]
            drawn.append(f"  {run['at'][:16]} {run['code'][-12:]} {value:>14,.2f} {'█' * round(WIDTH * value / most)}")
    return "\n".join(drawn)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", default="build_to_yardstick_cpu")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    text = options.results.read_text("utf-8") if options.results.exists() else ""
    print(bars([json.loads(line) for line in text.splitlines()], options.measure))


if __name__ == "__main__":
    main()
