"""Parquet: text, DECIMAL, whole numbers, days and moments become the text that a CSV file would hold. No floats.

Arrow reads the file, not Polars: Polars ends the whole process where a damaged page asks for more memory than there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from orchestration.contract import Table
from orchestration.landing import limits
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names, shown, whole

_ROWS_AT_A_TIME = 250_000
#: What else the readers answer damage with: a length that no memory holds, a date beyond the calendar.
_DAMAGE = (OSError, ValueError, TypeError, OverflowError, MemoryError, NotImplementedError)


def read_parquet(file: str, stream: BinaryIO, table: Table) -> Iterator[RawTable]:
    """Read Parquet, some hundred thousand rows at a time. Row numbers count from 1. Raises FileRefused."""
    data = pa.py_buffer(whole(file, stream))
    try:
        found = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        rows, names = found.metadata.num_rows, found.schema_arrow.names
        check_names(file, [name.strip(BLANKS).lower() for name in names])
        if rows * len(names) > limits.PARQUET_VALUES:
            raise FileRefused(
                file,
                f"{rows:,} rows of {len(names)} columns",
                f"at most {limits.PARQUET_VALUES:,} values",
                "Split the file. Nothing of this file was loaded.",
            )
        start = 0
        for batch in found.iter_batches(_ROWS_AT_A_TIME):
            # Polars takes Arrow's word that text is UTF-8; Arrow itself does not look unless told to.
            batch.validate(full=True)
            yield _as_text(file, _frame(pa.Table.from_batches([batch])), table, start)
            start += batch.num_rows
        if start != rows:
            raise FileRefused(file, f"{start} rows", f"{rows} rows, as the file says", EXPORT_AGAIN)
        if not rows:
            yield _as_text(file, _frame(found.schema_arrow.empty_table()), table, 0)
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, *_DAMAGE) as error:
        words = shown(" ".join(str(error).split()))
        raise FileRefused(file, f"a damaged Parquet file ({words})", "a whole Parquet file", EXPORT_AGAIN) from None


def _frame(part: pa.Table) -> pl.DataFrame:
    frame = pl.from_arrow(part)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _as_text(file: str, frame: pl.DataFrame, table: Table, start: int) -> RawTable:
    """A part of the rows as text; `start` rows stand before it."""
    names = [name.strip(BLANKS).lower() for name in frame.columns]
    frame.columns = names
    known = {column.name: column for column in table.columns}
    aliases = table.aliases
    text: list[pl.Expr] = []
    for name, kind in frame.schema.items():
        column = known.get(aliases.get(name, name))
        value = pl.col(name)
        if kind.is_float():
            if column is not None and column.type == "integer":
                whole = frame[name].drop_nulls()
                if not (whole == whole.round()).all():
                    raise FileRefused(file, "numbers with fractions", "whole numbers", EXPORT_AGAIN, column=name)
                text.append(value.cast(pl.Int64).cast(pl.String))
                continue
            if column is not None:
                raise FileRefused(
                    file,
                    f"floating point numbers ({kind})",
                    "DECIMAL or text" if column.type in ("amount", "rate") else "text",
                    "Write the column as DECIMAL(18,2) or text: a float has already lost cents. Nothing was loaded.",
                    column=name,
                )
        if isinstance(kind, pl.Decimal):
            text.append(value.cast(pl.String).str.replace(r"(\.[0-9]{2}[0-9]*?)0+$", "$1"))
        elif kind == pl.Boolean:
            text.append(pl.when(value).then(pl.lit("true")).when(~value).then(pl.lit("false")).alias(name))
        elif kind == pl.Date:
            text.append(value.dt.strftime("%Y-%m-%d"))
        elif isinstance(kind, pl.Datetime):
            if column is not None and column.type == "date":
                midnight = value.dt.strftime("%H:%M:%S%.f") == pl.lit("00:00:00")
                day = value.dt.strftime("%Y-%m-%d")
                text.append(pl.when(midnight).then(day).otherwise(value.dt.strftime("%Y-%m-%dT%H:%M:%S")).alias(name))
            elif kind.time_zone:
                text.append(value.dt.convert_time_zone("UTC").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"))
            else:
                text.append(value.dt.strftime("%Y-%m-%dT%H:%M:%S%.6f"))
        elif kind in (pl.Binary, pl.Object) or isinstance(kind, pl.Duration | pl.Time):
            raise FileRefused(file, f"values of type {kind}", "text, numbers, dates", EXPORT_AGAIN, column=name)
        elif isinstance(kind, pl.Struct):
            text.append(value.struct.json_encode())
        elif isinstance(kind, pl.List | pl.Array):
            joined = value.cast(pl.List(pl.String)).list.join(",")
            text.append(joined)
        else:
            text.append(value.cast(pl.String))
    return RawTable(frame.select(text), pl.Series("row_number", np.arange(frame.height) + start + 1, dtype=pl.Int64))
