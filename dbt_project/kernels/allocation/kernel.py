"""Drive the compiled loop: chunks of whole accounts in, lines of the journal out.

The loop never grows an array. It is given buffers; where one is too small it stops at the start of an account, and here
the lines are carried off, or the scratch is doubled, and it resumes. Chunks bound the memory that the loop's own copy
of the events takes; they are independent, so they run on as many threads as are asked for, and the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from dbt_project.kernels.allocation import journal, loop, words
from dbt_project.kernels.allocation.arrays import Columns
from dbt_project.kernels.allocation.inputs import Inputs, Ints
from dbt_project.kernels.allocation.rules import Rule

CHUNK = 400_000  # events; 256 bytes each, so about 100 MB of columns a chunk and thread
# Room at first, of which there is always more to have: rows of the live allocation and changes in the log of the
# longest account, lines of the journal of the chunk. Too little costs a repetition, too much costs memory.
ROWS_PER_EVENT, SPARE_ROWS = 2, 256
CHANGES_PER_EVENT, SPARE_CHANGES = 24, 1024
LINES_PER_EVENT, SPARE_LINES = 2, 1024


Lines = list[Ints]  # a column each, in the order of words.J_...
_EVENTS = (words.J_SOURCE, words.J_TARGET, words.J_AT, words.J_CAUSE)
_NARROW = {words.J_KIND: np.int8, words.J_REASON: np.int8, words.J_LAW_STEP: np.int8, words.J_POLICY_STEP: np.int8}


def journal_lines(read: Inputs, rules: dict[int, Rule], threads: int = 1) -> Lines:
    """The journal of every account, accounts one after another, each in the order of knowledge and then of play.

    Returns the columns of words.J_...: events are rows of `read.table`, `J_REVERSES` is a line or -1.
    """
    columns = Columns(read, rules)
    table = columns.rules()

    def of_chunk(bounds: tuple[int, int]) -> list[Lines]:
        return list(_run(columns, table, read.accounts[bounds[0] : bounds[1] + 1]))

    bounds = list(_chunks(read.accounts))
    if threads > 1 and len(bounds) > 1:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(of_chunk, bounds))
    else:
        found = [of_chunk(one) for one in bounds]
    parts = [part for parts in found for part in parts]
    before = 0
    for part in parts:
        part[words.J_REVERSES][part[words.J_REVERSES] >= 0] += before
        before += len(part[words.J_REVERSES])
    if not parts:
        return [np.empty(0, np.int64) for _ in range(words.LINE_COLUMNS)]
    return [np.concatenate([part.pop(0) for part in parts]) for _ in range(words.LINE_COLUMNS)]


def _chunks(accounts: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of whole accounts with about CHUNK events each."""
    first = 0
    while first < len(accounts) - 1:
        after = int(np.searchsorted(accounts, accounts[first] + CHUNK, side="right")) - 1
        after = min(max(after, first + 1), len(accounts) - 1)
        yield first, after
        first = after


def _run(columns: Columns, rules: Ints, accounts: Ints) -> Iterator[Lines]:
    start, stop = int(accounts[0]), int(accounts[-1])
    events = columns.chunk(start, stop)
    starts = accounts - start
    longest = int(np.diff(accounts).max())
    room = 1
    lines = np.empty((words.LINE_COLUMNS, LINES_PER_EVENT * (stop - start) + SPARE_LINES), np.int64)
    control = np.zeros(8, np.int64)
    account = 0
    while True:
        rows = room * (ROWS_PER_EVENT * longest + SPARE_ROWS)
        buffers = (
            np.empty(loop.LIVE * (longest + 1) + rows, np.int64),
            np.empty((room * (CHANGES_PER_EVENT * longest + SPARE_CHANGES), 2), np.int64),
            np.empty((rows, loop.ROW_COLUMNS), np.int64),
            np.empty((rows, loop.ROW_COLUMNS), np.int64),
        )
        scratch = np.empty((6, max(rows, longest)), np.int64)
        state, log, live_rows, old_rows = buffers
        account, outcome = journal.run(
            events, rules, state, log, live_rows, old_rows, lines, control, scratch, starts, account
        )
        written = int(control[loop.LINES])
        if outcome == journal.SCRATCH_FULL:
            room *= 2
            continue
        if outcome == journal.LINES_FULL and written == 0:
            lines = np.empty((words.LINE_COLUMNS, 2 * lines.shape[1]), np.int64)
            continue
        yield [
            columns.rows(column + start) if at in _EVENTS else column.astype(_NARROW.get(at, np.int64))
            for at, column in enumerate(lines[:, :written])
        ]
        control[loop.LINES] = 0
        if outcome == journal.DONE:
            return
