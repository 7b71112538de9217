"""Files and the tables they are landed in."""

import dagster as dg

from orchestration.components.closing import closing_book
from orchestration.components.landing import LANDING_FOLDER, landing_assets, landing_checks
from orchestration.components.posting import posting_book

landing_folder = dg.AssetSpec(
    LANDING_FOLDER,
    group_name="files",
    description="Files as other systems export them, named after their table (charges-2026-10.csv).",
)
book = closing_book()
postings = posting_book()
tables = landing_assets()
checks = landing_checks()

defs = dg.Definitions(assets=[landing_folder, book, postings, tables], asset_checks=[checks])
