"""The project's SQL as Spark would be given it, and what in it Spark would not take.

There is no Spark here, and none is needed to find a construct that only DuckDB reads. Every model is rendered by the
macros' own dispatch with `spark` as the adapter (`spark__x`, else `default__x`, as dbt does it), parsed by sqlglot's
Spark grammar, and then held against what that grammar lets pass and Spark does not: `::`, QUALIFY, quoted names that
Spark reads as texts, types without a length, and functions that are not in spark_functions.csv. What only a running
Spark can tell (whether names resolve, types agree, results are the same) is not shown here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import sqlglot
import yaml
from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from tests.architecture.rules import rows

TYPES = frozenset({"STRING", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "DECIMAL", "INT", "BIGINT", "BOOLEAN"})
MACRO = r"{%-?\s*macro\s+(?P<name>\w+)\(.*?{%-?\s*endmacro\s*-?%}"
#: Words that stand before a parenthesis and call nothing.
NOT_CALLS = frozenset(
    re.findall(
        r"\w+",
        """
        all and any array as between by case cast decimal distinct else exists filter from full having in inner interval
        is join left like limit not null on or order outer over partition recursive right rows select struct then union
        using values when where with
        """,
    )
)


class Spark:
    """A stub of dbt's adapter: a macro is looked for under `spark__`, then under `default__`."""

    def __init__(self) -> None:
        self.macros: dict[str, Callable[..., str]] = {}

    def type(self) -> str:
        return "spark"

    def quote(self, name: str) -> str:
        return f"`{name}`"

    def dispatch(self, name: str, macro_namespace: str | None = None) -> Callable[..., str]:
        for prefix in ("spark__", "default__"):
            if prefix + name in self.macros:
                return _returning(self, prefix + name)
        raise LookupError(f"no macro spark__{name} or default__{name}")


class Dbt:
    """The few words of dbt's own macros that the project uses, as dbt-spark renders them."""

    @staticmethod
    def type_string() -> str:
        return "string"

    @staticmethod
    def hash(field: str) -> str:
        return f"md5(cast({field} as string))"

    @staticmethod
    def listagg(measure: str, delimiter_text: str = "','", order_by_clause: str = "") -> str:
        """Spark collects in no order: dbt-spark leaves the clause out too."""
        return f"array_join(collect_list({measure}), {delimiter_text})"


def renderer(project: Path, more_macros: str = "") -> Callable[[str], str]:
    """A function from a model's text to its SQL for Spark. `more_macros` stand beside the project's: planted ones."""
    adapter = Spark()
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"])
    environment.globals.update(
        adapter=adapter,
        dbt=Dbt,
        target={"type": "spark"},
        ref=lambda name: f"some_layer.{name}",
        source=lambda group, name: f"{group}.{name}",
        config=lambda **_: "",
        env_var=lambda name, default="": default,
        **{"return": _return},
        exceptions={"raise_compiler_error": _refuse},
        graph={"nodes": nodes(project)},
        modules={"re": re},
        render=lambda text: environment.from_string(text).render(),
    )
    texts = "\n".join([*(path.read_text("utf-8") for path in sorted((project / "macros").glob("*.sql"))), more_macros])
    macros = {match["name"]: match[0] for match in re.finditer(MACRO, texts, re.DOTALL)}
    environment.globals.update({name: _returning(adapter, name) for name in macros})
    for name, text in macros.items():
        adapter.macros[name] = getattr(environment.from_string(text).module, name)
    return lambda text: environment.from_string(text).render()


def nodes(project: Path) -> dict[str, dict[str, Any]]:
    """The models as dbt's `graph` has them, as far as macros read it: text, layer and the names of columns."""
    columns = {
        model["name"]: {column["name"]: column for column in model.get("columns", [])}
        for path in (project / "models").rglob("*.yml")
        for model in yaml.safe_load(path.read_text("utf-8")).get("models", [])
    }
    return {
        path.stem: {
            "name": path.stem,
            "resource_type": "model",
            "schema": path.relative_to(project / "models").parts[0],
            "raw_code": path.read_text("utf-8"),
            "columns": columns.get(path.stem, {}),
        }
        for path in models(project)
    }


def published_functions(project: Path) -> dict[str, tuple[str, str]]:
    """Every published function: name -> its mart and its chain of models, as the mart's hook writes it."""
    found = {}
    for path in models(project):
        for hook in re.finditer(r"publish_as_of\('(?P<name>\w+)', (?P<chain>.+?)\) \}\}", path.read_text("utf-8")):
            found[hook["name"]] = (path.stem, hook["chain"])
    return found


class _Returned(Exception):
    """What a macro hands back with `return`, as dbt does it: anything, and no text."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def _return(value: Any) -> None:
    raise _Returned(value)


def _returning(adapter: Spark, name: str) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        try:
            return adapter.macros[name](*args, **named)
        except _Returned as returned:
            return returned.value

    return call


def _refuse(message: str) -> None:
    raise jinja2.TemplateRuntimeError(message)


def models(project: Path) -> list[Path]:
    return sorted((project / "models").rglob("*.sql"))


@cache
def known_functions() -> frozenset[str]:
    return frozenset(row["function"] for row in rows("spark_functions.csv"))


def foreign(sql: str) -> list[str]:
    """What Spark would not take in a statement, in words; empty where it would."""
    try:
        tokens = sqlglot.tokenize(sql, read="spark")
        tree = sqlglot.parse_one(sql, read="spark")
    except sqlglot.errors.SqlglotError as error:
        return [f"not Spark SQL: {str(error).splitlines()[0]}"]
    found = [*_tokens(sql, tokens), *_types(tree)]
    if any(tree.find_all(exp.Qualify)):
        found.append("QUALIFY")
    found += [f"{join.method} JOIN" for join in tree.find_all(exp.Join) if join.method]
    found += [f"a model that is a {type(tree).__name__} and no query"] if not isinstance(tree, exp.Query) else []
    found += [f"{name} reads itself without WITH RECURSIVE" for name in _recursions(tree)]
    return sorted(set(found))


def _tokens(sql: str, tokens: list[Token]) -> Iterator[str]:
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.token_type == TokenType.DCOLON:
            yield "a cast written with ::"
        if sql[token.start] == '"':
            yield f"a name in double quotes, which Spark reads as a text: {sql[token.start : token.end + 1]}"
        if token.token_type == TokenType.VARCHAR and (after is None or after.token_type != TokenType.L_PAREN):
            yield "VARCHAR without a length: cast to string"
        called = after is not None and after.token_type == TokenType.L_PAREN
        name = sql[token.start : token.end + 1].lower()
        if (
            called
            and re.fullmatch("[a-z_][a-z0-9_]*", name)
            and name not in NOT_CALLS | known_functions() | _names(sql)
        ):
            yield f"a function that Spark is not known to have: {name}"


@cache
def _names(sql: str) -> frozenset[str]:
    """Names that a WITH or an alias gives, where a list of columns may follow in parentheses."""
    given = re.findall(r"(?:\bwith(?: recursive)?|,)\s+(\w+)\s*\([\w\s,]*\)\s+as\s*\(", sql, re.IGNORECASE)
    aliases = re.findall(r"\)\s+as\s+(\w+)\s*\([\w\s,]*\)", sql, re.IGNORECASE)
    return frozenset(name.lower() for name in [*given, *aliases])


def _types(tree: exp.Expression) -> Iterator[str]:
    for kind in tree.find_all(exp.DataType):
        name = kind.this.name if isinstance(kind.this, exp.DataType.Type) else str(kind.this)
        name = {"TEXT": "STRING", "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMPNTZ": "TIMESTAMP_NTZ"}.get(name, name)
        if name not in TYPES:
            yield f"a type that Spark does not take as it stands: {kind.sql()}"
        if name == "DECIMAL" and not kind.expressions:
            yield "a DECIMAL without its digits, which has no cents in Spark"


def _recursions(tree: exp.Expression) -> Iterator[str]:
    for clause in tree.find_all(exp.With):
        if clause.args.get("recursive"):
            continue
        for part in clause.expressions:
            if any(table.name == part.alias and not table.db for table in part.this.find_all(exp.Table)):
                yield part.alias
