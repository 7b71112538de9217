"""A failing row in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TIE_OUT = ("tie_out", "as_of", "entity_id", "property_id", "ledger_party", "difference")


def break_text(row: Mapping[str, Any]) -> str:
    """A difference of a tie-out that stands from a day on: both sides on the first day, and where to look first."""
    days = f"on {row['first_on']}"
    if row["days"] > 1:
        more = row["days"] - 1
        days += f" and {more} more day{'s' if more > 1 else ''} to {row['last_on']}"
    sides = ", ".join(f"{row[f'{side}_label']} {row[f'{side}_amount']}" for side in ("left", "right"))
    party = f", party {row['ledger_party']}" if row["ledger_party"] else ""
    subject = f", {row['subject']}" if row["subject"] else ""
    return (
        f"{row['tie_out']} differs by {row['difference']} {days}, property {row['property_id'] or '(none)'},"
        f" entity {row['entity_id'] or '(none)'}{party}{subject}: {sides};"
        f" look at {row['look_at'] or '(no single entry explains it)'}"
    )


def row_text(row: Mapping[str, Any]) -> str:
    """The row's own message; a tie-out with its day, place, both sides and where to look; else its columns."""
    if row.get("message"):
        return str(row["message"])
    if all(name in row for name in _TIE_OUT):
        where = ("as_of", "entity_id", "property_id", "ledger_party", "subject")
        place = " ".join(str(row[name]) for name in where if row.get(name) is not None)
        sides = ", ".join(
            f"{row.get(f'{side}_label') or side} {row.get(f'{side}_amount')}" for side in ("left", "right")
        )
        look = f"; look at {row['look_at']}" if row.get("look_at") else ""
        return f"{row['tie_out']}: {place}: {sides}, difference {row['difference']}{look}"
    return ", ".join(f"{name} {value}" for name, value in row.items() if value is not None)
