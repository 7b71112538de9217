"""What a file proves about its own format, and what it leaves open. Nothing here is a guess: no proof, no answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestration.profiles.grid import MARKS
from orchestration.profiles.keys import OPEN_QUESTION

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
#: What 8-bit text may be, tried in this order for whoever must say which is right.
EIGHT_BIT = ("cp1252", "mac-roman", "cp850")
_EMPTY = re.compile(r"-{1,3}|[–—]|n/?a|none|null", re.IGNORECASE)
_SIGN = re.compile(r"^([^0-9.,()\s'\u2019-]{1,3})|([^0-9.,()\s'\u2019-]{1,3})$")


@dataclass(frozen=True)
class Finding:
    """An answer with its proof in words, or an open question (`?`) with what it lies between."""

    answer: str
    why: str

    @property
    def is_open(self) -> bool:
        return self.answer == OPEN_QUESTION


@dataclass(frozen=True)
class Amounts:
    """How amounts are written: marks as findings, the rest as what was seen."""

    decimal: Finding
    thousands: str
    negatives: tuple[str, ...]
    currency: tuple[str, ...]
    empty: tuple[str, ...]
    decimals: int


def encoding_of(data: bytes) -> tuple[Finding, str]:
    """The encoding of the bytes, and one to go on with where it is open."""
    for encoding, mark in MARKS.items():
        if data.startswith(mark):
            return Finding("utf-8" if encoding == "utf-8" else "utf-16", "the file's own mark says so"), encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = re.split(rb"[\s;,|\"]", data[: error.start])[-1]
        after = re.split(rb"[\s;,|\"]", data[error.start :], maxsplit=1)[0]
        shown = ", ".join(f"{name} shows {(before + after).decode(name, 'replace')}" for name in EIGHT_BIT)
        return Finding(OPEN_QUESTION, f"the bytes are not UTF-8; {shown}"), EIGHT_BIT[0]
    return Finding("utf-8", "every byte is UTF-8"), "utf-8"


def separator_of(text: str) -> str:
    """The separator that cuts most lines into equally many fields: a name of SEPARATORS."""
    lines = [line for line in text.splitlines()[:200] if line.strip()]

    def score(mark: str) -> tuple[int, int]:
        counts = Counter(line.count(mark) for line in lines if mark in line)
        fields, often = counts.most_common(1)[0] if counts else (0, 0)
        return often * fields, fields

    return max(SEPARATORS, key=lambda name: score(SEPARATORS[name]))


def amounts_of(values: Iterable[str]) -> Amounts:
    """How the given cells write amounts."""
    proofs: dict[str, str] = {}
    either: dict[str, str] = {}
    thousands: set[str] = set()
    negatives: dict[str, None] = {}
    currency: dict[str, None] = {}
    empty: dict[str, None] = {}
    decimals = 2
    for given in values:
        value = given.strip()
        if not value:
            continue
        if _EMPTY.fullmatch(value):
            empty[value] = None
            continue
        body, signs, ways = _body(value)
        currency |= dict.fromkeys(signs)
        negatives |= dict.fromkeys(ways)
        mark, group, digits = _marks(body)
        if group:
            thousands.add(group)
        if mark in ("point", "comma"):
            proofs.setdefault(mark, value)
            decimals = max(decimals, digits)
        elif mark:
            either.setdefault(mark.removeprefix("either "), value)
    return Amounts(
        _decimal(proofs, either),
        _thousands(proofs, either, thousands),
        tuple(negatives) or ("minus",),
        tuple(currency),
        tuple(empty),
        min(decimals, 8),
    )


def _body(value: str) -> tuple[str, list[str], list[str]]:
    """Digits and marks of a value, the currency signs around them, and how it says that it is negative."""
    signs: list[str] = []
    ways: list[str] = []

    def bare(text: str) -> str:
        while (found := _SIGN.search(text)) and found.group().upper() != "CR":
            signs.append(found.group())
            text = (text[: found.start()] + text[found.end() :]).strip()
        return text

    text = bare(value)
    for way, pattern in (
        ("parentheses", r"\((.*)\)"),
        ("minus", r"[-\u2212](.*)"),
        ("trailing minus", r"(.*)[-\u2212]"),
        ("CR", r"(.*)CR"),
    ):
        found = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
        if found:
            ways.append(way)
            text = found[1].strip()
            break
    return bare(text.removeprefix("+").strip()), signs, ways


def _marks(body: str) -> tuple[str, str, int]:
    """(decimal mark that the text proves or `either MARK`, thousands mark that it proves, digits after the decimal)."""
    names = {".": "point", ",": "comma"}
    for group, name in ((" ", "space"), ("\u00a0", "space"), ("'", "apostrophe"), ("\u2019", "apostrophe")):
        if group in body:
            rest = _marks(body.replace(group, ""))
            return rest[0].removeprefix("either "), name, rest[2]
    found = [mark for mark in names if mark in body]
    if len(found) == 2:
        last = max(found, key=body.rfind)
        first = found[0] if last == found[1] else found[1]
        return names[last], names[first], len(body) - body.rfind(last) - 1
    if not found:
        return "", "", 0
    mark = found[0]
    if body.count(mark) > 1:
        return ("comma" if mark == "." else "point"), names[mark], 0
    whole, _, part = body.partition(mark)
    if len(part) == 3 and 1 <= len(whole) <= 3 and whole != "0":
        return f"either {names[mark]}", "", 3
    return names[mark], "", len(part)


def _decimal(proofs: dict[str, str], either: dict[str, str]) -> Finding:
    if len(proofs) == 2:
        return Finding(
            OPEN_QUESTION, f"{proofs['point']} proves a point and {proofs['comma']} a comma: the file mixes formats"
        )
    if proofs:
        mark, value = next(iter(proofs.items()))
        return Finding(mark, f"proved by {value}")
    if either:
        value = next(iter(either.values()))
        return Finding(
            OPEN_QUESTION, f"point or comma: {value} may be thousands or three decimals, nothing proves which"
        )
    return Finding("point", "no amount has a fraction")


def _thousands(proofs: dict[str, str], either: dict[str, str], found: set[str]) -> str:
    if len(proofs) == 1:
        other = "comma" if "point" in proofs else "point"
        if other in found or other in either:
            return other
    rest = sorted(found - set(proofs))
    return rest[0] if rest else "none"


_DIGITS = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_SHAPES = (
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"), "YYYY-MM-DD"),
    (re.compile(r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"), "YYYY/MM/DD"),
    (re.compile(r"[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2}"), "YYYY.MM.DD"),
    (re.compile(r"[0-9]{1,2} [A-Za-z]{3} [0-9]{4}"), "D Mon YYYY"),
    (re.compile(r"[0-9]{1,2}-[A-Za-z]{3}-[0-9]{4}"), "D-Mon-YYYY"),
    (re.compile(r"[A-Za-z]{3} [0-9]{1,2}, [0-9]{4}"), "Mon D, YYYY"),
    (re.compile(r"[A-Za-z]{4,9} [0-9]{1,2}, [0-9]{4}"), "Month D, YYYY"),
    (re.compile(r"(19|20|21)[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9]"), "YYYYMMDD"),
)


def dates_of(values: Sequence[str]) -> Finding:
    """The format of the days, where the values prove it."""
    days = [value.strip() for value in values if value and value.strip()]
    if not days:
        return Finding(OPEN_QUESTION, "the column is empty")
    for shape, name in _SHAPES:
        if all(shape.fullmatch(day) for day in days):
            return Finding(name, f"all {len(days)} values look like {days[0]}")
    found = [_DIGITS.fullmatch(day) for day in days]
    matches = [match for match in found if match is not None]
    forms = {(match[2], len(match[4])) for match in matches}
    if len(matches) != len(days) or len(forms) != 1:
        odd = next((day for day, match in zip(days, found, strict=True) if match is None), days[-1])
        return Finding(OPEN_QUESTION, f"values of several forms, such as {days[0]} and {odd}")
    mark, length = forms.pop()
    year = "Y" * length
    first = next((match[0] for match in matches if int(match[1]) > 12), None)
    second = next((match[0] for match in matches if int(match[3]) > 12), None)
    day_first, month_first = f"DD{mark}MM{mark}{year}", f"MM{mark}DD{mark}{year}"
    if first and second:
        return Finding(
            OPEN_QUESTION, f"{first} proves {day_first} and {second} proves {month_first}: the file mixes orders"
        )
    if first:
        return Finding(day_first, f"proved by {first}")
    if second:
        return Finding(month_first, f"proved by {second}")
    return Finding(OPEN_QUESTION, f"{day_first} or {month_first}: no value has a day above 12 (such as {days[0]})")
