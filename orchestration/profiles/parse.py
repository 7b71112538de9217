"""Reading a profile: every key checked before any file is read.

What is wrong with one is said with the profile, the key, what was found and what was expected.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from orchestration.contract import Column, contract
from orchestration.profiles.conditions import AMOUNT_TESTS, Condition
from orchestration.profiles.declare import (
    BLANK_ROWS,
    TITLE_LINES,
    Capture,
    Check,
    Header,
    Join,
    Output,
    Profile,
    Skip,
    Source,
    Term,
    key_of,
    placeholders,
)
from orchestration.profiles.formats import (
    DATE_EXAMPLES,
    DECIMALS,
    NEGATIVES,
    THOUSANDS,
    AmountFormat,
    DateFormat,
)
from orchestration.profiles.keys import Keys, ProfileError, load_text, shown

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "mac-roman", "cp850")
SIGNS = ("as written", "inverted", "absolute")
_KEYS = (
    "profile", "describes", "files", "source_system", "reads", "header", "formats", "captures", "join", "skip",
    "tables", "row_gives", "checks",
)  # fmt: skip
_READS = ("encodings", "separator", "sheet", "short_rows")
_FORMATS = ("date", "decimal", "thousands", "negative", "currency", "decimals", "empty")
_SOURCE = (
    "column", "constant", "text", "id_of", "prefix", "plus", "minus", "sign", "date", "day", "words", "otherwise",
)  # fmt: skip
_CHECK = (
    "check",
    "left",
    "right",
    "group",
    "when",
    "less_rows",
    "also_on",
    "total",
    "on_rows",
    "running",
    "add",
    "less",
)


def load_profile(path: Path) -> Profile:
    """The profile in a file. Raises ProfileError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(path.name, "the file", f"what cannot be read ({error})", "YAML in UTF-8") from None
    return parse_profile(path.name, text)


def parse_profile(file: str, text: str) -> Profile:
    """The profile of a YAML text; `file` names it in messages. Raises ProfileError."""
    keys = Keys.of(file, "", load_text(file, text), _KEYS)
    name = keys.text("profile", "the profile's name")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,59}", name):
        raise keys.wrong("profile", "lower case letters, digits, - and _")
    reads = Keys.of(file, "reads", keys.raw.get("reads", {}), _READS)
    encodings = reads.texts("encodings", f"encodings of {', '.join(ENCODINGS)}", ("utf-8", "utf-16"))
    for encoding in encodings:
        if encoding not in ENCODINGS:
            raise reads.wrong("encodings", f"encodings of {', '.join(ENCODINGS)}", shown(encoding))
    formats = Keys.of(file, "formats", keys.raw.get("formats", {}), _FORMATS)
    amounts = _amounts(formats)
    date = _date(formats, "date", "first") if formats.has("date") else None
    captures = tuple(_capture(file, place, raw) for place, raw in keys.items("captures", "a list of captures"))
    joins = tuple(_join(file, place, raw) for place, raw in keys.items("join", "a list of files to join"))
    skips = tuple(_skip(file, place, raw) for place, raw in keys.items("skip", "a list of rules"))
    rules = [skip.rule for skip in skips]
    if len(set(rules)) != len(rules):
        raise keys.wrong("skip", "rules with different names", ", ".join(rules))
    outputs = tuple(_output(file, place, raw, date) for place, raw in keys.items("tables", "a list of tables"))
    if not outputs:
        raise keys.wrong("tables", "at least one table with its columns")
    names = [output.name for output in outputs]
    if len(set(names)) != len(names):
        raise keys.wrong("tables", "a `name` of its own for each where a table is given twice", ", ".join(names))
    checks = tuple(_check(file, place, raw, rules) for place, raw in keys.items("checks", "a list of checks"))
    profile = Profile(
        name=name,
        path=file,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        describes=keys.text("describes", "a sentence: what files these are"),
        files=keys.texts("files", "one or several file names, with * for any text"),
        source_system=keys.text("source_system", "a source system", ""),
        encodings=encodings,
        separator=SEPARATORS[reads.choice("separator", SEPARATORS, "comma")],
        sheet=reads.text("sheet", "the name of a sheet", ""),
        short_rows=reads.choice("short_rows", ("refuse", "fill"), "refuse"),
        header=_header(keys),
        amounts=amounts,
        date=date,
        empty=formats.texts("empty", "words that mean an empty cell", ()),
        captures=captures,
        joins=joins,
        skips=skips,
        outputs=outputs,
        row_gives=keys.choice("row_gives", ("one", "several"), "one"),
        checks=checks,
    )
    if not profile.header.has and not profile.header.names:
        profile = replace(profile, header=replace(profile.header, has=profile.own_columns()))
    _check_columns(keys, profile)
    return profile


def _amounts(formats: Keys) -> AmountFormat:
    decimal = formats.choice("decimal", DECIMALS, "point")
    thousands = formats.choice("thousands", THOUSANDS, "none")
    if thousands == decimal:
        raise formats.wrong("thousands", f"another mark than the decimal {decimal}")
    negatives = formats.texts("negative", f"ways of {', '.join(NEGATIVES)}", ("minus",))
    for way in negatives:
        if way not in NEGATIVES:
            raise formats.wrong("negative", f"ways of {', '.join(NEGATIVES)}", shown(way))
    currency = formats.texts("currency", "signs such as $ or EUR", ())
    return AmountFormat(decimal, thousands, negatives, currency, formats.number("decimals", 2, 2, 8))


def _date(keys: Keys, key: str, day: str) -> DateFormat:
    text = keys.text(key, f"a format such as {DATE_EXAMPLES}")
    try:
        return DateFormat(text, day)
    except ValueError:
        raise keys.wrong(key, f"a format such as {DATE_EXAMPLES}") from None


def _pattern(keys: Keys, key: str, *, groups: bool = False) -> str:
    """A regular expression that both engines read: Python's, and the one that runs over columns."""
    text = keys.text(key, "a regular expression")
    try:
        compiled = re.compile(text)
        pl.Series(["x"]).str.contains(text)
    except (re.error, pl.exceptions.PolarsError) as error:
        raise keys.wrong(key, f"a regular expression ({error})") from None
    if groups and compiled.groups != 1:
        raise keys.wrong(key, "a regular expression with one group, the part in parentheses that is taken")
    return text


def _condition(file: str, place: str, raw: Any) -> Condition:
    keys = Keys.of(file, place, raw, ("column", "is", "matches", "filled", "amount", "any_column", "all", "any", "not"))
    for kind in ("all", "any"):
        if keys.has(kind):
            parts = tuple(_condition(file, at, item) for at, item in keys.items(kind, "a list of conditions"))
            if not parts or len(keys.raw) != 1:
                raise keys.wrong(kind, "a list of conditions and nothing beside it")
            return Condition(kind, parts=parts)
    if keys.has("not"):
        if len(keys.raw) != 1:
            raise keys.wrong("not", "a condition and nothing beside it")
        return Condition("not", parts=(_condition(file, keys.at("not"), keys.raw["not"]),))
    if keys.has("any_column"):
        if len(keys.raw) != 1:
            raise keys.wrong("any_column", "a regular expression and nothing beside it")
        return Condition("any_column", words=(_pattern(keys, "any_column"),))
    column = key_of(keys.text("column", "a column of the file, or any_column, all, any, not"))
    tests = [key for key in ("is", "matches", "filled", "amount") if keys.has(key)]
    if len(tests) != 1:
        raise ProfileError(file, place, f"{len(tests)} tests", "one of is, matches, filled, amount")
    test = tests[0]
    if test == "is":
        return Condition("is", column, keys.texts("is", "a word or a list of words"))
    if test == "matches":
        return Condition("matches", column, (_pattern(keys, "matches"),))
    choices = ("yes", "no") if test == "filled" else AMOUNT_TESTS
    return Condition(test, column, (keys.choice(test, choices),))


def _capture(file: str, place: str, raw: Any) -> Capture:
    keys = Keys.of(file, place, raw, ("name", "from", "matches"))
    where = keys.choice("from", ("title lines", "file name", "section rows"))
    name = key_of(keys.text("name", "a name to use as a column"))
    return Capture(name, where, _pattern(keys, "matches", groups=True))


def _join(file: str, place: str, raw: Any) -> Join:
    keys = Keys.of(file, place, raw, ("files", "as", "on", "needs"))
    on = keys.raw.get("on")
    if not isinstance(on, dict) or not on or any(not isinstance(v, str) or not v for v in on.values()):
        raise keys.wrong("on", "column of this file: column of the joined file")
    prefix = key_of(keys.text("as", "a name that the joined columns begin with"))
    return Join(
        keys.texts("files", "one or several file names"),
        prefix,
        {key_of(own): key_of(other) for own, other in on.items()},
        tuple(key_of(n) for n in keys.texts("needs", "columns of the joined file", ())),
    )


def _skip(file: str, place: str, raw: Any) -> Skip:
    keys = Keys.of(file, place, raw, ("rule", "when"))
    rule = keys.text("rule", "a name for the rows that are no data")
    if rule in (TITLE_LINES, BLANK_ROWS):
        raise keys.wrong("rule", f"another name: {rule} are counted under it anyway")
    return Skip(rule, _condition(file, keys.at("when"), keys.raw.get("when")))


def _output(file: str, place: str, raw: Any, date: DateFormat | None) -> Output:
    keys = Keys.of(file, place, raw, ("table", "name", "when", "columns"))
    table = keys.text("table", "a table of the contract")
    if table not in contract():
        raise keys.wrong("table", f"a table of the contract: {', '.join(contract().tables)}")
    declared = contract()[table]
    columns = keys.raw.get("columns")
    if not isinstance(columns, dict):
        raise keys.wrong("columns", "column of the table: where it comes from")
    sources = {}
    for name, value in columns.items():
        at = f"{keys.at('columns')}.{name}"
        if name not in (*declared.names, "recorded_at"):
            raise ProfileError(
                file, at, f"no column of {table}", f"one of {', '.join((*declared.names, 'recorded_at'))}"
            )
        column = declared.column(name) if name in declared.names else None
        sources[name] = _source(file, at, value, column, date)
    missing = [name for name in declared.required if name not in sources]
    if missing:
        raise ProfileError(
            file,
            f"{keys.at('columns')}.{missing[0]}",
            "nothing",
            f"where {table}.{missing[0]} comes from: it is required",
        )
    when = _condition(file, keys.at("when"), keys.raw["when"]) if keys.has("when") else None
    return Output(keys.text("name", "a name", table), declared, when, sources)


def _source(file: str, place: str, raw: Any, column: Column | None, date: DateFormat | None) -> Source:
    if isinstance(raw, str):
        raw = {"column": raw}
    keys = Keys.of(file, place, raw, _SOURCE)
    kind = column.type if column is not None else "timestamp"
    ways = [way for way in ("column", "constant", "text", "id_of") if keys.has(way)]
    if keys.has("plus") or keys.has("minus"):
        ways.append("plus and minus")
    if len(ways) != 1:
        raise ProfileError(
            file, place, " and ".join(ways) or "nothing", "one of column, constant, text, id_of, plus with minus"
        )
    way = ways[0]
    allowed = {"column": {"column"}, "constant": {"constant"}, "text": {"text"}, "id_of": {"id_of", "prefix"}}
    own = allowed.get(way, {"plus", "minus"}) | ({"words", "otherwise"} if way in ("column", "text") else set())
    own |= {"sign"} if kind == "amount" and way != "constant" else set()
    own |= {"date", "day"} if kind == "date" and way in ("column", "text") else set()
    for key in keys.raw:
        if key not in own:
            raise ProfileError(
                file, keys.at(key), "a key that does not belong here", f"one of {', '.join(sorted(own))}"
            )
    if way == "constant":
        return Source(constant=keys.text("constant", "a value"))
    if way == "id_of":
        columns = tuple(key_of(name) for name in keys.texts("id_of", "the columns that make a row what it is"))
        return Source(id_of=columns, prefix=keys.text("prefix", "a text", ""))
    if way == "plus and minus":
        if kind != "amount":
            raise ProfileError(file, place, f"plus and minus for a column of type {kind}", "an amount")
        plus, minus = (key_of(keys.text(key, "a column of the file")) for key in ("plus", "minus"))
        return Source(plus=plus, minus=minus, sign=keys.choice("sign", SIGNS[:2], "as written"))
    made: dict[str, Any] = {}
    if way == "text":
        made["template"] = keys.text("text", "a text with column names in braces")
        if not list(placeholders(made["template"])):
            raise keys.wrong("text", "a text with column names in braces; a fixed value is a `constant`")
    else:
        made["column"] = key_of(keys.text("column", "a column of the file"))
    if kind == "date":
        day = keys.choice("day", ("first", "last"), "first")
        made["date"] = _date(keys, "date", day) if keys.has("date") else date and DateFormat(date.text, day)
        if made["date"] is None:
            raise ProfileError(file, place, "a date without a format", "`date` here, or `formats.date` for the file")
        if keys.has("day") and made["date"].has_day:
            raise keys.wrong("day", "no key: the format says the day")
    if kind == "amount":
        made["sign"] = keys.choice("sign", SIGNS, "as written")
    if keys.has("words"):
        made["words"] = _words(keys, column)
    if keys.has("otherwise") and not keys.has("words"):
        raise keys.wrong("otherwise", "no key: it says what to do with a word that `words` lacks")
    return Source(**made, otherwise=keys.choice("otherwise", ("hold", "keep", "empty"), "hold"))


def _words(keys: Keys, column: Column | None) -> dict[str, str]:
    words = keys.raw["words"]
    if not isinstance(words, dict) or not words or any(not isinstance(w, str) for w in words.values()):
        raise keys.wrong("words", "their word: our word")
    for theirs, ours in words.items():
        if column is not None and column.type == "enum" and ours not in column.values:
            raise ProfileError(
                keys.profile, f"{keys.at('words')}.{theirs}", shown(ours), f"one of {', '.join(column.values)}"
            )
    return {theirs.strip().lower(): ours for theirs, ours in words.items()}


def _terms(keys: Keys, key: str) -> tuple[Term, ...]:
    found = keys.texts(key, "columns, with - before those to take off")
    return tuple(Term(key_of(name.removeprefix("-")), -1 if name.startswith("-") else 1) for name in found)


def _check(file: str, place: str, raw: Any, rules: list[str]) -> Check:
    keys = Keys.of(file, place, raw, _CHECK)
    name = keys.text("check", "a name: what must hold")
    when = _condition(file, keys.at("when"), keys.raw["when"]) if keys.has("when") else None
    kinds = [kind for kind in ("left", "total", "running") if keys.has(kind)]
    if len(kinds) != 1:
        raise ProfileError(file, place, " and ".join(kinds) or "nothing to check", "one of left, total, running")
    group = tuple(key_of(column) for column in keys.texts("group", "columns", ()))
    if kinds == ["total"]:
        rule = keys.choice("on_rows", rules)
        return Check(name, "total", _terms(keys, "total"), rule=rule, when=when)
    if kinds == ["running"]:
        moves = tuple(Term(t.column, t.factor) for t in _terms(keys, "add")) if keys.has("add") else ()
        moves += tuple(Term(t.column, -t.factor) for t in _terms(keys, "less")) if keys.has("less") else ()
        if not moves:
            raise keys.wrong("add", "the columns that raise the balance, and `less` those that lower it")
        return Check(name, "running", _terms(keys, "running"), moves, group, when)
    less = _condition(file, keys.at("less_rows"), keys.raw["less_rows"]) if keys.has("less_rows") else None
    also_on = keys.texts("also_on", f"rules of {', '.join(rules)}", ())
    if any(rule not in rules for rule in also_on) or (also_on and group):
        raise keys.wrong("also_on", f"rules of {', '.join(rules) or 'this profile'}, for a check of single rows")
    kind = "group" if group else "row"
    left, right = _terms(keys, "left"), _terms(keys, "right")
    return Check(name, kind, left, right, group, when, less, also_on=also_on)


def _header(keys: Keys) -> Header:
    raw = Keys.of(keys.profile, "header", keys.raw.get("header", {}), ("has", "within", "rows", "names"))
    if raw.has("names"):
        if len(raw.raw) != 1:
            raise raw.wrong("names", "no other key: names are for a file without a header")
        names = tuple(key_of(name) for name in raw.texts("names", "the columns of the file, in order"))
        if len(set(names)) != len(names):
            raise raw.wrong("names", "different names")
        return Header((), names=names)
    has = tuple(key_of(name) for name in raw.texts("has", "columns of the header", ()))
    return Header(has, raw.number("within", 40, 1, 1000), raw.number("rows", 1, 1, 2))


def _check_columns(keys: Keys, profile: Profile) -> None:
    """Names of captures and joins must not be those of columns that a file without a header declares."""
    made = [capture.name for capture in profile.captures]
    if len(set(made)) != len(made):
        raise keys.wrong("captures", "captures with different names", ", ".join(made))
    names = profile.header.names
    if names:
        unknown = [name for name in profile.own_columns() if name not in names]
        if unknown:
            raise keys.wrong("header", f"the column {unknown[0]} among `header.names`", "no such column")
