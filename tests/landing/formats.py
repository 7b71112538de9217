"""The same rows written in every format that may land, each with the types that a system of record would give it."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

import openpyxl
import polars as pl

from orchestration.contract import Table, contract
from tests.conftest import csv_text

ENDINGS = ("csv", "csv.gz", "jsonl", "jsonl.gz", "parquet", "parquet.gz", "xlsx")
Row = Mapping[str, object]


def _plain(value: object) -> str:
    return "" if value is None else str(value)


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _typed(table: Table, name: str, text: str) -> object:
    """The value as a spreadsheet or a database would hold it: amounts as numbers, days as dates."""
    kind = table.column(name).type if name in table.names else "text"
    if not text:
        return None
    try:
        if kind == "amount":
            return Decimal(text)
        if kind == "date":
            return date.fromisoformat(text)
    except (InvalidOperation, ValueError):
        return text
    return text


def _parquet(table: Table, rows: Sequence[Row]) -> bytes:
    columns = {}
    for name in _columns(rows):
        texts = [_plain(row.get(name)) for row in rows]
        values = [_typed(table, name, text) for text in texts]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {Decimal}:
            columns[name] = pl.Series(name, values, dtype=pl.Decimal(18, 2))
        elif kinds == {date}:
            columns[name] = pl.Series(name, values, dtype=pl.Date)
        else:
            columns[name] = pl.Series(name, [text or None for text in texts], dtype=pl.String)
    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


def _workbook(table: Table, rows: Sequence[Row]) -> bytes:
    book = openpyxl.Workbook()
    names = _columns(rows)
    book.active.append(names)
    for row in rows:
        book.active.append([_typed(table, name, _plain(row.get(name))) for name in names])
        for cell in book.active[book.active.max_row]:
            if cell.data_type == "f":
                cell.data_type = "s"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _json_lines(rows: Sequence[Row]) -> bytes:
    """Every other line leaves out what is empty, and writes what is a number as one."""
    lines = []
    for number, row in enumerate(rows):
        values = {name: _plain(row.get(name)) for name in _columns(rows)}
        if number % 2:
            values = {name: text for name, text in values.items() if text}
        amount = values.get("amount", "")
        line = json.dumps(values, ensure_ascii=bool(number % 3))
        if number % 2 and _is_number(amount):
            line = line.replace(f'"amount": {json.dumps(amount)}', f'"amount": {amount}')
        lines.append(line + "\n")
    return "".join(lines).encode()


def _is_number(text: str) -> bool:
    try:
        return isinstance(json.loads(text), int | float)
    except ValueError:
        return False


def encoded(table: str, rows: Sequence[Row], ending: str) -> bytes:
    """The bytes of a file of `rows` in the format of `ending`."""
    bare = ending.removesuffix(".gz")
    declared = contract()[table]
    if bare == "csv":
        data = csv_text(rows).encode()
    elif bare == "jsonl":
        data = _json_lines(rows)
    elif bare == "parquet":
        data = _parquet(declared, rows)
    else:
        data = _workbook(declared, rows)
    return gzip.compress(data) if ending.endswith(".gz") else data


def write_tables(
    folder: Path, tables: Mapping[str, Sequence[Row]], endings: Sequence[str], seed: int | None = None
) -> int:
    """Write every table, in one file each, or, with a seed, its rows shuffled and cut into a dozen files.

    Formats are taken in turn. Returns the number of files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(seed)
    written = 0
    for table, rows in sorted(tables.items()):
        parts = [list(rows)]
        if seed is not None:
            shuffled = dice.sample(list(rows), len(rows))
            size = max(1, len(rows) // 12)
            parts = [shuffled[at : at + size] for at in range(0, len(shuffled), size)]
        for part in parts:
            ending = endings[written % len(endings)]
            path = folder / f"{table}-{dice.randrange(10**9) if seed is not None else 'all'}-{written}.{ending}"
            path.write_bytes(encoded(table, part, ending))
            os.utime(path, (0, 0))
            written += 1
    return written
