"""The models of the dbt project and the build that readers see."""

import dagster as dg

from orchestration.components.published import published_build
from orchestration.components.warehouse import source_specs, warehouse_assets
from orchestration.defs.landing import tables
from orchestration.resources import dbt

project = dbt.parsed()
models = warehouse_assets(project)
kept = source_specs(project, known=set(tables.keys))
build = published_build(key for key in models.keys if key.path[0] == "marts")

defs = dg.Definitions(assets=[*kept, models, build])
