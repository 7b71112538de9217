"""The quarantine as a place of work: what waits, for what reason, for how long, and from which file."""

from __future__ import annotations

from html import escape

import streamlit as st

from apps.reports.views import frame
from apps.reports.views.tables import Column, Html, csv_bytes, table

reader = frame.open_page(
    "Quarantine",
    "Rows of files that could not be used yet. They are in no figure, and are judged again at every build.",
)

reasons = reader.query("quarantine_by_reason")
if not reasons:
    st.html('<p class="t-place">Empty: every row of every file is in the books or is a duplicate.</p>')
    st.stop()

FIGURES = [
    Column("rows_waiting", "Rows", "count"),
    Column("amount", "Amount", "money"),
    Column("rows_without_amount", "Rows without an amount", "count"),
    Column("waiting_days", "Oldest, days", "count"),
]
frame.heading("By reason and age")
st.html(
    table(
        [{**row, "words": str(row["reason"]).replace("_", " ").capitalize()} for row in reasons],
        [Column("words", "What is wrong", wraps=False), Column("age_bucket", "Days waited", wraps=False), *FIGURES],
        caption="Days from the run that first saw a row to the load of this build; the oldest first",
    )
)
frame.heading("By file")
st.html(
    table(
        reader.query("quarantine_by_file"),
        [
            Column("source_system", "Source system"),
            Column("table_name", "Table"),
            Column("file", "File"),
            *FIGURES,
        ],
        caption="The file with most rows first",
    )
)
frame.heading("The rows")
frame.callout(
    "To have rows corrected:",
    "`tieout quarantine export --out FILE.xlsx` writes them to a workbook; filled in, it comes back with "
    "`tieout quarantine return FILE.xlsx --by NAME`. One row is decided by name with "
    "`tieout quarantine resolve ID --by NAME --reason TEXT`.",
    quiet=True,
)
rows = reader.query("quarantine_rows")
PLAIN = [
    Column("quarantine_id", "Id"),
    Column("source_system", "Source system"),
    Column("file", "File"),
    Column("row_number", "Row", "count"),
    Column("table_name", "Table"),
    Column("reason", "Reason"),
    Column("detail", "Found, expected, what to do"),
    Column("amount", "Amount", "money"),
]
st.html(
    table(
        [{**row, "key": Html(f"<code>{escape(str(row['quarantine_id']))}</code>")} for row in rows],
        [Column("key", "Id"), *PLAIN[2:5], *PLAIN[6:]],
        caption="The first 200 rows, by file and row",
    )
)
st.download_button(
    "Download these rows as CSV",
    data=csv_bytes(rows, PLAIN, reader.build.incomplete),
    file_name=f"quarantine-build-{reader.build.number}.csv",
    mime="text/csv",
    on_click="ignore",
)
