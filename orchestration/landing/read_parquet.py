"""Parquet: text, DECIMAL, whole numbers, days and moments become the text that a CSV file would hold. No floats."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import polars as pl

from orchestration.contract import Table
from orchestration.landing import limits
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names, shown, whole

_ROWS_AT_A_TIME = 250_000


def read_parquet(file: str, stream: BinaryIO, table: Table) -> Iterator[RawTable]:
    """Read Parquet, some hundred thousand rows at a time. Row numbers count from 1. Raises FileRefused."""
    data = io.BytesIO(whole(file, stream))
    try:
        rows, schema = _size(data)
        check_names(file, [name.strip(BLANKS).lower() for name in schema])
        if rows * len(schema) > limits.PARQUET_VALUES:
            raise FileRefused(
                file,
                f"{rows:,} rows of {len(schema)} columns",
                f"at most {limits.PARQUET_VALUES:,} values",
                "Split the file. Nothing of this file was loaded.",
            )
        scan = pl.scan_parquet(data)
        for start in range(0, max(rows, 1), _ROWS_AT_A_TIME):
            frame = scan.slice(start, _ROWS_AT_A_TIME).collect()
            if frame.height != min(rows - start, _ROWS_AT_A_TIME):
                raise FileRefused(file, f"{start + frame.height} rows", f"{rows} rows, as the file says", EXPORT_AGAIN)
            yield _as_text(file, frame, table, start)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError, ValueError) as error:
        # A panic of the reader is its answer to bytes it did not expect; it is no error of Python's.
        words = shown(" ".join(str(error).split()))
        raise FileRefused(file, f"a damaged Parquet file ({words})", "a whole Parquet file", EXPORT_AGAIN) from None


def _size(data: io.BytesIO) -> tuple[int, list[str]]:
    """Rows and column names as the file's own footer gives them."""
    rows = pl.scan_parquet(data).select(pl.len()).collect().item()
    return int(rows), pl.scan_parquet(data).collect_schema().names()


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
