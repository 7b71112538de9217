"""Warehouse assets: one per dbt model, with dbt's tests as asset checks.

dbt runs inside this process (see `orchestration.resources.dbt`); its events become Dagster's by dagster-dbt's own
translation. The warehouse is built whole or not at all: the file that readers get is a new one each time.
"""

import json
import queue
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, dbt_assets
from dagster_dbt.core.dbt_cli_event import DbtCoreCliEventMessage

from orchestration import pipeline
from orchestration.publishing.failure import failed_names
from orchestration.resources import dbt
from orchestration.resources.home import HomeResource, failures_in_words

Event = dg.Output | dg.AssetMaterialization | dg.AssetObservation | dg.AssetCheckResult | dg.AssetCheckEvaluation


class LayerTranslator(DagsterDbtTranslator):
    """Asset key = layer/model, group = layer; a source is the landing asset of its name, so lineage is unbroken."""

    def __init__(self) -> None:
        super().__init__(settings=DagsterDbtTranslatorSettings(enable_asset_checks=True))

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        return dg.AssetKey([layer(dbt_resource_props), dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        return layer(dbt_resource_props)

    def get_description(self, dbt_resource_props: Mapping[str, Any]) -> str:
        return dbt_resource_props.get("description") or dbt_resource_props["name"]


def layer(props: Mapping[str, Any]) -> str:
    """The layer of a model: the first folder below models/. A source belongs to the layer that it names."""
    if props["resource_type"] == "source":
        return props["source_name"]
    return Path(props["original_file_path"]).parts[1]


def read_manifest(project: dbt.Parsed) -> dict[str, Any]:
    """The manifest of a parsed project as a dict."""
    return json.loads(project.manifest_json.read_text("utf-8"))


def warehouse_assets(project: dbt.Parsed) -> dg.AssetsDefinition:
    """The step that builds and tests every model in a new file: the models as parsed here, whatever changes later."""
    translator = LayerTranslator()
    manifest = read_manifest(project)

    @dbt_assets(manifest=manifest, dagster_dbt_translator=translator, name="warehouse")
    def warehouse(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[Any]:
        if context.is_subset:
            raise dg.Failure(
                "The warehouse is built as a whole, in a new file: choose the job `run`, not single models.",
                allow_retries=False,
            )
        run = home.run(context.run.run_id)
        events: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        ended: list[BaseException] = []

        def work() -> None:
            try:
                pipeline.build(run, project, events.put)
            except BaseException as error:
                ended.append(error)
            finally:
                events.put(None)

        thread = threading.Thread(target=work, name="dbt", daemon=True)
        thread.start()
        held: list[dg.AssetCheckResult] = []
        while (event := events.get()) is not None:
            message = DbtCoreCliEventMessage(raw_event=event, event_history_metadata={})
            for translated in message.to_default_asset_events(
                manifest=manifest, dagster_dbt_translator=translator, context=context
            ):
                if isinstance(translated, dg.AssetCheckResult) and not translated.passed:
                    held.append(translated)  # its rows are known once the file is closed
                else:
                    yield translated
        thread.join()
        rows = failed_names(ended[0]) if ended else {}
        for result in held:
            yield result._replace(description=rows.get(result.check_name or "", result.description))
        if ended:
            with failures_in_words():
                raise ended[0]

    return warehouse


def source_specs(project: dbt.Parsed, known: set[dg.AssetKey]) -> list[dg.AssetSpec]:
    """Sources that no step of a run makes (balances that earlier builds kept for closed months), as external assets."""
    translator = LayerTranslator()
    keys = {translator.get_asset_key(source): source for source in read_manifest(project)["sources"].values()}
    return [
        dg.AssetSpec(key, group_name="landing", description=source.get("description") or None, kinds={"duckdb"})
        for key, source in sorted(keys.items())
        if key not in known
    ]
