"""Landing assets: one per table of the contract, made by one step, each with a blocking check.

All tables are landed in one transaction, so they are one step: there is no state in which a payment has arrived and
its lease has not. The checks are the Great Expectations suites of the door, run in the same process (its import costs
about four seconds, once), grouped by table; a failed one stops everything after it.
"""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from orchestration import pipeline
from orchestration.contract import contract
from orchestration.expectations import expectation_names
from orchestration.resources.home import HomeResource, failures_in_words

LANDING_FOLDER = dg.AssetKey(["files", "landing_folder"])
CLOSING_BOOK = dg.AssetKey(["files", "closing_book"])
POSTING_BOOK = dg.AssetKey(["files", "posting_book"])
CHECK = "is_as_declared"

BOOKKEEPING = {
    "batches": "A row per file that was landed or refused: its sha256, rows and amount as the reader counted them.",
    "verdicts": "What became of every landed row, and when: loaded, duplicate, quarantined or rejected by a person.",
    "batch_days": "The days that the rows of a file count on: what came, to be held against what was expected.",
    "batch_outcomes": "Rows and amounts of every batch by verdict: the other side of what was landed.",
    "skipped_rows": "Rows of files read through a profile that are no data, each under the rule that set it aside.",
    "quarantine": "Rows that wait, each with its reason, what was found and what to do.",
    "suspense_resolutions": "Payments that came before their lease was known, and when it became known.",
}


class LandingConfig(dg.Config):
    """Which folder is read."""

    folder: str = ""
    """A folder of files named after their tables; empty: the folder that the home watches."""
    must_load: bool = False
    """Fail when the folder holds no file that can be loaded (a run by hand), instead of building what is there."""
    waiting_rows_only: bool = False
    """Read no files: judge the rows in quarantine again and build."""
    install_rules: bool = False
    """Land the rules that come with the product first."""


def landing_key(table: str) -> dg.AssetKey:
    return dg.AssetKey(["landing", table])


def landing_assets() -> dg.AssetsDefinition:
    """The step that lands files. Metadata of each asset: its files, rows landed and accepted, rows in quarantine."""
    described = {table.name: table.description for table in contract()} | BOOKKEEPING

    @dg.multi_asset(
        name="landing",
        specs=[
            dg.AssetSpec(
                landing_key(name),
                deps=[LANDING_FOLDER, CLOSING_BOOK, POSTING_BOOK],
                group_name="landing",
                description=description,
                kinds={"duckdb"},
            )
            for name, description in described.items()
        ],
        can_subset=False,
    )
    def landing(
        context: dg.AssetExecutionContext, config: LandingConfig, home: HomeResource
    ) -> Iterator[dg.MaterializeResult]:
        with failures_in_words():
            run = home.run(context.run.run_id)
            folder = None if config.waiting_rows_only else Path(config.folder) if config.folder else home.home.landing
            if folder is not None and not config.must_load and not _holds_files(folder):
                context.log.info(f"{folder} holds no files; the rows in quarantine are judged again")
                folder = None
            if config.install_rules:
                pipeline.land_shipped_rules(run)
            report = pipeline.load(run, folder)
        for refused in report.refused:
            context.log.warning(f"refused: {refused.message}")
        for left in report.left_alone:
            context.log.info(f"{left.file}: {left.message}")
        for skipped in report.skipped:
            context.log.info(f"{skipped.file}: {skipped.message}")
        for batch in report.batches:
            if batch.unknown_columns:
                context.log.info(f"{batch.file}: kept aside {', '.join(batch.unknown_columns)}")
        batches = [*(run.shipped.batches if run.shipped else ()), *report.batches]
        waiting = pipeline.waiting_by_table(run.home)
        for name in described:
            mine = [batch for batch in batches if batch.table == name]
            yield dg.MaterializeResult(
                asset_key=landing_key(name),
                metadata={
                    "files": len(mine),
                    "file_names": [batch.file for batch in mine],
                    "rows_landed": sum(batch.rows for batch in mine),
                    "rows_in_quarantine": waiting.get(name, 0),
                }
                if name not in BOOKKEEPING
                else {},
            )

    return landing


def landing_checks() -> dg.AssetChecksDefinition:
    """One blocking check per table that has expectations, all run by one step."""
    tables = list(dict.fromkeys(table for table, _ in expectation_names()))

    @dg.multi_asset_check(
        name="landing_checks",
        specs=[
            dg.AssetCheckSpec(
                CHECK,
                asset=landing_key(name),
                blocking=True,
                description="The accepted rows are as the contract declares them (Great Expectations).",
            )
            for name in tables
        ],
        can_subset=False,
    )
    def check_landing(context: dg.AssetCheckExecutionContext, home: HomeResource) -> Iterator[dg.AssetCheckResult]:
        with failures_in_words():
            run = home.run(context.run.run_id)
            results = pipeline.validate(run)
        for name in tables:
            mine = [result for result in results if result.table == name]
            failed = [result for result in mine if not result.passed]
            yield dg.AssetCheckResult(
                asset_key=landing_key(name),
                check_name=CHECK,
                passed=not failed,
                description="\n".join(f"{result.name}: {result.message}" for result in failed) or None,
                metadata={"expectations": len(mine), "failed": [result.name for result in failed]},
            )
        with failures_in_words():
            pipeline.stop_if_unexpected(run)

    return check_landing


def _holds_files(folder: Path) -> bool:
    """Whether there is anything to land: a profile alone is not."""
    profiles = folder / "profiles"
    return folder.is_dir() and any(path.is_file() and profiles not in path.parents for path in folder.rglob("*"))
