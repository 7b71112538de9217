"""Parquet: text, DECIMAL, whole numbers, days and moments become the text that a CSV file would hold. No floats."""

from __future__ import annotations

import io

import numpy as np
import polars as pl

from orchestration.contract import Table
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names


def read_parquet(file: str, data: bytes, table: Table) -> RawTable:
    """Read Parquet bytes. Row numbers count from 1. Raises FileRefused naming the column of a float."""
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileRefused(file, f"a damaged Parquet file ({error})", "a whole Parquet file", EXPORT_AGAIN) from None
    names = [name.strip(BLANKS).lower() for name in frame.columns]
    check_names(file, names)
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
    return RawTable(frame.select(text), pl.Series("row_number", np.arange(1, frame.height + 1), dtype=pl.Int64))
