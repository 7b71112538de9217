"""The posting book: what is due as rows of the landing contract, written before it is landed like any file."""

from pathlib import Path

import dagster as dg

from orchestration.components.landing import POSTING_BOOK
from orchestration.resources.home import HomeResource, failures_in_words


class PostingConfig(dg.Config):
    """What is posted, and where the rows are written for the landing step of the same run."""

    kinds: list[str]
    property_id: str = ""
    days_ahead: int = 0
    since: str = ""
    recorded_at: str
    """The moment of the run, ISO with offset."""
    folder: str


def posting_book() -> dg.AssetsDefinition:
    """The asset `files/posting_book`: charges, lines and runs of what the published build says is due."""

    @dg.asset(
        key=POSTING_BOOK,
        group_name="files",
        description="What posting runs turned into charges, as files: a row a run, a line for all it selected.",
    )
    def book(context: dg.AssetExecutionContext, config: PostingConfig, home: HomeResource) -> dg.MaterializeResult:
        from orchestration.posting.post import Wanted, write_runs

        with failures_in_words():
            asked = Wanted(tuple(config.kinds), config.property_id, config.days_ahead, config.since)
            posted = write_runs(home.home, asked, config.recorded_at, Path(config.folder))
        return dg.MaterializeResult(
            metadata={"runs": posted.runs, "charges": posted.charges, "skipped": posted.skipped, "text": posted.text()}
        )

    return book
