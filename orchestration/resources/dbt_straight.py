"""Nodes that need nothing of dbt's templates, run straight: a table, a view or a test whose SQL is rendered already.

What dbt does to make a table is a template too, and it is rendered for each node in each build: some forty
milliseconds in which DuckDB makes the table in five. What comes out depends on the node alone, so it is written here:
the same statements as in `dbt_project/macros/materializations.sql`, in one transaction, the contract checked as there.
Whatever is not plain goes dbt's own way: models in Python, with a hook, made in shares, or not as their contract says
(dbt words the refusal). A build makes a new file, so no relation of an earlier run stands in the way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

#: How `in_this_part` marks a query that may be made in shares of its rows.
IN_SHARES = "/* part of "


def made_straight(original: Callable[..., Any]) -> Callable[..., Any]:
    """`ModelRunner.execute`: the model as a table or view, and the result that dbt would give."""
    from dbt.artifacts.schemas.results import RunStatus
    from dbt.artifacts.schemas.run import RunResult

    def execute(self: Any, model: Any, manifest: Any) -> Any:
        adapter = self.adapter
        if not _is_plain(model) or (model.contract.enforced and not _is_as_declared(adapter, model)):
            return original(self, model, manifest)
        relation = adapter.Relation.create_from(self.config, model).incorporate(type=model.config.materialized)
        response, _ = adapter.execute(_statements(adapter, model, relation), auto_begin=True)
        adapter.commit_if_has_connection()
        adapter.cache_added(relation.incorporate(dbt_created=True))
        return RunResult(
            node=model,
            status=RunStatus.Success,
            timing=[],
            thread_id=threading.current_thread().name,
            execution_time=0.0,
            message=str(response),
            adapter_response=response.to_dict(omit_none=True),
            failures=None,
            batch_results=None,
        )

    return execute


def asked_straight(original: Callable[..., Any]) -> Callable[..., Any]:
    """`TestRunner.execute_data_test`: how many rows the test finds, and whether that is a warning or a failure."""
    from dbt.task.test import TestResultData

    def execute_data_test(self: Any, data_test: Any, manifest: Any) -> Any:
        config = data_test.config
        kept = (config.limit, config.store_failures, config.store_failures_as, config.get("sql_header"))
        if config.materialized != "test" or any(kept):
            return original(self, data_test, manifest)
        count = config.fail_calc
        response, found = self.adapter.execute(
            f"select {count} as failures, {count} {config.warn_if} as should_warn,"
            f" {count} {config.error_if} as should_error from (\n{data_test.compiled_code}\n) dbt_internal_test",
            fetch=True,
        )
        failures, should_warn, should_error = found.rows[0]
        return TestResultData(
            failures=int(failures),
            should_warn=bool(should_warn),
            should_error=bool(should_error),
            adapter_response=response.to_dict(omit_none=True),
        )

    return execute_data_test


def _is_plain(model: Any) -> bool:
    config = model.config
    asked_for = (
        config.pre_hook,
        config.post_hook,
        config.get("sql_header"),
        config.persist_docs,
        config.grants,
        config.get("indexes"),
        config.get("partitioned_by"),
    )
    return (
        model.language == "sql"
        and config.materialized in ("table", "view")
        and not any(asked_for)
        and IN_SHARES not in model.compiled_code
    )


def _is_as_declared(adapter: Any, model: Any) -> bool:
    """Whether the columns that the query returns are, by name and type, those of the contract."""
    declared = sorted((column.name.lower(), (column.data_type or "").upper()) for column in model.columns.values())
    query = f"select * from (\n{model.compiled_code}\n) as __dbt_sbq where false limit 0"
    found = adapter.get_column_schema_from_query(query)
    return bool(declared) and declared == sorted((column.name.lower(), column.dtype.upper()) for column in found)


def _statements(adapter: Any, model: Any, relation: Any) -> str:
    query = model.compiled_code
    if model.config.materialized == "view":
        return f"create view {relation} as (\n{query}\n);"
    if not model.contract.enforced:
        return f"create table {relation} as (\n{query}\n);"
    columns = {name: column.to_dict(omit_none=True) for name, column in model.columns.items()}
    names = ", ".join(adapter.quote(c["name"]) if c.get("quote") else c["name"] for c in columns.values())
    parts = adapter.render_raw_columns_constraints(raw_columns=columns)
    parts += adapter.render_raw_model_constraints(
        raw_constraints=[c.to_dict(omit_none=True) for c in model.constraints]
    )
    return (
        f"create table {relation} ({', '.join(parts)});\n"
        f"insert into {relation} ({names}) (select {names} from (\n{query}\n) as model_subq);"
    )
