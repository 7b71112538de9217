"""The published build: the last step of a run, after every check has passed."""

from collections.abc import Iterable

import dagster as dg

from orchestration import pipeline
from orchestration.publishing.publish import check_published
from orchestration.resources.home import HomeResource, failures_in_words

PUBLISHED = dg.AssetKey(["published", "build"])


def published_build(upstream: Iterable[dg.AssetKey]) -> dg.AssetsDefinition:
    """The asset `published/build`: the file that readers open, its manifest and its table hashes."""

    @dg.asset(
        key=PUBLISHED,
        deps=sorted(upstream),
        group_name="published",
        kinds={"duckdb"},
        description="The published build: readers see the whole of it or the whole of the one before.",
        check_specs=[
            dg.AssetCheckSpec(
                "reads_back_identical",
                asset=PUBLISHED,
                description="Opened as a reader opens it, every table has the hash that the manifest promises.",
            )
        ],
    )
    def publish(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
        with failures_in_words():
            run = home.run(context.run.run_id)
            build = pipeline.publish_build(run)
            differing = check_published(run.home)
        manifest = build.manifest
        return dg.MaterializeResult(
            metadata={
                "build": build.number,
                "file": dg.MetadataValue.path(str(build.path)),
                "as_of": manifest["as_of"],
                "loaded_at": manifest["loaded_at"],
                "code_version": manifest["code_version"],
                "incomplete": manifest["incomplete"],
                "tables": dg.MetadataValue.json(manifest["tables"]),
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="reads_back_identical", passed=not differing, metadata={"differing": sorted(differing)}
                )
            ],
        )

    return publish
