"""Aging: what is owed and for how long, by entity, property and lease; waiting credit apart."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from html import escape
from typing import Any

import streamlit as st

from apps.documents import words
from apps.reports.published import Row
from apps.reports.views import charts, frame
from apps.reports.views.tables import Column, Html, csv_bytes, facts, table

PAGE_SIZE = 50
EVERYTHING = 1_000_000
BASES = {"business": "Business dates", "books": "Books"}
ORDERINGS = {"largest": "Largest balance", "oldest": "Longest overdue", "credit": "Largest credit", "lease": "Lease"}
ALL = "all"
ANOTHER = "another"
KNOWLEDGE = {"now": "Now: all that is loaded", "then": "At a moment"}
USUAL_EDGES = {(None, -1), (0, 30), (31, 60), (61, 90), (91, None)}

reader = frame.open_page(
    "Aging",
    "What is owed, by how long it has been due. Credit that waits to be used stands in a column of its own.",
)
entities = reader.query("aging_entities")
if not entities:
    frame.callout("Nothing to age yet.", "The published build holds no charges.", quiet=True)
    st.stop()

names = {row["entity_id"]: row["entity_name"] for row in entities}
currencies = {row["entity_id"]: row["currency"] or "" for row in entities}
first, second, third, fourth = st.columns([3, 2, 2, 3])
entity_id = frame.choice(first, "Entity", names, "entity")
days = [row["as_of"].isoformat() for row in reader.query("aging_days", entity_id=entity_id)]
any_day = reader.answers_any_day()
as_of = frame.choice(
    second, "As of the end of", {day: day for day in days} | ({ANOTHER: "Another day"} if any_day else {}), "day"
)
party = frame.choice(third, "Share of", {ALL: "Everyone", **words.PARTIES}, "party")
basis = fourth.segmented_control(
    "By",
    list(BASES),
    format_func=lambda key: BASES[key],
    default="business",
    required=True,
    key="basis",
    help="Business dates: the day from which an entry counts. Books: its accounting date, which a closed month keeps.",
)

known_at: datetime | None = None
is_reported = as_of != ANOTHER
if any_day:
    below = st.columns([3, 2, 2, 3])
    knowledge = frame.choice(below[0], "As known", KNOWLEDGE, "known")
    if not is_reported:
        as_of = frame.day(
            below[1], "Day", date.fromisoformat(days[0]), "on", last=date.fromisoformat(days[0])
        ).isoformat()
    if knowledge == "then":
        loaded_at = reader.build.loaded_at or datetime.now(UTC)
        latest = loaded_at.astimezone(UTC).replace(tzinfo=None, second=0, microsecond=0)
        known_at = frame.moment(below[2], "Known at (UTC)", latest, "at")
        frame.callout(
            f"As of {words.short_day(date.fromisoformat(as_of))}, as it was known at {known_at:%Y-%m-%d %H:%M} UTC.",
            "What the books learned later is left out, whatever day it counts from.",
            quiet=True,
        )


def ask(name: str, **more: Any) -> list[Row]:
    """A question about aging: of the reported days where that will do, else of the function for any day and moment."""
    if is_reported and known_at is None:
        return reader.query(name, **scope, **more)
    return reader.query_as_of(name, known_at=known_at, **scope, **more)


scope = {
    "entity_id": entity_id,
    "as_of": as_of,
    "basis": basis,
    "ledger_party": None if party == ALL else party,
}
currency = currencies[entity_id]
(total,) = ask("aging_total", property_id=None)

st.html(
    facts(
        [
            ("Open charges", words.money(total["open_total"], currency)),
            ("of it rent", words.money(total["rent_open"], currency)),
            ("Unapplied credit", words.money(total["unapplied_credit"], currency)),
            ("Balance", words.money(total["balance"], currency)),
            ("Accounts", f"{total['accounts']:,}"),
        ]
    )
)
if total["open_total"]:
    charts.aging_bars(ask("aging_chart", property_id=None), currency)

own = ask("aging_own_buckets")
if any((row["age_from"], row["age_to"]) not in USUAL_EDGES for row in own):
    frame.heading("In the buckets of this entity")
    st.html(
        table(
            own,
            [
                Column("bucket", "Days since due"),
                Column("rent_open", "Rent", "money"),
                Column("other_open", "Not rent", "money"),
                Column("open_amount", "Open", "money"),
            ],
            caption=f"Amounts in {currency}. The same open charges by the edges that {names[entity_id]} has set",
            total={**total, "bucket": "Total", "open_amount": total["open_total"]},
        )
    )

FIGURES = [
    *(Column(key, label, "money") for key, label in words.BUCKETS.items()),
    Column("open_total", "Open", "money"),
    Column("unapplied_credit", "Unapplied credit", "money"),
    Column("balance", "Balance", "money"),
]

frame.heading("By property")
properties = ask("aging_by_property")
st.html(
    table(
        properties,
        [Column("property_name", "Property"), *FIGURES],
        caption=f"Amounts in {currency}. Open less unapplied credit is the balance",
        total={**total, "property_name": "Total"},
    )
)

frame.heading("By lease")
left, middle, right = st.columns([3, 2, 2])
names_of_properties = {row["property_id"]: row["property_name"] for row in properties}
chosen = frame.choice(left, "Property", {ALL: "All properties", **names_of_properties}, "property")
ordering = frame.choice(middle, "Order", ORDERINGS, "order")
property_id = None if chosen == ALL else chosen
(part,) = ask("aging_total", property_id=property_id)
pages = max(1, math.ceil(part["accounts"] / PAGE_SIZE))
number = right.selectbox("Page", list(range(1, pages + 1)), format_func=lambda n: f"{n} of {pages}", key="page")

KEY = Column(
    "lease_id",
    "Lease",
    href=lambda row: frame.ledger_link(row["lease_id"], row["source_system"], row["ledger_party"]),
)
SHOWN = [KEY, Column("household", "Household"), *FIGURES]
PLAIN = [
    KEY,
    Column("resident_names", "Household"),
    Column("unit_number", "Unit"),
    Column("property_name", "Property"),
    Column("party", "Share of"),
    *FIGURES,
]


def household(row: Row) -> Html:
    """Who, and under it where: unit, property and, if not the resident's own, whose share."""
    where = [
        f"Unit {row['unit_number']}" if row["unit_number"] else "",
        "" if property_id else str(row["property_name"] or ""),
        "" if row["ledger_party"] == "resident" else words.PARTIES.get(row["ledger_party"], row["ledger_party"]),
    ]
    under = escape(" · ".join(part for part in where if part))
    return Html(f'{escape(row["resident_names"] or "")}<span class="under">{under}</span>')


def leases(page_size: int, skipped: int) -> list[Row]:
    found = ask(
        "aging_by_lease",
        property_id=property_id,
        ordering=ordering,
        page_size=page_size,
        skipped=skipped,
    )
    return [
        {**row, "party": words.PARTIES.get(row["ledger_party"], row["ledger_party"]), "household": household(row)}
        for row in found
    ]


st.html(
    table(
        leases(PAGE_SIZE, PAGE_SIZE * (number - 1)),
        SHOWN,
        caption=f"Amounts in {currency}. Accounts with something open or waiting: {part['accounts']:,}",
        total={**part, "lease_id": "Total" if pages == 1 else "Total of all pages"},
    )
)
st.download_button(
    "Download as CSV",
    data=lambda: csv_bytes(leases(EVERYTHING, 0), PLAIN, reader.build.incomplete),
    file_name=f"aging-{entity_id}-{as_of}.csv",
    mime="text/csv",
    on_click="ignore",
)
