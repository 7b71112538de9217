"""What dbt does for people at a terminal and a build does not need, left out while a build runs.

A build has some three hundred nodes, most of which take DuckDB a few milliseconds. dbt adds about a hundred of its own
to each: it words every event although nobody hears it, renders the SQL of a node that it rendered in the last build as
well, puts six hundred macros into the context of each node, and makes a date parser for every empty result. `lean`
leaves these out for the block and puts dbt back as it was. Nothing that is decided is touched: the order of nodes, what
is skipped behind a failure, contracts, tests and their limits are dbt's own.

Every name that is replaced here is named once, in `_replaced`; a version of dbt without it raises at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

#: Folders and files of dbt's own macros that no build of ours calls: what materializes nothing of ours, and what is for
#: parsing alone. (`utils` stays: a hook is rendered in the build.) A macro that is missed stops the build by name.
UNUSED_MACROS = (
    "macros/catalog.sql", "macros/flights.sql", "macros/generic_test_sql/", "macros/get_custom_name/",
    "macros/materializations/external.sql", "macros/materializations/functions/",
    "macros/materializations/incremental", "macros/materializations/models/clone/",
    "macros/materializations/models/incremental/", "macros/materializations/models/materialized_view",
    "macros/materializations/seeds/", "macros/materializations/snapshots/", "macros/materializations/table_function",
    "macros/materializations/tests/unit.sql", "macros/python_model/", "macros/relations/materialized_view/",
    "macros/seed.sql", "macros/snapshot_helper.sql", "macros/unit_test_sql/", "tests/generic/",
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


def without_unused_macros(manifest: Any) -> Any:
    """The manifest without the macros of UNUSED_MACROS. Only for one whose nodes are all rendered."""
    manifest.macros = {
        key: macro for key, macro in manifest.macros.items() if not macro.original_file_path.startswith(UNUSED_MACROS)
    }
    return manifest


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
    from dbt.compilation import Compiler
    from dbt_common.clients import agate_helper
    from dbt_common.events.base_types import BaseEvent
    from dbt_common.events.event_manager import EventManager

    return [
        (BaseEvent, "__init__", _worded_if_heard),
        (EventManager, "fire_event", _fired_if_worded),
        (Compiler, "compile_node", _rendered_once),
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


def _types_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """The types that a result may hold depend on nothing but the names of its text columns."""
    kept = lru_cache(maxsize=512)(original)

    def build_type_tester(text_columns: Any, string_null_values: Any = ("null", "")) -> Any:
        return kept(tuple(sorted(text_columns)), tuple(string_null_values))

    return build_type_tester
