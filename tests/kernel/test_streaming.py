"""The journal made in ranges of accounts is the journal: the same rows, numbers and references."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from dbt_project.kernels.allocation import EVENTS_SCHEMA, InputError, allocate, allocate_stream
from tests.bench.portfolio import portfolio, rules
from tests.kernel.ledgers import random_tables


def by_account(events: pa.Table, batch: int) -> list[pa.RecordBatch]:
    return events.sort_by("account_key").combine_chunks().to_batches(max_chunksize=batch)


@pytest.mark.parametrize(("size", "batch"), [(1, 1), (1, 7), (40, 7), (40, 1_000), (100_000, 50)])
def test_ranges_of_any_size_give_the_same_rows_numbers_and_references(tmp_path: Path, size: int, batch: int) -> None:
    for events, rule_table in (random_tables(Random(20261130), 9), (portfolio(12, 5), rules())):
        whole = allocate(events, rule_table)
        assert whole["reverses_seq"].null_count < whole.num_rows, "some rows must undo others"
        reader = allocate_stream(by_account(events, batch), rule_table, tmp_path, size=size)
        streamed = reader.read_all()
        assert streamed.sort_by("journal_seq").equals(whole)
    assert not any(tmp_path.iterdir()), "what was put aside is gone"


def test_nothing_gives_an_empty_journal(tmp_path: Path) -> None:
    for batches in ([], EVENTS_SCHEMA.empty_table().to_batches()):
        assert (
            allocate_stream(batches, rules(), tmp_path)
            .read_all()
            .equals(allocate(EVENTS_SCHEMA.empty_table(), rules()))
        )


def test_an_account_that_comes_back_after_another_is_refused(tmp_path: Path) -> None:
    batches = by_account(portfolio(3, 3), 10)
    with pytest.raises(InputError, match="accounts do not ascend"):
        allocate_stream([*batches, batches[0]], rules(), tmp_path)
    with pytest.raises(InputError, match="accounts do not ascend"):
        allocate_stream(portfolio(3, 3).combine_chunks().to_batches(), rules(), tmp_path)
