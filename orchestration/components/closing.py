"""The closing book: months that people close, written down before they are landed like any other file."""

import dagster as dg

from orchestration.components.landing import CLOSING_BOOK
from orchestration.resources.home import HomeResource, failures_in_words


class MonthConfig(dg.Config):
    """A month of an entity."""

    entity_id: str
    period: str
    """As in 2026-10."""
    source_system: str = "default"


class ClosingConfig(dg.Config):
    """Which months are closed, by whom and when."""

    months: list[MonthConfig]
    closed_by: str
    reviewed_by: str = ""
    accept: str = ""
    """Why differences are accepted; empty: a difference refuses the close."""
    closed_at: str
    """The moment of the close, ISO with offset."""
    folder: str
    """Where the rows are written for the landing step of the same run."""


def closing_book() -> dg.AssetsDefinition:
    """The asset `files/closing_book`: refuses what may not be closed, else writes closes/ and the rows to land."""

    @dg.asset(
        key=CLOSING_BOOK,
        group_name="files",
        description="Months that were closed by hand, as files: who closed them, when, on which build.",
    )
    def book(context: dg.AssetExecutionContext, config: ClosingConfig, home: HomeResource) -> dg.MaterializeResult:
        from orchestration.closing.close import Decision, Month, write_book

        with failures_in_words():
            months = [Month(month.source_system, month.entity_id, month.period) for month in config.months]
            decision = Decision(config.closed_by, config.reviewed_by, config.accept, config.closed_at)
            paths = write_book(home.home, months, decision, config.folder)
        return dg.MaterializeResult(
            metadata={"months": [str(month) for month in months], "files": [str(p) for p in paths]}
        )

    return book
