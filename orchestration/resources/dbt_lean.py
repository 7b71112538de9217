"""What dbt does for people at a terminal and a build does not need, left out while a build runs.

A build has some five hundred nodes, most of which take DuckDB a few milliseconds. dbt adds about a hundred of its own
to each: it words every event although nobody hears it, renders the SQL of a node and the statements around it that it
rendered in the last build as well, puts six hundred macros into the context of each node, makes a date parser for every
empty result, writes the SQL of every node into a file that nobody opens, looks again for circles in a graph that has
none, and asks again which columns a query has that it asked a minute ago. `lean` leaves these out for the block and
puts dbt back as it was. Nothing that is decided is touched: the order of nodes, what is skipped behind a failure,
contracts, tests and their limits are dbt's own.

Every name that is replaced here is named once, in `_replaced`; a version of dbt without it raises at once.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from orchestration.resources.dbt_straight import asked_straight, made_straight

#: What the adapter calls by name, without a node that says so.
CALLED_BY_THE_ADAPTER = (
    "alter_column_type", "check_schema_exists", "create_schema", "drop_relation", "drop_schema",
    "get_columns_in_relation", "list_function_relations_without_caching", "list_relations_without_caching",
    "list_schemas", "rename_relation", "truncate_relation",
)  # fmt: skip


@contextlib.contextmanager
def lean() -> Iterator[None]:
    """Run dbt inside this block: only what somebody reads is worded, and what is rendered is not rendered again."""
    with contextlib.ExitStack() as stack:
        for owner, name, replacement in _replaced():
            original = getattr(owner, name)
            setattr(owner, name, replacement(original))
            stack.callback(setattr, owner, name, original)
        yield


#: A name that a model gives to another at its top: `int_x as (select * from "warehouse"."core"."int_x" where ...)`.
_IMPORT = re.compile(r"""(\b\w+ as) \(\s*(select \* from ("\w+"\."\w+"\."\w+")(?:\s+where [^()]*)?)\s*\)""")


def read_in_place(sql: str, tables: Collection[str]) -> str:
    """The same query, with a name that stands for one of these tables read where it is used.

    DuckDB copies whatever a `with` names and a query uses twice, also where it is a table that could be read twice: all
    its columns that anybody uses, before the first filter. Of a portfolio of years that is more than its memory.
    """
    return _IMPORT.sub(lambda m: f"{m[1]} not materialized ({m[2]})" if m[3] in tables else m[0], sql)


def without_unused_macros(manifest: Any) -> Any:
    """The manifest with the macros that a build can reach, of some six hundred. Only for one whose nodes are rendered.

    Reached from the materializations of its nodes, from what the adapter calls, and from nodes that are rendered in the
    build (they depend on the run, or have a hook) with all of their package, along the calls that dbt found in each
    macro. A macro that is missed stops the build by name.
    """
    waiting = [key for key, macro in manifest.macros.items() if macro.name in CALLED_BY_THE_ADAPTER]
    waiting += _materializations({node.config.materialized for node in manifest.nodes.values()}, manifest.macros)
    packages: set[str] = set()
    for node in manifest.nodes.values():
        if not node.compiled or getattr(node.config, "pre_hook", None) or getattr(node.config, "post_hook", None):
            waiting += node.depends_on.macros
            packages.add(node.package_name)  # a hook may render the text of other models
    waiting += [key for key, macro in manifest.macros.items() if macro.package_name in packages]
    reached: dict[str, Any] = {}
    while waiting:
        key = waiting.pop()
        if key in manifest.macros and key not in reached:
            reached[key] = manifest.macros[key]
            waiting += manifest.macros[key].depends_on.macros
    manifest.macros = reached
    return manifest


def _materializations(kinds: set[str], macros: Mapping[str, Any]) -> list[str]:
    """The adapter's own materialization of each kind, and dbt's where it has none."""
    found: list[str] = []
    for kind in kinds:
        for adapter in ("duckdb", "default"):
            keys = [key for key, macro in macros.items() if macro.name == f"materialization_{kind}_{adapter}"]
            if keys:
                found += keys
                break
    return found


def depends_on_the_run(node: Any, macros: Mapping[str, Any]) -> bool:
    """Whether the SQL of a node may be another in the next build: it, or a macro of the project, reads the run."""
    texts = [node.raw_code, *(macro.macro_sql for macro in _macros_of(node, macros))]
    return any(word in text for text in texts for word in ("env_var", "run_query", "invocation_id", "run_started_at"))


def _macros_of(node: Any, macros: Mapping[str, Any]) -> list[Any]:
    found, waiting = {}, list(node.depends_on.macros)
    while waiting:
        key = waiting.pop()
        if key in macros and key not in found and macros[key].package_name == node.package_name:
            found[key] = macros[key]
            waiting.extend(macros[key].depends_on.macros)
    return list(found.values())


def _replaced() -> list[tuple[Any, str, Callable[[Any], Any]]]:
    from dbt.adapters.duckdb.impl import DuckDBAdapter
    from dbt.compilation import Compiler, Linker
    from dbt.contracts.graph.nodes import ParsedNode
    from dbt.task.run import ModelRunner
    from dbt.task.test import TestRunner
    from dbt_common.clients import agate_helper
    from dbt_common.events.base_types import BaseEvent
    from dbt_common.events.event_manager import EventManager

    return [
        (BaseEvent, "__init__", _worded_if_heard),
        (EventManager, "fire_event", _fired_if_worded),
        (Compiler, "compile_node", _rendered_once),
        (Linker, "find_cycles", _found_none),
        (Linker, "get_graph_summary", _summed_up_for_nobody),
        (ModelRunner, "execute", made_straight),
        (ModelRunner, "print_start_line", _unsaid),
        (TestRunner, "execute_data_test", asked_straight),
        (TestRunner, "print_start_line", _unsaid),
        (DuckDBAdapter, "get_column_schema_from_query", _described_once),
        (ParsedNode, "write_node", _written_nowhere),
        (agate_helper, "build_type_tester", _types_once),
        (agate_helper, "empty_table", lambda original: lru_cache(maxsize=1)(original)),
    ]


def _worded_if_heard(original: Callable[..., None]) -> Callable[..., None]:
    """Events for debugging have no listener: they are made without their message."""
    from dbt_common.events.base_types import DebugLevel, TestLevel

    def init(self: Any, *values: Any, **named: Any) -> None:
        if isinstance(self, (DebugLevel, TestLevel)):
            self.pb_msg = None
        else:
            original(self, *values, **named)

    return init


def _fired_if_worded(original: Callable[..., None]) -> Callable[..., None]:
    def fire(self: Any, e: Any, *values: Any, **named: Any) -> None:
        if e.pb_msg is not None:
            original(self, e, *values, **named)

    return fire


def _rendered_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """A node that carries its SQL is rendered. `parsed` in dbt.py leaves it out where it depends on the run."""

    def compile_node(self: Any, node: Any, *values: Any, **named: Any) -> Any:
        if getattr(node, "compiled", False) and node.compiled_code:
            return node
        return original(self, node, *values, **named)

    return compile_node


def _found_none(_: Callable[..., Any]) -> Callable[..., None]:
    """dbt looked for circles when the project was parsed and rendered; a build reads the manifest of that."""

    def find_cycles(self: Any) -> None:
        return None

    return find_cycles


def _summed_up_for_nobody(_: Callable[..., Any]) -> Callable[..., dict[int, Any]]:
    """The summary is for whoever studies dbt's graph in a file of the target folder."""

    def get_graph_summary(self: Any, manifest: Any) -> dict[int, Any]:
        return {}

    return get_graph_summary


def _unsaid(_: Callable[..., None]) -> Callable[..., None]:
    """That a node begins is told to nobody; that it ended is."""

    def print_start_line(self: Any) -> None:
        return None

    return print_start_line


def _types_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """The types that a result may hold depend on nothing but the names of its text columns."""
    kept = lru_cache(maxsize=512)(original)

    def build_type_tester(text_columns: Any, string_null_values: Any = ("null", "")) -> Any:
        return kept(tuple(sorted(text_columns)), tuple(string_null_values))

    return build_type_tester


#: The columns of a query, by its text, for as long as the process lives: builds of one code have the same queries over
#: tables of the same contract.
_DESCRIBED: dict[str, list[Any]] = {}


def _described_once(original: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    def get_column_schema_from_query(self: Any, sql: str) -> list[Any]:
        if sql not in _DESCRIBED:
            _DESCRIBED[sql] = original(self, sql)
        return list(_DESCRIBED[sql])

    return get_column_schema_from_query


def _written_nowhere(_: Callable[..., None]) -> Callable[..., None]:
    """What was run is in the result of the node, and in the report where it failed."""

    def write_node(self: Any, project_root: str, compiled_path: str, compiled_code: str) -> None:
        return None

    return write_node
