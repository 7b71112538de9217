"""Everything that Dagster shows: files -> landing -> warehouse -> published build.

Open `orchestration.defs` for what exists and `orchestration.components` for how it is built. One process does a whole
run, because a DuckDB file has one writer; the home's lock keeps a second run out.
"""

import dagster as dg

from orchestration.pipeline import telemetry_off

telemetry_off()

from orchestration.defs import landing, occasions, warehouse  # noqa: E402
from orchestration.resources.home import HomeResource  # noqa: E402

defs = dg.Definitions.merge(
    landing.defs,
    warehouse.defs,
    occasions.defs,
    dg.Definitions(resources={"home": HomeResource()}, executor=dg.in_process_executor),
)
