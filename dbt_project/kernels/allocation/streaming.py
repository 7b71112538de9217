"""The journal of a portfolio of any size in bounded memory: accounts in, a range of them at a time.

Accounts do not touch each other, so a range of whole accounts is played by itself. What ties them together is the
number of a row, which counts the whole journal in the order of knowledge. The order of steps: play each range and put
its rows aside in a file; merge the moments of all ranges, which are 8 bytes a row; then read the rows back and number
them. Memory holds one range of events, and 24 bytes for each row of the journal.

What it needs: events in the order of their accounts. It refuses an account that comes back after another.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from dbt_project.kernels.allocation.inputs import EVENTS_SCHEMA, InputError, read_events
from dbt_project.kernels.allocation.kernel import journal_lines
from dbt_project.kernels.allocation.outputs import OUTPUT_SCHEMA, journal_table
from dbt_project.kernels.allocation.rules import parse_rules

#: Events of a range, some 400 bytes each while they are checked, sorted and played: fewer cost calls, more cost memory.
RANGE = 1_000_000


def allocate_stream(
    events: Iterable[pa.RecordBatch], rules: pa.Table, aside: Path, *, size: int = RANGE, threads: int = 1
) -> pa.RecordBatchReader:
    """`allocate` for events that come in batches, by account: the same rows and numbers, in the order of the ranges.

    Args:
        events: batches with columns of EVENTS_SCHEMA; all events of an account follow each other, accounts ascend.
        rules: columns of RULES_SCHEMA.
        aside: a folder for the file that holds the rows until they are numbered; it is gone when the reader is.
        size: how many events are played at once, at least; an account is never split.
        threads: as `allocate`.

    Returns:
        Batches of OUTPUT_SCHEMA, a range after the other.

    Raises:
        RuleError, InputError: as `allocate`, and InputError where accounts do not ascend.
    """
    parsed = parse_rules(rules)
    aside.mkdir(parents=True, exist_ok=True)
    spool = tempfile.TemporaryFile(dir=aside)  # noqa: SIM115 (the reader that is returned closes it)
    moments: list[np.ndarray] = []
    with pa.ipc.new_stream(spool, OUTPUT_SCHEMA, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        for some in _ranges(events, size):
            read = read_events(some, parsed)
            journal = journal_table(read, journal_lines(read, parsed, threads))
            moments.append(journal["known_at"].cast(pa.int64()).to_numpy())
            # One batch a range, so that its rows find their place again.
            writer.write_table(journal.combine_chunks(), max_chunksize=max(journal.num_rows, 1))
    numbers = _numbers(moments)
    spool.seek(0)
    return pa.RecordBatchReader.from_batches(OUTPUT_SCHEMA, _numbered(spool, numbers))


def _ranges(events: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """Tables of whole accounts with at least `size` events each, the last one apart."""
    held: list[pa.RecordBatch] = []
    count, last = 0, None
    for batch in events:
        if not batch.num_rows:
            continue
        account = batch.column(batch.schema.get_field_index("account_key")).to_numpy()
        before = account[0] if last is None else last
        if account[0] < before or np.any(account[1:] < account[:-1]):
            raise InputError("accounts do not ascend: all events of an account must come together")
        last = account[-1]
        held.append(batch)
        count += batch.num_rows
        if count < size or account[0] == last:
            continue
        whole = int(np.searchsorted(account, last, side="left"))  # the last account may go on in the next batch
        yield pa.Table.from_batches([*held[:-1], batch.slice(0, whole)])
        held = [batch.slice(whole)]
        count = held[0].num_rows
    yield pa.Table.from_batches(held) if held else EVENTS_SCHEMA.empty_table()


def _numbers(moments: list[np.ndarray]) -> np.ndarray:
    """The number of each row, ranges one after another: by moment, then by range, then as within the range."""
    known = np.concatenate(moments) if moments else np.empty(0, np.int64)
    moments.clear()
    order = np.argsort(known, kind="stable")
    del known
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(1, len(order) + 1)
    return numbers


def _numbered(spool: object, numbers: np.ndarray) -> Iterator[pa.RecordBatch]:
    seq, reverses = (OUTPUT_SCHEMA.get_field_index(name) for name in ("journal_seq", "reverses_seq"))
    start = 0
    with pa.ipc.open_stream(spool) as reader:
        for batch in reader:
            mine = numbers[start : start + batch.num_rows]
            undone = batch.column(reverses)
            missing = undone.is_null().to_numpy(zero_copy_only=False)
            # Within its range a row of number n is the row at n - 1.
            of = mine[np.where(missing, 1, undone.fill_null(1).to_numpy()) - 1] if len(mine) else mine
            columns = batch.columns
            columns[seq], columns[reverses] = pa.array(mine), pa.array(of, mask=missing)
            yield pa.RecordBatch.from_arrays(columns, schema=OUTPUT_SCHEMA)
            start += batch.num_rows
    spool.close()  # type: ignore[attr-defined]
