"""Charts. Money is DOUBLE here and only here, cast by the query: a DECIMAL would be drawn a hundred times too high."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import streamlit as st

from apps.documents import words
from apps.reports.published import Row

ACCENT = "#1f5f5b"


def aging_bars(rows: Sequence[Row], currency: str) -> None:
    """One bar a bucket, its exact figure above it. Rows: bucket, amount (exact), drawn (double)."""
    bars = [
        {
            "Age": words.BUCKETS[row["bucket"]],
            "Open": row["drawn"],
            "Figure": words.money(row["amount"], currency),
            "Spoken": f"{words.BUCKETS[row['bucket']]}: {words.money(row['amount'], currency)}",
        }
        for row in rows
    ]
    base = alt.Chart(alt.Data(values=bars)).encode(
        x=alt.X("Age:N", sort=None, title=None, axis=alt.Axis(labelAngle=0, ticks=False, domainColor="#1d2624")),
        y=alt.Y("Open:Q", title=None, axis=alt.Axis(format=",.0f", tickCount=4, gridColor="#e3e9e7", domain=False)),
        tooltip=[alt.Tooltip("Age:N"), alt.Tooltip("Figure:N", title="Open")],
    )
    chart = alt.layer(
        base.mark_bar(color=ACCENT, size=56).encode(description="Spoken:N"),
        base.mark_text(dy=-8, color="#1d2624", fontSize=12).encode(text="Figure:N"),
    ).properties(height=220, usermeta={"embedOptions": {"renderer": "svg"}})
    spoken = ", ".join(bar["Spoken"] for bar in bars)
    st.altair_chart(chart, width="stretch", alt=f"Open charges by age: {spoken}")
