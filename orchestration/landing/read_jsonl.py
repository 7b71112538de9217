"""JSON lines: one object per line. Numbers keep the digits they are written with; nothing passes through a float."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl

from orchestration.contract import Table
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names, shown, whole


class _KeyTwice(ValueError):
    """An object names a key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        raise _KeyTwice(next(key for key, _ in pairs if key in seen or seen.add(key)))
    return found


class _NoText(ValueError):
    """A value holds what is no character."""


def _check_text(value: Any) -> None:
    """Raise _NoText where a string of a value holds half of a character, which JSON's escapes can write."""
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise _NoText("half of a character")
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_text(key)
            _check_text(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_text(inner)


class _Digits(str):
    """A number as it is written in the file."""


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return _written(value)


def _written(value: Any) -> str:
    """JSON text of a nested value, its numbers as they were written."""
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {_written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _objects(file: str, data: bytes) -> tuple[list[dict[str, Any]], list[int]]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_float=_Digits, parse_int=_Digits, parse_constant=_Digits)
    objects: list[dict[str, Any]] = []
    numbers: list[int] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            found = decoder.decode(line.decode("utf-8").strip(BLANKS))
            if b"\\u" in line:
                _check_text(found)
        except UnicodeDecodeError:
            raise FileRefused(file, "text that is not UTF-8", "UTF-8", "Save it as UTF-8.", row=number) from None
        except _KeyTwice as twice:
            raise FileRefused(
                file,
                "a name twice in one object",
                "every name once",
                "Remove one of them: which one holds the value cannot be guessed.",
                row=number,
                column=shown(str(twice)),
            ) from None
        except _NoText as broken:
            raise FileRefused(
                file, f"{broken} in a value", "text", "The file is damaged. " + EXPORT_AGAIN, row=number
            ) from None
        except RecursionError:
            raise FileRefused(
                file, "values nested too deeply", "one JSON object per line", EXPORT_AGAIN, row=number
            ) from None
        except json.JSONDecodeError as error:
            raise FileRefused(
                file, f"text that is not JSON ({error.msg})", "one JSON object per line", EXPORT_AGAIN, row=number
            ) from None
        if not isinstance(found, dict):
            raise FileRefused(file, "JSON that is no object", "one JSON object per line", EXPORT_AGAIN, row=number)
        objects.append(found)
        numbers.append(number)
    return objects, numbers


def read_jsonl(file: str, stream: BinaryIO, table: Table) -> Iterator[RawTable]:
    """Read JSON lines. Row numbers are line numbers; columns are all names that any line has. Raises FileRefused."""
    objects, numbers = _objects(file, whole(file, stream))
    if not objects:
        raise FileRefused(file, "an empty file", "one JSON object per line", EXPORT_AGAIN)
    given = list(dict.fromkeys(key for found in objects for key in found))
    names = [key.strip(BLANKS).lower() for key in given]
    check_names(file, names)
    columns = {
        name: pl.Series(name, [_text(found.get(key)) for found in objects], dtype=pl.String)
        for key, name in zip(given, names, strict=True)
    }
    yield RawTable(pl.DataFrame(columns), pl.Series("row_number", numbers, dtype=pl.Int64))
