"""The rules of the house as functions from a manifest to findings: an empty list means that the rule holds.

Each rule is data where it can be (the CSV files beside this module); the functions only read it. They are apart from
the tests so that a test can hand them a manifest with a planted break and see it found.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PARTS = ("**Grain.**", "**Meaning.**", "**Leaves out.**", "**Rules used.**", "**Ties to.**")
Manifest = dict[str, Any]


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def models(manifest: Manifest) -> Iterator[dict[str, Any]]:
    for node in manifest["nodes"].values():
        if node["resource_type"] == "model":
            yield node


def layer(node: dict[str, Any]) -> str:
    """The folder under models/ is the layer; what a door lands is the layer `landing`."""
    return "landing" if node["resource_type"] == "source" else node["fqn"][1]


def wrong_edges(manifest: Manifest) -> list[str]:
    """Every reference that no row of allowed_edges.csv allows, and every model outside the layers."""
    allowed: dict[tuple[str, str], set[str] | None] = {}
    for row in rows("allowed_edges.csv"):
        allowed[row["layer"], row["may_ref"]] = set(row["only"].split()) or None
    layers = {upper for upper, _ in allowed}
    everything = {**manifest["nodes"], **manifest["sources"]}
    found = []
    for node in models(manifest):
        if layer(node) not in layers:
            found.append(f"{node['name']} lies in {layer(node)}, which is no layer")
            continue
        for parent in node["depends_on"]["nodes"]:
            below = everything[parent]
            edge = (layer(node), layer(below))
            if edge not in allowed:
                found.append(f"{node['name']} ({edge[0]}) may not read {below['name']} ({edge[1]})")
            elif (only := allowed[edge]) is not None and below["name"] not in only:
                found.append(f"{node['name']} ({edge[0]}) may read of {edge[1]} only {', '.join(sorted(only))}")
    return sorted(found)


def wrong_schemas(manifest: Manifest) -> list[str]:
    """A folder's name is the schema too."""
    return sorted(
        f"{node['name']} lies in folder {layer(node)} and in schema {node['schema']}"
        for node in models(manifest)
        if node["schema"] != layer(node)
    )


def contract_gaps(manifest: Manifest) -> list[str]:
    """What the published contract promises and the schema `marts` does not keep."""
    marts = {node["name"]: node for node in models(manifest) if layer(node) == "marts"}
    promised: dict[str, list[str]] = defaultdict(list)
    found = []
    for row in rows("published_contract.csv"):
        if row["state"] == "published":
            promised[row["table"]].append(row["column"])
        elif row["table"] in marts:
            found.append(f"{row['table']} is published now: say so in published_contract.csv")
    for table, columns in promised.items():
        if table not in marts:
            found.append(f"{table} is missing from marts")
            continue
        node = marts[table]
        for column in columns:
            if column not in node["columns"]:
                found.append(f"{table}.{column} is missing")
    return sorted(set(found))


def undescribed(manifest: Manifest) -> list[str]:
    """Models of marts without an enforced contract, and tables and columns without a type or a description."""
    found = []
    for node in models(manifest):
        if not node["description"].strip():
            found.append(f"{node['name']} has no description")
        if layer(node) != "marts":
            continue
        if not node["config"]["contract"]["enforced"]:
            found.append(f"{node['name']} has no enforced contract")
        for name, column in node["columns"].items():
            if not column.get("data_type"):
                found.append(f"{node['name']}.{name} has no type")
            if not column.get("description", "").strip():
                found.append(f"{node['name']}.{name} has no description")
    return sorted(found)


def wrong_money(manifest: Manifest) -> list[str]:
    """Money is exact: no column is a float, and a published amount is DECIMAL(18,2)."""
    found = []
    for node in models(manifest):
        for name, column in node["columns"].items():
            data_type = (column.get("data_type") or "").lower().replace(" ", "")
            if re.search("float|double|real", data_type):
                found.append(f"{node['name']}.{name} is a {data_type}")
            if layer(node) == "marts" and data_type.startswith(("decimal", "numeric")) and data_type != "decimal(18,2)":
                found.append(f"{node['name']}.{name} is a {data_type}")
    return sorted(found)


def missing_parts(manifest: Manifest) -> list[str]:
    """A public table says grain, meaning, what it leaves out, the rules used and what it ties to, in this order."""
    found = []
    for node in models(manifest):
        if layer(node) != "marts":
            continue
        places = [node["description"].find(part) for part in PARTS]
        absent = [part for part, place in zip(PARTS, places, strict=True) if place < 0]
        if absent:
            found.append(f"{node['name']} does not say {', '.join(absent)}")
        elif places != sorted(places) or places[0] != 0:
            found.append(f"{node['name']} says its parts in another order")
        else:
            ends = [*places[1:], len(node["description"])]
            for part, start, end in zip(PARTS, places, ends, strict=True):
                if len(node["description"][start + len(part) : end].strip()) < 4:
                    found.append(f"{node['name']} leaves {part} empty")
    return sorted(found)


def wrong_names(manifest: Manifest) -> list[str]:
    """Models and typed columns outside the patterns of names.csv; names of the contract are given and pass."""
    patterns: dict[str, list[str]] = defaultdict(list)
    for row in rows("names.csv"):
        patterns[row["what"]].append(row["pattern"])
    given = {row["column"] for row in rows("published_contract.csv")}
    never = re.compile("|".join(patterns["never"]))

    def fits(what: str, name: str) -> bool:
        return any(re.fullmatch(pattern, name) for pattern in patterns[what])

    found = []
    for node in models(manifest):
        if not fits(f"model:{layer(node)}", node["name"]):
            found.append(f"{node['name']} is no name for a model of {layer(node)}")
        if never.match(node["name"]):
            found.append(f"{node['name']} says when it was made")
        for name, column in node["columns"].items():
            kind = (column.get("data_type") or "").lower().split("(")[0].strip()
            if never.match(name):
                found.append(f"{node['name']}.{name} says when it was made")
            if not re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
                found.append(f"{node['name']}.{name} is not written in small letters with underscores")
            if kind in ("date", "timestamp", "boolean") and name not in given and not fits(f"column:{kind}", name):
                found.append(f"{node['name']}.{name} is no name for a {kind}")
    return sorted(found)


def public_and_private(manifest: Manifest) -> list[str]:
    """Only marts are public; the Python model is private and nothing outside its group reads it."""
    found = []
    for node in models(manifest):
        if layer(node) == "marts" and node["access"] != "public":
            found.append(f"{node['name']} is published and not public")
        if layer(node) != "marts" and node["access"] == "public":
            found.append(f"{node['name']} is public and not published")
        if node["language"] == "python" and node["access"] != "private":
            found.append(f"{node['name']} is written in Python and not private")
    return sorted(found)


def state_literals(root: Path, folders: tuple[str, ...]) -> list[str]:
    """Places of a country in SQL or Python: what a law fixes is a row with dates and a citation, never an `if`."""
    literal = re.compile(r"['\"](?:US|CA|AU|GB)-[A-Z]{2,3}(?:-[A-Za-z ]+)?['\"]")
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".py", ".sql", ".sqlx") or {"target", "__pycache__"} & set(path.parts):
                continue
            for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
                if literal.search(line):
                    found.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
    return found


def undocumented_tests(project: Path) -> list[str]:
    """Generic tests without a paragraph of their own in the README beside them, and paragraphs without a test."""
    folder = project / "tests" / "generic"
    told = dict(re.findall(r"^## (\w+)\n+(.+)", (folder / "README.md").read_text("utf-8"), flags=re.MULTILINE))
    made = {path.stem for path in folder.glob("*.sql")}
    untold = [f"{name} has no paragraph in README.md" for name in made if len(told.get(name, "")) < 40]
    return sorted(untold + [f"README.md tells of {name}, which is no test" for name in told if name not in made])


def unopened_models(project: Path) -> list[str]:
    """SQL models that do not open with a comment of at least two sentences: why it exists, what could go wrong."""
    found = []
    for path in sorted((project / "models").rglob("*.sql")):
        opening = []
        for line in path.read_text("utf-8").splitlines():
            if not line.startswith("--"):
                break
            opening.append(line.removeprefix("--").strip())
        sentences = re.findall(r"[.!?](?= |$)", " ".join(opening))
        if not 2 <= len(sentences) <= 8:
            found.append(f"{path.relative_to(project)} opens with {len(sentences)} sentences")
    return found
