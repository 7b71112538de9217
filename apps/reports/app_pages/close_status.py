"""Close status: what is closed, what waits for its close, and what stands in the way of it."""

from __future__ import annotations

from collections import Counter
from html import escape

import streamlit as st

from apps.documents import words
from apps.reports.published import Row
from apps.reports.views import frame
from apps.reports.views.tables import Column, Html, table, written

RECENT = 12

reader = frame.open_page(
    "Close status",
    "Which months are closed, which wait, and what still has to be cleared up before they can be.",
)


def state(row: Row) -> Html:
    """How a month stands, in words; the colour only repeats them."""
    if row["is_closed"]:
        return Html('<span class="t-state good">Closed</span>')
    if row["tie_outs_that_differ"]:
        return Html('<span class="t-state bad">Does not tie</span>')
    if row["is_over"] and row["incomplete_causes"]:
        return Html('<span class="t-state bad">Incomplete</span>')
    if row["is_over"]:
        return Html('<span class="t-state wait">Ready to close</span>')
    return Html('<span class="t-state plain">Running</span>')


entities = reader.query("close_entities")
if not entities:
    frame.callout("No months yet.", "The published build holds no entries.", quiet=True)
    st.stop()

# Two source systems may call two entities by one id: then each is named with its system.
shared = {entity_id for entity_id, count in Counter(row["entity_id"] for row in entities).items() if count > 1}
named = {}
for row in entities:
    key, name = row["entity_id"], row["entity_name"] or row["entity_id"]
    if row["entity_id"] in shared:
        key, name = f"{row['source_system']}:{key}", f"{name} ({row['source_system']})"
    named[key] = {**row, "name": name}

frame.heading("Entities")
st.html(
    table(
        list(named.values()),
        [
            Column("name", "Entity"),
            Column("last_closed", "Closed through", "day"),
            Column("next_to_close", "Next to close", "day"),
            Column("months_to_close", "Months waiting", "count"),
            Column("tie_outs_that_differ", "Tie-outs that differ", "count"),
            Column("late_arrivals", "Late arrivals", "count"),
        ],
        caption="Every entity whose books are in this build",
    )
)

entity = named[frame.choice(st, "Entity", {key: row["name"] for key, row in named.items()}, "entity", width=360)]
whose = {"source_system": entity["source_system"], "entity_id": entity["entity_id"]}

frame.heading("Months", entity["name"])
months = reader.query("close_months", **whose)
MONTHS = [
    Column("period", "Month", "day"),
    Column("state", "State"),
    Column("tie_outs", "Tie-outs compared", "count"),
    Column("tie_outs_that_differ", "that differ", "count"),
    Column("late_arrivals", "Late arrivals", "count"),
    Column("late_arrivals_amount", "their amount", "money"),
    Column("closed", "Closed"),
]
shown = [
    {
        **row,
        "state": state(row),
        "closed": f"{written(row['closed_at'])} UTC by {row['closed_by']}" if row["is_closed"] else "",
    }
    for row in months
]
first = max(RECENT, sum(not row["is_closed"] for row in months))
st.html(
    table(
        shown[:first],
        MONTHS,
        caption="Newest month first. Late arrivals are booked in this month but dated in one that was closed",
    )
)
if shown[first:]:
    with st.expander(f"Earlier months ({len(shown) - first})"):
        st.html(table(shown[first:], MONTHS, caption="Newest month first"))
ready = [row["period"] for row in reversed(months) if row["is_over"] and not row["is_closed"]]
if ready:
    source = f" --source {entity['source_system']}" if entity["entity_id"] in shared else ""
    frame.callout(
        f"Next: {ready[0]}.",
        f"When its tie-outs agree: `tieout close --entity {entity['entity_id']}{source} --period {ready[0]} --by NAME`",
        quiet=True,
    )

differing = reader.query("tie_outs_that_differ", **whose)
frame.heading("Tie-outs that differ")
if differing:
    st.html(
        table(
            [
                {
                    **row,
                    "name": str(row["tie_out"]).replace("_", " "),
                    "party": words.PARTIES.get(row["ledger_party"], row["ledger_party"]),
                }
                for row in differing
            ],
            [
                Column("name", "Tie-out"),
                Column("property_id", "Property"),
                Column("party", "Party"),
                Column("first_on", "From", "day"),
                Column("last_on", "To", "day"),
                Column("left_label", "One side"),
                Column("left_amount", "Amount", "money"),
                Column("right_label", "Other side"),
                Column("right_amount", "Amount", "money"),
                Column("difference", "Difference", "money"),
            ],
            caption="As on the last of these days. A difference is a bug or a finding, never rounding",
        )
    )
else:
    st.html('<p class="t-place">None: every comparison of this entity agrees to the cent.</p>')

frame.heading("Late arrivals")
late = reader.query("late_arrivals", **whose)
if late:
    st.html(
        table(
            [{**row, "what": words.KINDS.get(row["kind"], row["kind"])} for row in late],
            [
                Column("entry_on", "Dated", "day"),
                Column("accounting_on", "Booked on", "day"),
                Column("recorded_at", "Known (UTC)", "day"),
                Column("what", "Entry"),
                Column("source_id", "Id"),
                Column(
                    "lease_id",
                    "Lease",
                    href=lambda row: (
                        frame.ledger_link(row["lease_id"], row["source_system"], row["ledger_party"])
                        if row["lease_id"]
                        else None
                    ),
                ),
                Column("amount", "Amount", "money"),
            ],
            caption="Dated in a month closed when they became known, so booked in the first open one; the newest 200",
        )
    )
else:
    st.html('<p class="t-place">None: nothing was dated into a closed month.</p>')

frame.heading("Quarantine", "rows of files that could not be used yet, of all entities")
reasons = reader.query("quarantine_reasons")
if reasons:
    st.html(
        table(
            [{**row, "words": str(row["reason"]).replace("_", " ").capitalize()} for row in reasons],
            [
                Column("words", "What is wrong", wraps=False),
                Column("rows_waiting", "Rows", "count"),
                Column("amount", "Amount", "money"),
                Column("rows_without_amount", "Rows without an amount", "count"),
                Column("example", "For example, and what to do"),
            ],
            caption="Judged again at every build: a row is used as soon as nothing is wrong with it any more",
        )
    )
    with st.expander("The rows, and how to settle one"):
        frame.callout(
            "To settle a row:",
            "see the page Quarantine: by a corrected row, or by name with "
            "`tieout quarantine resolve ID --by NAME --reason TEXT`",
            quiet=True,
        )
        st.html(
            table(
                [
                    {**row, "key": Html(f"<code>{escape(str(row['quarantine_id'])[:12])}</code>")}
                    for row in reader.query("quarantine_rows")
                ],
                [
                    Column("key", "Id"),
                    Column("file", "File"),
                    Column("row_number", "Row", "count"),
                    Column("table_name", "Table"),
                    Column("detail", "Found, expected, what to do"),
                    Column("amount", "Amount", "money"),
                ],
                caption="The first 200 rows, by file and row",
            )
        )
else:
    st.html('<p class="t-place">Empty: every row of every file is in the books or is a duplicate.</p>')
