"""Seconds, CPU seconds and peak memory of a step, and of a piece of the benchmark that runs in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Cost:
    """What a step cost: seconds of wall and CPU (all threads), and the most memory that its process held meanwhile."""

    wall: float
    cpu: float
    peak_mb: float


@dataclass
class Meter:
    """Costs by step, in the order in which they were taken."""

    steps: dict[str, Cost] = field(default_factory=dict)

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure the block. The high-water mark of the process is set back first, so that it is the step's own."""
        with contextlib.suppress(OSError):  # a kernel that does not let it: then it is the mark since the start
            Path("/proc/self/clear_refs").write_text("5")
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.steps[name] = Cost(time.perf_counter() - wall, time.process_time() - cpu, peak_mb())

    def as_dict(self) -> dict[str, dict[str, float]]:
        return {
            name: {key: round(value, 3) for key, value in asdict(cost).items()} for name, cost in self.steps.items()
        }


def peak_mb() -> float:
    """The high-water mark of this process's resident memory, in MiB (Linux)."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def in_a_process(piece: str, **arguments: object) -> dict[str, Any]:
    """Run a piece (`tests.bench.pieces`) in a child process: what it returned, and under `process` what it cost.

    Raises RuntimeError with the end of its output when it fails.
    """
    command = [sys.executable, "-m", "tests.bench.pieces", piece, json.dumps(arguments, default=str)]
    wall = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{piece} ended with {child.returncode}: {said[-2000:]}")
    found = json.loads(said.splitlines()[-1])
    cost = Cost(time.perf_counter() - wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    return {**found, "process": {key: round(value, 3) for key, value in asdict(cost).items()}}
