"""The dbt project, run inside this process.

A dbt subprocess costs 5 to 8 seconds of imports and another parse on each run; `dbtRunner` in the process of the run
costs neither, dies with it (a killed run leaves no writer behind), and hands its events over as they happen.

Parsing and rendering are cached by content: the manifest of a project whose files have not changed is read back with
the SQL of its nodes, whichever home it is used from. What changes from run to run (paths, dates, numbers) reaches the
models through environment variables, never through `--vars`, which would parse everything again; the nodes that read
them are rendered in each build. A unit test holds for the code, whatever was loaded, so each version of the code runs
it once: in the first build of this machine.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb

from orchestration.errors import TieoutError
from orchestration.resources.dbt_lean import depends_on_the_run, lean, read_in_place, without_unused_macros

PROJECT_VARIABLE = "TIEOUT_DBT_PROJECT"
CACHE_VARIABLE = "TIEOUT_CACHE"
_KEPT = "3"  # what is kept of a parsed project: raise it when that changes
_NOT_SOURCE = {"target", "logs", "__pycache__", "dbt_packages", ".user.yml"}
_QUIET = (
    "--quiet", "--log-level", "none", "--log-level-file", "none",
    "--no-use-colors", "--no-version-check", "--no-send-anonymous-usage-stats",
)  # fmt: skip


def project_folder() -> Path:
    """The dbt project of this run: $TIEOUT_DBT_PROJECT, else the one that is installed beside this package."""
    chosen = os.environ.get(PROJECT_VARIABLE)
    folder = Path(chosen).expanduser() if chosen else Path(__file__).resolve().parents[2] / "dbt_project"
    return folder.resolve()


def sources_hash(folder: Path) -> str:
    """sha256 over the paths and bytes of every file of a folder that is source (no targets, logs or bytecode)."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not _NOT_SOURCE.intersection(relative.parts) and path.suffix != ".pyc":
            digest.update(f"{relative.as_posix()}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def code_version() -> str:
    """The package's version and a hash of the code that makes numbers: the dbt project and the door."""
    digest = hashlib.sha256(sources_hash(project_folder()).encode())
    digest.update(sources_hash(Path(__file__).resolve().parents[1]).encode())
    return f"{version('tieout')}+{digest.hexdigest()[:12]}"


@dataclass(frozen=True)
class Parsed:
    """A parsed project: where its manifest lies (JSON for Dagster, msgpack for dbt)."""

    project: Path
    folder: Path

    @property
    def manifest_json(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def rendered(self) -> Path:
        return self.folder / "rendered.msgpack"

    @property
    def passed_unit_tests(self) -> Path:
        return self.folder / "passed_unit_tests.json"

    def node_ids(self) -> list[str]:
        """The nodes that a build runs: models, tests and, with code that is new to this machine, unit tests."""
        manifest = json.loads(self.manifest_json.read_text("utf-8"))
        unit_tests = {} if self.passed_unit_tests.is_file() else manifest.get("unit_tests", {})
        return sorted([*manifest["nodes"], *unit_tests])

    def manifest(self) -> Any:
        """A fresh dbt manifest: a build writes into its nodes, so each build reads its own.

        A manifest that is handed to dbt comes without `graph`, which macros read the texts of models from: it gets the
        models, and no tests or sources.
        """
        from dbt.contracts.graph.manifest import Manifest

        manifest = Manifest.from_msgpack(self.rendered.read_bytes())
        models = {key: node for key, node in manifest.nodes.items() if node.resource_type == "model"}
        manifest.flat_graph = {"nodes": {key: node.to_dict(omit_none=False) for key, node in models.items()}}
        return manifest


@dataclass(frozen=True)
class Node:
    """What became of one node of a build."""

    unique_id: str
    name: str
    resource_type: str  # model, test, unit_test, ...
    status: str  # success, pass, warn, fail, error, skipped
    failures: int
    message: str
    seconds: float
    compiled: str  # the SQL that ran, for a test the query of its failing rows
    path: str
    table: str  # the model that a test is attached to
    columns: tuple[str, ...] = ()


class DbtFailed(TieoutError):
    """dbt could not start, parse or run a model: the project itself is broken. `checks` as in CheckFailed."""

    checks: Sequence[object] = ()


def cache_folder() -> Path:
    """Where parsed projects are kept: $TIEOUT_CACHE, else the user's cache folder, else the machine's temporary one."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    with contextlib.suppress(OSError):
        (base / "tieout").mkdir(parents=True, exist_ok=True)
        if os.access(base / "tieout", os.W_OK):
            return base / "tieout"
    return Path(tempfile.gettempdir()) / f"tieout-cache-{os.getuid()}"


def parsed(project: Path | None = None) -> Parsed:
    """The parsed project, from the cache if its files are unchanged; parsing takes about half a minute.

    Raises DbtFailed with dbt's own message when the project does not parse.
    """
    project = project or project_folder()
    return _parsed(project, sources_hash(project))


@lru_cache(maxsize=8)
def _parsed(project: Path, content: str) -> Parsed:
    key = hashlib.sha256(
        f"{_KEPT}\0{project}\0{content}\0{version('dbt-core')}\0{version('dbt-duckdb')}\0{sys.version_info[:2]}".encode()
    ).hexdigest()[:32]
    folder = cache_folder() / "dbt" / key
    found = Parsed(project, folder)
    if found.manifest_json.is_file():
        return found
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{key}.lock", "w") as lock:  # who comes second waits: parsing takes a core for a while
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.manifest_json.is_file():
            _parse_into(folder, project)
    return found


def _parse_into(folder: Path, project: Path) -> None:
    part = Path(tempfile.mkdtemp(prefix="part-", dir=folder.parent))
    try:
        result = _invoke(["parse"], project, part, {}, None, None)
        if not result.success:
            raise DbtFailed(f"The dbt project in {project} does not parse: {result.exception or result.result}")
        _render(Parsed(project, part))
        shutil.rmtree(part / "logs", ignore_errors=True)
        os.rename(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _render(project: Parsed) -> None:
    """Write the parsed manifest with the SQL of every node that does not depend on the run."""
    from dbt.contracts.graph.manifest import Manifest

    manifest = Manifest.from_msgpack((project.folder / "partial_parse.msgpack").read_bytes())
    manifest.build_flat_graph()
    command = ["compile", "--no-write-json", "--no-populate-cache"]
    rendering = project.folder / "rendering"
    rendering.mkdir()
    duckdb.connect(str(rendering / "raw.duckdb")).close()
    empty = {"TIEOUT_BUILD_PATH": ":memory:", "TIEOUT_RAW_PATH": str(rendering / "raw.duckdb")}
    result = _invoke(command, project.project, rendering, empty, manifest, None)
    if not result.success:
        raise DbtFailed(f"The dbt project in {project.project} does not render: {result.exception or result.result}")
    tables = {
        node.relation_name
        for node in manifest.nodes.values()
        if node.resource_type == "model" and node.config.materialized == "table"
    }
    for node in manifest.nodes.values():
        if depends_on_the_run(node, manifest.macros):
            node.compiled, node.compiled_code = False, None
        elif node.compiled_code and node.resource_type == "model":
            node.compiled_code = read_in_place(node.compiled_code, tables)
    project.rendered.write_bytes(manifest.to_msgpack())
    shutil.rmtree(rendering)


def build(
    project: Parsed,
    target: Path,
    variables: Mapping[str, str],
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> list[Node]:
    """Run `dbt build` of the whole project. Returns every node with its result, in the order they ended.

    `target` keeps compiled SQL and run results. `variables` are set in the environment while dbt runs.
    `on_event` is called from dbt's threads with each structured event as a dict.
    """
    target.mkdir(parents=True, exist_ok=True)
    callbacks = None
    if on_event is not None:
        from dbt_common.events.functions import msg_to_dict

        def forward(message: Any) -> None:
            if message.info.name in ("LogModelResult", "LogTestResult", "LogSeedResult"):
                on_event(msg_to_dict(message))

        callbacks = [forward]
    command = ["build", "--no-write-json"]
    passed = _passed_unit_tests(project)
    with lean(), _kept(project.manifest) as manifest:
        if passed is not None:
            command += ["--exclude-resource-type", "unit_test"]
            without_unused_macros(manifest)
        result = _invoke(command, project.project, target, variables, manifest, callbacks)
    if result.exception is not None or result.result is None:
        raise DbtFailed(f"dbt ended before it built anything: {result.exception}")
    nodes = [_node(entry, manifest) for entry in result.result.results]
    if passed is None:
        _keep_unit_tests(project, [node for node in nodes if node.resource_type == "unit_test"])
    return [*nodes, *(passed or ())]


@contextlib.contextmanager
def _kept(make: Callable[[], Any]) -> Iterator[Any]:
    """What `make` makes, for the block. Half a million objects that stay are not searched for garbage meanwhile."""
    gc.disable()
    try:
        made = make()
        gc.freeze()
    finally:
        gc.enable()
    try:
        yield made
    finally:
        gc.unfreeze()


def _passed_unit_tests(project: Parsed) -> list[Node] | None:
    """The unit tests that passed with this very code, or None where they have not all been run yet."""
    try:
        kept = json.loads(project.passed_unit_tests.read_text("utf-8"))
    except FileNotFoundError:
        return None
    return [Node(**{**node, "columns": tuple(node["columns"])}) for node in kept]


def _keep_unit_tests(project: Parsed, nodes: Sequence[Node]) -> None:
    if all(node.status == "pass" for node in nodes) and len(nodes) == len(project.manifest().unit_tests):
        text = json.dumps([{**asdict(node), "seconds": 0.0, "compiled": ""} for node in nodes])
        part = project.folder / f"unit_tests.{os.getpid()}.part"
        part.write_text(text, "utf-8")
        os.replace(part, project.passed_unit_tests)


def _node(entry: Any, manifest: Any) -> Node:
    node = entry.node
    attached = getattr(node, "attached_node", None)
    if attached is None and node.resource_type == "test" and len(node.depends_on.nodes) == 1:
        attached = node.depends_on.nodes[0]
    timing = float(entry.execution_time or 0.0)
    return Node(
        unique_id=node.unique_id,
        name=node.name,
        resource_type=str(node.resource_type),
        status=str(entry.status),
        failures=int(entry.failures or 0),
        message=str(entry.message or ""),
        seconds=timing,
        compiled=getattr(node, "compiled_code", None) or "",
        path=node.original_file_path,
        table=(attached or "").rsplit(".", 1)[-1],
        columns=(node.column_name,) if getattr(node, "column_name", None) else (),
    )


def _invoke(
    command: list[str],
    project: Path,
    target: Path,
    variables: Mapping[str, str],
    manifest: Any,
    callbacks: list[Callable[[Any], None]] | None,
) -> Any:
    from dbt.cli.main import dbtRunner

    arguments = [
        *command, "--project-dir", str(project), "--profiles-dir", str(project),
        "--target-path", str(target), "--log-path", str(target / "logs"), *_QUIET,
    ]  # fmt: skip
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    quiet = {"DO_NOT_TRACK": "1", "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}
    with environment({"TIEOUT_BUILD_PATH": str(target / "warehouse.duckdb"), **quiet, **variables}):
        try:
            return dbtRunner(manifest=manifest, callbacks=callbacks).invoke(arguments)
        finally:
            # The adapter keeps its DuckDB files open for a next invocation, and nobody else may open them meanwhile.
            DuckDBConnectionManager.close_all_connections()


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the block and put back what was there."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
