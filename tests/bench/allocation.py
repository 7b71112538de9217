"""Measure the allocation kernel: `python -m tests.bench.allocation --size S`.

Prints events per second of one core for the compiled loop alone, for the whole call (checks, sort, loop, table) and for
plain Python: the readable twin, which replays each account for every moment, and one forward pass of it without any
late knowledge, the least that plain Python could do with these rules. Ratios travel between machines, absolutes do not.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc

from dbt_project.kernels.allocation import allocate, allocate_reference, words
from dbt_project.kernels.allocation.inputs import read_events
from dbt_project.kernels.allocation.kernel import journal_lines
from dbt_project.kernels.allocation.reference import Event, Play, business_order
from dbt_project.kernels.allocation.rules import parse_rules
from tests.bench.portfolio import SIZES, portfolio, rules


def timed(work: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds of wall and of CPU time."""
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls), statistics.median(cpus)


def one_pass(events: pa.Table, rule_table: pa.Table) -> int:
    """Plain Python, everything known from the start: play each account once."""
    parsed = parse_rules(rule_table)
    rows = 0
    listed = [Event(**row) for row in read_events(events, parsed).table.to_pylist()]
    listed.sort(key=lambda event: event.account_key)
    for _, group in groupby(listed, key=lambda event: event.account_key):
        mine = sorted(group, key=business_order)
        play = Play(parsed, mine)
        for event in mine:
            play.play(event)
        rows += len(play.rows)
    return rows


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="S")
    parser.add_argument("--leases", type=int, help="instead of the size's number of leases")
    parser.add_argument("--late", type=float, default=0.3, help="share of payments keyed a day late")
    parser.add_argument("--stragglers", type=float, default=0.01, help="share of everything up to nine days late")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--twin-leases", type=int, default=20, help="leases that plain Python plays")
    options = parser.parse_args()

    leases, months = SIZES[options.size]
    leases = options.leases or leases
    rule_table = rules()
    events = portfolio(leases, months, late=options.late, stragglers=options.stragglers)
    few = events.filter(pc.less_equal(events["account_key"], options.twin_leases))
    made_mb = peak_mb()
    wall, cpu = time.perf_counter(), time.process_time()
    journal = allocate(few, rule_table)
    print(
        f"first call, compiling or loading: {time.perf_counter() - wall:.1f} s wall,"
        f" {time.process_time() - cpu:.1f} s CPU"
    )
    assert journal.equals(allocate_reference(few, rule_table)), "the kernel and its twin differ"

    parsed = parse_rules(rule_table)
    read = read_events(events, parsed)
    lines = journal_lines(read, parsed, options.threads)
    corrections = int((lines[words.J_REASON] == words.REASONS.index("correction")).sum())
    written = len(lines[words.J_REASON])
    count = events.num_rows
    print(
        f"{leases:,} leases x {months} months: {count:,} events, {written:,} rows, {corrections:,} corrections "
        f"({corrections / written:.1%})"
    )
    del lines
    steps = {
        "loop": lambda: journal_lines(read, parsed, options.threads),
        "checks and sort": lambda: read_events(events, parsed),
        "whole call": lambda: allocate(events, rule_table, options.threads),
    }
    rates = {}
    for name, work in steps.items():
        wall, cpu = timed(work, options.rounds)
        rates[name] = count / cpu
        print(
            f"{name:<16}{wall:8.3f} s wall {cpu:8.3f} s CPU"
            f" {count / wall:14,.0f} events/s wall {count / cpu:14,.0f} per core"
        )
    print(f"peak memory {peak_mb():,.0f} MB, of which {made_mb:,.0f} MB were there with the events")
    for name, work in (
        ("twin", lambda: allocate_reference(few, rule_table)),
        ("twin, one pass", lambda: one_pass(few, rule_table)),
    ):
        wall, cpu = timed(work, 1)
        rate = few.num_rows / cpu
        print(
            f"{name:<16}{wall:8.3f} s wall {cpu:8.3f} s CPU {rate:14,.0f} events/s per core ({few.num_rows:,} events); "
            f"loop {rates['loop'] / rate:,.0f}x, whole call {rates['whole call'] / rate:,.0f}x"
        )


if __name__ == "__main__":
    main()
