"""The closes of the past: each entity closed every month a few days after its end, in its own rhythm."""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.sample.book import Row
from orchestration.sample.days import LAST_CLOSED, next_month

# entity, first day of the next month on which it may close, moment in UTC (late afternoon there), closer, reviewer
RHYTHM = (
    ("birchline", 5, "T22:45:00Z", "M. Sandoval-Roth", "R. Okonjo-Vale"),
    ("cedarmain", 6, "T23:10:00Z", "T. Abernethy-Lund", "R. Okonjo-Vale"),
    ("lakeshore", 5, "T21:20:00Z", "C. Beaudry-Finch", "R. Okonjo-Vale"),
)


def closing_day(period: date, earliest: int) -> date:
    """The first weekday on or after the `earliest` day of the month after the period: between the 5th and the 8th."""
    day = next_month(period).replace(day=earliest)
    while day.weekday() >= 5:
        day += timedelta(days=1)
    return day


def period_closes() -> list[Row]:
    """A row per entity and month from October 2024 (the eve of the cut-over) to the last closed month."""
    rows: list[Row] = []
    period = date(2024, 10, 1)
    while (period.year, period.month) <= LAST_CLOSED:
        for entity, earliest, moment, closed_by, reviewed_by in RHYTHM:
            rows.append(
                {
                    "entity_id": entity,
                    "period": f"{period:%Y-%m}",
                    "closed_at": f"{closing_day(period, earliest).isoformat()}{moment}",
                    "closed_by": closed_by,
                    "reviewed_by": reviewed_by,
                }
            )
        period = next_month(period)
    return rows
