"""Completeness: what was promised against what came, and the sources' own totals against ours."""

from __future__ import annotations

import streamlit as st

from apps.reports.published import Row
from apps.reports.views import frame
from apps.reports.views.tables import Column, Html, table

STATES = {
    "arrived": ("good", "Arrived"),
    "late": ("good", "Arrived late"),
    "expected": ("plain", "Not due yet"),
    "refused": ("bad", "Refused"),
    "missing": ("bad", "Missing"),
    "ties": ("good", "Ties"),
    "differs": ("bad", "Differs"),
}
CAUSES = {
    "missing_batch": "Not arrived",
    "refused_file": "File refused",
    "control_total_differs": "Total differs",
}


def state(row: Row) -> Html:
    """How it stands, in words; the colour only repeats them."""
    colour, said = STATES[row["status"]]
    return Html(f'<span class="t-state {colour}">{said}</span>')


reader = frame.open_page(
    "Completeness",
    "What the sources promised, what came, and whether their own totals are the ones found here.",
)

frame.heading("What is missing")
causes = reader.query("incomplete_causes")
if causes:
    st.html(
        table(
            [{**row, "why": CAUSES[row["cause"]]} for row in causes],
            [
                Column("why", "Cause", wraps=False),
                Column("table_name", "Table"),
                Column("entity_id", "Entity"),
                Column("property_id", "Property"),
                Column("period_from", "From", "day"),
                Column("period_to", "To", "day"),
                Column("message", "Found, expected, what to do"),
            ],
            caption="Where entity, property or days are empty, all of them may be touched",
        )
    )
else:
    st.html('<p class="t-place">Nothing: whatever was promised and is due has come, and every total agrees.</p>')

frame.heading("What was promised")
promised = reader.query("batch_expectations")
if promised:
    st.html(
        table(
            [{**row, "state": state(row)} for row in promised],
            [
                Column("source_system", "Source system"),
                Column("table_name", "Table"),
                Column("entity_id", "Entity"),
                Column("property_id", "Property"),
                Column("period_from", "From", "day"),
                Column("period_to", "To", "day"),
                Column("due_on", "Due", "day"),
                Column("arrived_on", "Arrived", "day"),
                Column("batches", "Files", "count"),
                Column("state", "State", wraps=False),
            ],
            caption="What is missing first, then the newest periods; the first 200",
        )
    )
else:
    frame.callout(
        "Nothing was promised.",
        "Without a promise nobody can say what is missing. Land a file `expected_batches.csv`: table_name, "
        "period_grain, due_days, valid_from, and whose it is.",
        quiet=True,
    )

frame.heading("Totals of the sources' own reports")
totals = reader.query("control_totals")
if totals:
    st.html(
        table(
            [{**row, "state": state(row)} for row in totals],
            [
                Column("as_of", "Day", "day"),
                Column("subject", "Total"),
                Column("left_amount", "The report says", "money"),
                Column("right_amount", "Found here", "money"),
                Column("difference", "Difference", "money"),
                Column("state", "State", wraps=False),
                Column("look_at", "Look at"),
            ],
            caption="What differs first; the first 200. A difference is a finding, never rounding",
        )
    )
else:
    st.html('<p class="t-place">None was landed: see the table control_totals.</p>')
