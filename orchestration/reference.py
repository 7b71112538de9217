"""The reference of all tables: what may land, why a row waits, what is published. Written from what the program reads.

The landing tables and the reasons come from the contract and the door; the published tables from the declarations of
dbt that are enforced when they are built. So nothing on the page can be out of date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from orchestration.contract import reference_markdown

MODELS = Path(__file__).parents[1] / "dbt_project" / "models"
#: The safe loader in C where the package was built with it: ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLOCK = re.compile(r"{%\s*docs\s+(\w+)\s*%}(.*?){%\s*enddocs\s*%}", re.DOTALL)
#: A part of a description begins a line; on the page it begins a paragraph.
_PART = re.compile(r"\n+\*\*")
_NAMED = re.compile(r"{{\s*doc\('(\w+)'\)\s*}}")


@dataclass(frozen=True)
class PublishedColumn:
    """A column of a published table: its type in DuckDB, whether it is never empty, and what it means."""

    name: str
    type: str
    is_never_empty: bool
    description: str


@dataclass(frozen=True)
class PublishedTable:
    """A published table and its description in five parts."""

    name: str
    description: str
    columns: tuple[PublishedColumn, ...]


def published_tables() -> list[PublishedTable]:
    """The tables of the published schema, by name, as the dbt project declares them."""
    words = dict(_BLOCK.findall((MODELS / "columns.md").read_text(encoding="utf-8")))

    def told(text: str) -> str:
        return " ".join(_NAMED.sub(lambda named: words[named.group(1)], text).split())

    tables = []
    for path in sorted((MODELS / "marts").rglob("*.yml")):
        for model in yaml.load(path.read_text(encoding="utf-8"), _LOADER).get("models", []):
            columns = tuple(
                PublishedColumn(
                    column["name"],
                    column["data_type"],
                    {"type": "not_null"} in column.get("constraints", []),
                    told(column.get("description", "")),
                )
                for column in model.get("columns", [])
            )
            tables.append(PublishedTable(model["name"], _PART.sub("\n\n**", model["description"].strip()), columns))
    return sorted(tables, key=lambda table: table.name)


def reference_page() -> str:
    """The whole reference as Markdown."""
    from orchestration.landing.reasons import reasons_markdown

    lines = [
        reference_markdown(),
        "# Why a row waits",
        "",
        "A row that cannot enter waits in quarantine with one of these reasons; the message names the column, what was"
        " found, what was expected and what to do. All other rows of its file load. A file that cannot be trusted as a"
        " table at all is refused whole, and nothing of it is loaded.",
        "",
        reasons_markdown(),
        "# What comes out: the published tables",
        "",
        'Read with `tieout query "select ... from TABLE"`. Amounts are decimals in major units; `_on` is a day, `_at` a'
        " moment in UTC, `valid_to` the first day no longer in force.",
        "",
    ]
    for table in published_tables():
        lines += [f"## {table.name}", "", table.description, ""]
        lines += ["| column | type | never empty | meaning |", "| --- | --- | --- | --- |"]
        lines += [_row(column) for column in table.columns]
        lines.append("")
    return "\n".join(lines)


def _row(column: PublishedColumn) -> str:
    cells: list[Any] = [column.name, column.type, "yes" if column.is_never_empty else "", column.description]
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
