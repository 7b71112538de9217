"""How a file writes amounts and days, as its profile declares it. One format per file; no cell is read by guessing.

A value that the declared format cannot read is left as it is, with words for what is wrong. Where such a value proves
that another format is meant (a thirteenth month, a second decimal mark), every value beside it is in doubt too: then
`proves_other` is set, and the whole file is refused.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property

_NOT_DIGITS = re.compile(r"[^0-9]")
MONTHS = tuple(name.lower() for name in calendar.month_name[1:])

#: What may stand for a negative amount, and how it looks.
NEGATIVES = {
    "minus": r"[-\u2212]\s*(?P<body>.+)",
    "parentheses": r"\(\s*(?P<body>[^()]+?)\s*\)",
    "trailing minus": r"(?P<body>.+?)\s*[-\u2212]",
    "CR": r"(?P<body>.+?)\s*CR",
}
THOUSANDS = {"comma": ",", "point": ".", "space": " \u00a0\u202f", "apostrophe": "'\u2019", "none": ""}
DECIMALS = {"point": ".", "comma": ","}


@dataclass(frozen=True)
class Reading:
    """What became of one text: `value` in canonical text, or None with `wrong` in words."""

    value: str | None
    wrong: str = ""
    proves_other: bool = False


@dataclass(frozen=True)
class AmountFormat:
    """Decimal mark, thousands mark, ways to write a negative, signs of currency, decimals of the file.

    `scale`: how many decimals the file writes; those after the second must be zero.
    """

    decimal: str = "point"
    thousands: str = "none"
    negatives: tuple[str, ...] = ("minus",)
    currency: tuple[str, ...] = ()
    scale: int = 2

    def words(self) -> str:
        """The format for a message."""
        marks = f"decimal {self.decimal}"
        marks += f", thousands {self.thousands}" if self.thousands != "none" else ", no thousands mark"
        return f"an amount with {marks}, negative as {' or '.join(self.negatives)}"

    def read(self, text: str) -> Reading:
        """The amount in major units with two decimals and a sign, such as `-1234.50`."""
        body, is_negative = self._without_signs(text)
        found = self._pattern.fullmatch(body)
        if not found or not (found["whole"] or found["part"]):
            other = self._other_mark(body)
            wrong = f"decimal {other}" if other else "no number in the declared format"
            return Reading(None, wrong, other is not None)
        whole = _NOT_DIGITS.sub("", found["whole"] or "")
        part = found["part"] or ""
        if len(part) > self.scale or part[2:].strip("0"):
            return Reading(None, f"{len(part)} digits after the decimal mark")
        whole = whole.lstrip("0") or "0"
        cents = f"{whole}.{part[:2]:0<2}"
        return Reading(f"-{cents}" if is_negative and cents.strip("0.") else cents)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        point, group = DECIMALS[self.decimal], THOUSANDS[self.thousands]
        grouped = rf"[0-9]{{1,3}}(?:[{re.escape(group)}][0-9]{{3}})+" if group else r"(?!)"
        return re.compile(rf"(?P<whole>[0-9]+|{grouped})?(?:{re.escape(point)}(?P<part>[0-9]*))?")

    @cached_property
    def _negative(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(NEGATIVES[way], re.IGNORECASE) for way in self.negatives)

    def _without_signs(self, text: str) -> tuple[str, bool]:
        """The text without currency and sign, and whether it is negative."""
        text, is_negative = self._bare(text.strip()), False
        for pattern in self._negative:
            found = pattern.fullmatch(text)
            if found:
                text, is_negative = found["body"].strip(), True
                break
        if not is_negative and text.startswith("+"):
            text = text[1:].strip()
        return self._bare(text), is_negative

    def _bare(self, text: str) -> str:
        for sign in self.currency:
            if text.lower().startswith(sign.lower()):
                text = text[len(sign) :].strip()
            elif text.lower().endswith(sign.lower()):
                text = text[: -len(sign)].strip()
        return text

    def _other_mark(self, body: str) -> str | None:
        """The decimal mark that the text proves, where it is not the declared one."""
        if self.decimal == "point" and re.fullmatch(r"([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]{1,2}", body):
            return "comma"
        if self.decimal == "comma" and re.fullmatch(r"([0-9]+|[0-9]{1,3}(,[0-9]{3})+)\.[0-9]{1,2}", body):
            return "point"
        return None


_TOKENS = {
    "YYYY": r"(?P<year>[0-9]{4})",
    "YY": r"(?P<short>[0-9]{2})",
    "MONTH": r"(?P<name>[A-Za-z]{3,9})\.?",
    "MON": r"(?P<name>[A-Za-z]{3})\.?",
    "MM": r"(?P<month>[0-9]{1,2})",
    "M": r"(?P<month>[0-9]{1,2})",
    "DD": r"(?P<day>[0-9]{1,2})",
    "D": r"(?P<day>[0-9]{1,2})",
}
_TOKEN = re.compile("|".join(_TOKENS), re.IGNORECASE)
DATE_EXAMPLES = "YYYY-MM-DD, DD/MM/YYYY, MM/DD/YYYY, DD.MM.YYYY, D Mon YYYY, MM/YYYY"


@cache
def _date_pattern(text: str) -> re.Pattern[str]:
    """The pattern of a declared format. Raises ValueError where it does not say year and month once each."""
    parts, at, seen = [], 0, []
    for token in _TOKEN.finditer(text):
        parts.append(re.escape(text[at : token.start()]))
        word = token.group().upper()
        pattern = _TOKENS[word]
        # Without anything between them, the digits of neighbours can only be told apart by their number.
        if word in ("MM", "DD") and not re.search(r"[^A-Za-z]", text):
            pattern = pattern.replace("{1,2}", "{2}")
        parts.append(pattern)
        seen.append({"YYYY": "year", "YY": "year", "MON": "month", "MONTH": "month"}.get(word, word[0].lower()))
        at = token.end()
    parts.append(re.escape(text[at:]))
    kinds = sorted({"m": "month", "d": "day"}.get(kind, kind) for kind in seen)
    if kinds not in (["day", "month", "year"], ["month", "year"]) or re.search(r"[A-Za-z]", _TOKEN.sub("", text)):
        raise ValueError(text)
    return re.compile("".join(parts), re.IGNORECASE)


@dataclass(frozen=True)
class DateFormat:
    """A way to write days, such as `DD/MM/YYYY`; one without a day means the month's `first` or `last` day."""

    text: str
    day: str = "first"

    def __post_init__(self) -> None:
        _date_pattern(self.text)

    @property
    def has_day(self) -> bool:
        return "day" in _date_pattern(self.text).groupindex

    def read(self, text: str) -> Reading:
        """The day as `YYYY-MM-DD`."""
        value = self._day(text)
        if value is not None:
            return Reading(value)
        swapped = self._swapped()
        if swapped is not None and swapped._day(text) is not None:
            return Reading(None, f"a day in the order {swapped.text}", proves_other=True)
        return Reading(None, "no day in the declared format")

    def _day(self, text: str) -> str | None:
        found = _date_pattern(self.text).fullmatch(text.strip())
        if not found:
            return None
        parts = found.groupdict()
        year = int(parts["year"]) if parts.get("year") else 2000 + int(parts["short"])
        month = _month(parts["name"]) if parts.get("name") else int(parts["month"])
        if not 1 <= month <= 12 or not 1900 <= year <= 2199:
            return None
        length = calendar.monthrange(year, month)[1]
        day = int(parts["day"]) if parts.get("day") else 1 if self.day == "first" else length
        return date(year, month, day).isoformat() if 1 <= day <= length else None

    def _swapped(self) -> DateFormat | None:
        """The format with day and month the other way round, where both are digits."""
        if not re.search("D", self.text, re.IGNORECASE) or re.search("MON", self.text, re.IGNORECASE):
            return None
        return DateFormat(self.text.translate(str.maketrans("DdMm", "MmDd")))


def _month(name: str) -> int:
    """1 to 12 for an English month name or its first three letters, 0 for anything else."""
    wanted = name.lower()
    return next((n for n, month in enumerate(MONTHS, start=1) if wanted in (month, month[:3])), 0)
