"""CSV: UTF-8, commas, a header; every row with as many fields as the header, counted in bytes before it is parsed.

A file is read block by block, so that its size does not matter. Where rows and fields end is found by the positions
of commas, quotation marks and line ends, in numpy; Polars parses what was found to be sound, and both must count the
same rows. A quotation mark that does not begin or end a value refuses the file: two readers would cut such a row in two
ways.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import polars as pl

from orchestration.contract import Table
from orchestration.landing import limits
from orchestration.landing.raw_table import BLANKS, EXPORT_AGAIN, FileRefused, RawTable, check_names, shown

#: Bytes read at a time. Parsing needs about eight times as much; smaller blocks cost time, below 1 MB a lot.
_BLOCK_BYTES = 32 * 1024 * 1024
_SAVE_AS_UTF8 = "Save it as UTF-8 (in Excel: `CSV UTF-8`) and land it again."
_COMMA, _QUOTE, _LINE, _RETURN = 44, 34, 10, 13


@dataclass(frozen=True)
class _Structure:
    """How bytes that begin with a row fall into rows. `ends`: where each row ends, its line end included."""

    ends: np.ndarray
    fields: np.ndarray
    blank: np.ndarray
    is_quote_open: bool
    stray_quote: int | None
    stray_return: int | None


def _structure(data: bytes, *, is_last: bool) -> _Structure:
    """Rows and fields by the positions of commas, quotes and line ends outside quotes."""
    view = np.frombuffer(data, dtype=np.uint8)
    found = view == _COMMA
    mark = np.empty_like(found)
    for other in (_QUOTE, _LINE):
        found |= np.equal(view, other, out=mark)
    positions = np.flatnonzero(found)
    kinds = view[positions]
    quotes = positions[kinds == _QUOTE]
    is_quote_open = len(quotes) % 2 == 1
    if len(quotes):
        # Whether a mark stands inside quotes is the parity of the quotation marks up to it; a byte is enough for that.
        is_quote = kinds == _QUOTE
        separates = ~is_quote & (np.cumsum(is_quote, dtype=np.uint8) & 1 == 0)
        positions, kinds = positions[separates], kinds[separates]
    at_end = np.flatnonzero(kinds == _LINE)
    ends = positions[at_end] + 1
    complete = int(ends[-1]) if len(ends) else 0
    if is_last and complete < len(data) and not is_quote_open:
        ends = np.append(ends, len(data))
        at_end = np.append(at_end, len(kinds))
        complete = len(data)
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    lengths = ends - starts
    # Blank is a row of a line end alone, or, at the end of the file, of nothing but a return.
    first = view[starts] if len(starts) else view[:0]
    blank = (lengths == 1) & ((first == _LINE) | (first == _RETURN)) | (
        (lengths == 2) & (first == _RETURN) & (view[ends - 1] == _LINE) if len(ends) else False
    )
    return _Structure(
        ends,
        np.diff(at_end, prepend=-1),
        np.asarray(blank, dtype=bool),
        is_quote_open,
        _stray_quote(view, quotes, complete) if len(quotes) else None,
        _stray_return(view, quotes, complete) if b"\r" in data else None,
    )


def _first(positions: np.ndarray) -> int | None:
    return int(positions[0]) if len(positions) else None


def _stray_quote(view: np.ndarray, quotes: np.ndarray, complete: int) -> int | None:
    """The first quotation mark that neither begins nor ends a value, nor is one of two inside a quoted value."""
    quotes = quotes[quotes < complete]
    opening, closing = quotes[0::2], quotes[1::2]
    before = view[np.maximum(opening - 1, 0)]
    wrong = opening[(opening > 0) & (before != _COMMA) & (before != _LINE) & (before != _QUOTE)]
    inside = closing[closing + 1 < len(view)]
    after = view[inside + 1]
    wrong_end = inside[(after != _COMMA) & (after != _LINE) & (after != _RETURN) & (after != _QUOTE)]
    found = [place for place in (_first(wrong), _first(wrong_end)) if place is not None]
    return min(found, default=None)


def _stray_return(view: np.ndarray, quotes: np.ndarray, complete: int) -> int | None:
    """The first carriage return outside quotes that stands before something else than a line end."""
    returns = np.flatnonzero(view[: max(complete - 1, 0)] == _RETURN)
    if not len(returns):
        return None
    after = view[returns + 1]
    returns = returns[(after != _LINE) & (after != _RETURN)]
    return _first(returns[np.searchsorted(quotes, returns) % 2 == 0])


class _File:
    """A CSV file being read: refusals, the header, and which row a block begins with."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.names: list[str] = []
        #: Number of the row that the block begins with; the header's is 1 where no blank lines stand before it.
        self.row = 1

    def refused(self, found: str, expected: str, what: str, data: bytes, at: int) -> FileRefused:
        """A refusal that names row and column of the byte `at` of the block."""
        line_start = data.rfind(b"\n", 0, at) + 1
        row = self.row + data.count(b"\n", 0, at)
        outside_quotes = data[line_start:at].split(b'"')[0::2]
        fields = 1 + sum(part.count(b",") for part in outside_quotes)
        names = self.names or self._first_line(data)
        column = shown(names[fields - 1]) if line_start and 0 < fields <= len(names) else str(fields)
        return FileRefused(self.file, found, expected, what, row=row, column=column)

    @staticmethod
    def _first_line(data: bytes) -> list[str]:
        line = data[: data.find(b"\n")][: limits.ROW_BYTES].decode("utf-8", "replace").strip("\r\x00")
        return [name.strip(BLANKS).lower() for name in line.split(",")]

    def check_text(self, data: bytes) -> None:
        """Raise FileRefused unless the bytes are UTF-8 without NUL."""
        nul = data.find(b"\x00")
        if nul >= 0:
            what = "The file is damaged, often by a copy that broke off. " + EXPORT_AGAIN
            raise self.refused("a NUL byte", "text", what, data, nul)
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = data[error.start : error.start + 1]
            guess = wrong.decode("cp1252", "replace")
            found = f"the byte {wrong.hex().upper()}, which is not UTF-8"
            if guess != "\ufffd":
                found += f" (in Windows-1252 it would be {guess!r})"
            raise self.refused(found, "UTF-8", _SAVE_AS_UTF8, data, error.start) from None

    def take_header(self, first: bytes) -> None:
        """Read the names of the columns. Raises FileRefused."""
        text = io.StringIO(first.decode("utf-8"), newline="")
        csv.field_size_limit(limits.ROW_BYTES)
        names = [name.strip(BLANKS).lower() for name in next(csv.reader(text), [])]
        if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
            separator = "semicolons" if ";" in names[0] else "tabs"
            raise FileRefused(
                self.file,
                f"columns separated by {separator}",
                "columns separated by commas",
                "Export it as CSV with commas; where commas are decimal signs, amounts need a point as well.",
                row=1,
            )
        check_names(self.file, names)
        self.names = names

    def check_structure(self, data: bytes, found: _Structure, *, is_last: bool) -> None:
        """Raise FileRefused at the first row that cannot be cut into fields in one way only."""
        rest = len(data) - (int(found.ends[-1]) if len(found.ends) else 0)
        lengths = np.diff(found.ends, prepend=0)
        long = np.flatnonzero(lengths > limits.ROW_BYTES)
        if len(long) or (rest > limits.ROW_BYTES and not is_last):
            size = f"{int(lengths[long[0]]):,}" if len(long) else f"more than {limits.ROW_BYTES:,}"
            raise FileRefused(
                self.file,
                f"a row of {size} bytes",
                f"at most {limits.ROW_BYTES:,} bytes a row",
                "Look for a quotation mark that is never closed, or a value that holds a file. Nothing was loaded.",
                row=self.row + (int(long[0]) if len(long) else len(found.ends)),
            )
        if is_last and found.is_quote_open:
            raise FileRefused(
                self.file,
                "a quotation mark that is never closed",
                "quotation marks in pairs, doubled inside a value",
                "Quote the value, or export the file again if it broke off. Nothing of this file was loaded.",
                row=self.row + len(found.ends),
            )
        if not len(found.ends):
            return
        if not self.names:
            self.take_header(data[: found.ends[0]].rstrip(b"\r\n"))
        wrong = np.flatnonzero((found.fields != len(self.names)) & ~found.blank)
        if len(wrong):
            row = int(wrong[0])
            count = int(found.fields[row])
            more = f" ({len(wrong)} such rows)" if len(wrong) > 1 else ""
            raise FileRefused(
                self.file,
                f"{count} fields{more}",
                f"{len(self.names)} fields, as in the header",
                "A comma inside a value must stand in quotation marks; a last row that is short means that the export"
                " broke off. Nothing of this file was loaded.",
                row=self.row + row,
                column=shown(self.names[min(count, len(self.names)) - 1]),
            )
        if found.stray_quote is not None:
            raise self.refused(
                "a quotation mark inside a value",
                "quotation marks around a whole value, doubled inside it",
                "Put the value in quotation marks and double those inside it. Nothing of this file was loaded.",
                data,
                found.stray_quote,
            )
        if found.stray_return is not None:
            raise self.refused(
                "a carriage return inside a value",
                "one kind of line end; in a value of several lines, quotation marks around it",
                "Save the file with one kind of line end. Nothing of this file was loaded.",
                data,
                found.stray_return,
            )

    def parse(self, data: bytes, found: _Structure, skip: int) -> RawTable:
        """The rows of a sound block from row `skip` on as text."""
        width = len(self.names)
        blank = found.blank[skip:]
        numbers = np.arange(skip, len(found.ends)) + self.row
        start = int(found.ends[skip - 1]) if skip else 0
        if blank.any():
            starts = np.concatenate(([0], found.ends))[:-1][skip:][~blank]
            body = b"".join(data[a:b] for a, b in zip(starts, found.ends[skip:][~blank], strict=True))
            numbers = numbers[~blank]
        else:
            body = data[start : int(found.ends[-1])] if len(found.ends) else b""
        columns = [name or f"(column {i + 1})" for i, name in enumerate(self.names)]
        if not len(numbers):
            empty = pl.DataFrame({name: pl.Series(name, [], dtype=pl.String) for name in columns})
            return RawTable(empty, pl.Series("row_number", [], dtype=pl.Int64))
        try:
            frame = pl.read_csv(
                io.BytesIO(body), has_header=False, infer_schema=False, new_columns=[f"c{i}" for i in range(width)]
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise FileRefused(self.file, f"text that is not CSV ({shown(str(error))})", "CSV", EXPORT_AGAIN) from None
        if frame.height != len(numbers) or frame.width != width:
            raise FileRefused(
                self.file,
                f"{frame.height} rows by one count and {len(numbers)} by another",
                "one count",
                "Look for quotation marks inside values; they must be doubled. Nothing of this file was loaded.",
                row=int(numbers[0]),
            )
        frame.columns = columns
        return RawTable(frame, pl.Series("row_number", numbers, dtype=pl.Int64))


def _check_encoding(file: str, data: bytes) -> None:
    """Raise FileRefused where the first bytes show another encoding than UTF-8."""
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        raise FileRefused(file, "UTF-32 text", "UTF-8", _SAVE_AS_UTF8)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileRefused(file, "UTF-16 text", "UTF-8", _SAVE_AS_UTF8)
    head = data[:2000]
    if head.count(b"\x00") > len(head) // 4:
        raise FileRefused(file, "UTF-16 text without a byte order mark", "UTF-8", _SAVE_AS_UTF8)


def read_csv(file: str, stream: BinaryIO, table: Table) -> Iterator[RawTable]:
    """Read CSV block by block. Row numbers are those a spreadsheet shows. Raises FileRefused with row and column."""
    reading = _File(file)
    carry = b""
    is_first, is_last, has_returns_only = True, False, False
    while not is_last:
        block = stream.read(_BLOCK_BYTES)
        is_last = len(block) < _BLOCK_BYTES
        if is_first:
            _check_encoding(file, block)
            block = block.removeprefix(b"\xef\xbb\xbf")
            if not block.strip(BLANKS.encode()):
                raise FileRefused(file, "an empty file", "a header and rows", EXPORT_AGAIN)
            has_returns_only = b"\n" not in block and b"\r" in block
        if has_returns_only:
            block = block.replace(b"\r", b"\n")
        if is_first:
            whole = block
            block = whole.lstrip(b"\r\n")
            reading.row += whole[: len(whole) - len(block)].count(b"\n")
            is_first = False
        data = carry + block
        reading.check_text(data if is_last else data[: data.rfind(b"\n") + 1])
        found = _structure(data, is_last=is_last)
        has_header = bool(reading.names)
        reading.check_structure(data, found, is_last=is_last)
        if len(found.ends):
            yield reading.parse(data, found, skip=0 if has_header else 1)
        reading.row += len(found.ends)
        carry = data[int(found.ends[-1]) :] if len(found.ends) else data
