"""Real files, damaged at random, through the readers: `python -m tests.landing.fuzz --count 100000 [--json FILE]`.

Every case is made from its number, so a finding is made again by `--first NUMBER --count 1`. A case is a file of the
shipped sample as CSV, JSON lines, gzip, Parquet or workbook, with one to four damages: bytes flipped, cut out, doubled
or spliced in from another file, quotation marks, line ends and NULs set in, the header hurt, a field made huge, a part
of a workbook's archive changed and packed again. What must hold:

- the reader returns every row, or refuses the file in words; it raises nothing else;
- a CSV file that is read has exactly the rows and values that Python's own csv module finds in it, and JSON lines have
  as many rows as lines that are not blank;
- no process dies and none is busy with one file for longer than the bound.

The cases run in processes of their own, which say which case they begin: a crash or a hang is seen, and the next case
goes on.
"""

from __future__ import annotations

import argparse
import csv
import faulthandler
import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from orchestration.contract import contract
from orchestration.landing.raw_table import BLANKS, FileRefused
from orchestration.landing.read import FileRead, read_file

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "seeds" / "sample" / "stories" / "charges.csv"
#: Seconds that one small file may take before its process is ended. Reading one takes milliseconds.
BOUND_SECONDS = 60
_SAMPLE_ROWS = 30
_TOLD_EVERY = 5_000
#: How often each format comes up.
FORMATS = ("csv",) * 8 + ("jsonl",) * 3 + ("csv.gz",) * 2 + ("jsonl.gz",) + ("parquet",) * 3 + ("xlsx",) * 3


@cache
def sound_files() -> dict[str, bytes]:
    """The same rows of the sample in every format."""
    import openpyxl

    frame = pl.read_csv(SAMPLE, infer_schema=False, n_rows=_SAMPLE_ROWS)
    reasons = ["plain", "Smith, Ann", 'the "big" one', "two\nlines", "Zoë", "", None]
    frame = frame.with_columns(
        pl.Series("reason", [reasons[n % len(reasons)] for n in range(frame.height)], dtype=pl.String)
    )
    text = frame.write_csv().encode()
    lines = "".join(json.dumps(row, ensure_ascii=n % 2 == 0) + "\n" for n, row in enumerate(frame.to_dicts())).encode()
    book = openpyxl.Workbook()
    book.active.append(frame.columns)
    for row in frame.rows():
        book.active.append([float(v) if name == "amount" else v for name, v in zip(frame.columns, row, strict=True)])
    sheet, table = io.BytesIO(), io.BytesIO()
    book.save(sheet)
    frame.with_columns(pl.col("amount").cast(pl.Decimal(18, 2)), pl.col("posted_on").str.to_date()).write_parquet(table)
    return {
        "csv": text,
        "jsonl": lines,
        "csv.gz": gzip.compress(text, mtime=0),
        "jsonl.gz": gzip.compress(lines, mtime=0),
        "parquet": table.getvalue(),
        "xlsx": sheet.getvalue(),
    }


# ------------------------------------------------------------------------------------------------------------- damages


def _flip(dice: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 8))):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _cut_short(dice: random.Random, data: bytes) -> bytes:
    return data[: dice.randrange(len(data))]


def _cut_out(dice: random.Random, data: bytes) -> bytes:
    start = dice.randrange(len(data))
    return data[:start] + data[start + dice.choice((1, 2, 17, 300)) :]


def _double(dice: random.Random, data: bytes) -> bytes:
    start = dice.randrange(len(data))
    part = data[start : start + dice.choice((1, 5, 80, 2000))]
    return data[:start] + part * dice.choice((2, 3)) + data[start:]


def _splice(dice: random.Random, data: bytes) -> bytes:
    other = sound_files()[dice.choice(FORMATS)]
    start, at = dice.randrange(len(other)), dice.randrange(len(data))
    return data[:at] + other[start : start + dice.choice((3, 40, 700))] + data[at:]


_TOKENS = (
    b'"', b'""', b"\n", b"\r", b"\r\n", b"\x00", b",", b";", b"\t", b"'", b"\\", b"\xff", b"\xc3", b"\xe9",
    b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xf0\x9f\x92\xb8", b"=1+1", b"<b>", b"]]>", b"&#0;", b"{", b"}", b"[",
    b"null", b"1e999", b"NaN", b"-", b"\\u0000", b"\\ud800", b"\x1a", b"\x85", b"\xc2\xa0", b"99999999999999999999",
)  # fmt: skip


def _set_in(dice: random.Random, data: bytes) -> bytes:
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(data) + 1)
        data = data[:at] + dice.choice(_TOKENS) + data[at:]
    return data


def _huge(dice: random.Random, data: bytes) -> bytes:
    at = dice.randrange(len(data) + 1)
    return (
        data[:at]
        + dice.choice((b"x", b"9", b'"', b",", b"\n", b" ", b"[")) * dice.choice((100, 5_000, 200_000))
        + data[at:]
    )


def _head(dice: random.Random, data: bytes) -> bytes:
    """Damage within the first bytes, where headers and magic numbers stand."""
    size = min(len(data), dice.choice((4, 60, 200)))
    return dice.choice((_flip, _cut_out, _double, _set_in))(dice, data[: size or 1]) + data[size:]


def _tail(dice: random.Random, data: bytes) -> bytes:
    """Damage within the last bytes, where footers and directories stand."""
    size = max(1, min(len(data) - 1, dice.choice((8, 100, 600))))
    return data[: len(data) - size] + dice.choice((_flip, _cut_out, _double, _set_in))(dice, data[len(data) - size :])


def _swap_lines(dice: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, two = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


DAMAGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _flip, _cut_short, _cut_out, _double, _splice, _set_in, _set_in, _huge, _head, _tail, _swap_lines,
)  # fmt: skip


def _damaged(dice: random.Random, data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = dice.choice(DAMAGES)(dice, data or b"?")
    return data


def _repacked(dice: random.Random, data: bytes) -> bytes:
    """A workbook with parts changed inside and packed again, so that the damage gets past the archive's checksums."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            found[entry.filename] = archive.read(entry)
    names = sorted(found)
    liked = "xl/worksheets/sheet1.xml"
    for _ in range(dice.choice((1, 1, 2))):
        name = liked if dice.random() < 0.6 else dice.choice(names)
        what = dice.random()
        if what < 0.08:
            found.pop(name, None)
        elif what < 0.14:
            found[dice.choice(("../evil.xml", "/abs.xml", "xl/extra.xml", "a\nb.xml"))] = found.get(name, b"")
        elif what < 0.3 and name == liked and name in found:
            found[name] = _sheet_damage(dice, found[name])
        else:
            found[name] = dice.choice(DAMAGES)(dice, found.get(name) or b"?")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", dice.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive:
        for name, content in found.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _sheet_damage(dice: random.Random, xml: bytes) -> bytes:
    """Well-formed damage of a sheet: cells and rows that lie elsewhere, types that do not fit."""
    swaps = (
        (b'r="3"', b'r="2"'), (b'r="3"', b'r="1048577"'), (b'r="3"', b'r="-1"'), (b'r="3"', b'r="999999999999"'),
        (b'r="B4"', b'r="A4"'), (b'r="B4"', b'r="XFD4"'), (b'r="B4"', b'r="ZZZZ4"'), (b'r="B4"', b'r="B9"'),
        (b't="s"', b't="n"'), (b't="n"', b't="s"'), (b't="n"', b't="d"'), (b't="n"', b't="b"'), (b't="s"', b't="e"'),
        (b"<v>", b"<f>1+1</f><v>"), (b"<v>", b"<f>1+1</f><w>"), (b"</sheetData>", b'</sheetData><mergeCells count="1">'
         b'<mergeCell ref="A1:B2"/></mergeCells>'), (b"<v>", b"<v>9e999"), (b"<v>", b"<v>-"), (b't="n"', b's="77"'),
    )  # fmt: skip
    old, new = dice.choice(swaps)
    return xml.replace(old, new, dice.choice((1, 3, -1)))


def case(number: int) -> tuple[str, bytes]:
    """The file of a case: its name and its bytes."""
    dice = random.Random(number)
    ending = dice.choice(FORMATS)
    sound = sound_files()
    times = dice.choice((1, 1, 2, 4))
    if ending == "xlsx" and dice.random() < 0.7:
        data = _repacked(dice, sound["xlsx"])
    elif ending.endswith(".gz") and dice.random() < 0.5:
        data = gzip.compress(_damaged(dice, sound[ending.removesuffix(".gz")], times), mtime=0)
    else:
        data = _damaged(dice, sound[ending], times)
    return f"charges-{number}.{ending}", data


# -------------------------------------------------------------------------------------------------------------- checks


def check(number: int) -> tuple[str, str | None]:
    """Run a case: `read` or `refused`, and what is wrong with that (None: nothing)."""
    file, data = case(number)
    try:
        found = read_file(file, data, contract()["charges"], "default")
    except FileRefused as refusal:
        if not refusal.what_to_do or not str(refusal).startswith(file) or "expected" not in str(refusal):
            return "refused", f"a refusal without its parts: {refusal}"
        if any(not (c.isprintable() or c == "\n") for c in str(refusal)):
            return "refused", f"a refusal that moves the cursor: {refusal!r}"
        return "refused", None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "raised", "".join(traceback.format_exception(error)[-6:])
    return "read", _unaccounted(file, data, found)


def _unaccounted(file: str, data: bytes, found: FileRead) -> str | None:
    """What of a file that was read is not in its rows."""
    numbers = found.frame["row_number"].to_list()
    if len(numbers) != found.rows or any(a >= b for a, b in pairwise(numbers)):
        return f"rows numbered {numbers} of {found.rows}"
    if file.endswith(".gz"):
        data = gzip.decompress(data)
    if ".csv" in file:
        return _other_than_csv(data, found)
    if ".jsonl" in file:
        lines = sum(1 for line in data.split(b"\n") if line.strip(BLANKS.encode()))
        return None if lines == found.rows else f"{found.rows} rows of {lines} lines"
    return None


def _other_than_csv(data: bytes, found: FileRead) -> str | None:
    text = data.decode("utf-8").removeprefix("\ufeff")
    csv.field_size_limit(2**30)
    records = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    header, *rows = records
    names = [name.strip(BLANKS).lower() for name in header]
    if len(rows) != found.rows:
        return f"{found.rows} rows, and {len(rows)} by the csv module"
    for name in contract()["charges"].names:
        if name not in names:
            continue
        theirs = [row[names.index(name)] or None for row in rows]
        ours = [value or None for value in found.frame[name].to_list()]
        if [_bare(value) for value in ours] != [_bare(value) for value in theirs]:
            return f"other values in {name}: {ours} and {theirs}"
    return None


def _bare(value: str | None) -> str | None:
    return (value or "").strip(BLANKS) or None


# ------------------------------------------------------------------------------------------------------------- running


@dataclass
class Outcome:
    """What became of the cases: how many were read and refused, and what was found, by case."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: dict[int, str] = field(default_factory=dict)
    seconds: float = 0.0


def _work(first: int, count: int, bound: float, crash: int | None, hang: int | None) -> None:
    """Run cases in this process, saying each on standard output before it begins; come to grief where told to."""
    for number in range(first, first + count):
        print(f"begin {number}", flush=True)
        faulthandler.dump_traceback_later(bound, exit=True)
        if number == crash:
            os.kill(os.getpid(), signal.SIGSEGV)
        if number == hang:
            time.sleep(bound + 600)
        verdict, finding = check(number)
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps([number, verdict, finding]), flush=True)


def run(first: int, count: int, *, bound: float = BOUND_SECONDS, grief: Sequence[str] = ()) -> Outcome:
    """Run cases `first` to `first + count` in processes of their own, one after the other as they die.

    `grief`: `--crash N`, `--hang N`, to see that a process that dies or hangs is seen.
    """
    outcome = Outcome()
    started = time.perf_counter()
    at, last = first, first + count
    while at < last:
        command = [sys.executable, "-m", "tests.landing.fuzz", "--work", "--first", str(at), "--count", str(last - at)]
        worker = subprocess.Popen(
            [*command, "--bound", str(bound), *grief],
            cwd=ROOT,
            env=os.environ | {"POLARS_MAX_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert worker.stdout is not None
        begun = None
        for line in worker.stdout:
            if line.startswith("begin "):
                begun = int(line.removeprefix("begin "))
                continue
            number, verdict, finding = json.loads(line)
            outcome.counts[verdict] += 1
            at = number + 1
            if finding:
                outcome.findings[number] = finding
            if not (at - first) % _TOLD_EVERY:
                told = f"{at - first:,} of {count:,}, {len(outcome.findings)} findings {sorted(outcome.findings)[:10]}"
                print(told, file=sys.stderr, flush=True)
        code = worker.wait()
        if begun is None:
            raise RuntimeError(f"the process ended with {code} before its first case: run it with --work to see why")
        if code or at < last:
            outcome.counts["died"] += 1
            outcome.findings[begun] = f"the process ended with {code} (a signal or the bound of {bound} s)"
            at = begun + 1
    outcome.seconds = time.perf_counter() - started
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--bound", type=float, default=BOUND_SECONDS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--crash", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--hang", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        _work(options.first, options.count, options.bound, options.crash, options.hang)
        return
    outcome = run(options.first, options.count, bound=options.bound)
    print(f"{options.count:,} damaged files in {outcome.seconds:,.0f} s: {dict(outcome.counts)}")
    for number, finding in list(outcome.findings.items())[:20]:
        print(f"case {number} ({case(number)[0]}): {finding}")
    print(f"{len(outcome.findings)} findings")
    if options.json:
        told: dict[str, Any] = {"count": options.count, "seconds": outcome.seconds, "counts": outcome.counts}
        options.json.write_text(json.dumps(told | {"findings": outcome.findings}, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if outcome.findings else 0)


if __name__ == "__main__":
    main()
