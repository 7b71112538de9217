"""The models of the dbt project and the build that readers see."""

import dagster as dg

from orchestration.components.published import published_build
from orchestration.components.warehouse import read_manifest, source_specs, warehouse_assets
from orchestration.defs.landing import tables

manifest = read_manifest()
models = warehouse_assets(manifest)
kept = source_specs(manifest, known=set(tables.keys))
build = published_build(models.keys)

defs = dg.Definitions(assets=[*kept, models, build])
