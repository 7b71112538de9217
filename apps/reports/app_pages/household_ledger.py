"""Household ledger: one account, entry by entry, with what paid what, what is open and how old it is."""

from __future__ import annotations

from collections import defaultdict
from html import escape

import streamlit as st

from apps.documents import words
from apps.documents.statement import StatementRefused, draw, statement_of
from apps.reports.published import Row
from apps.reports.views import frame
from apps.reports.views.tables import Column, Html, csv_bytes, facts, table

REASONS = {
    "return": "payment returned",
    "charge_reversal": "charge reversed",
    "correction": "played again with what became known",
    "recovery": "write-off recovered",
}

reader = frame.open_page(
    "Household ledger",
    "Every charge, payment and credit of a household with the balance after each: what paid what, and what is open.",
)

typed = st.text_input(
    "Find a lease, resident, unit or property",
    key="find",
    bind="query-params",
    placeholder="Part of a name or id",
    max_chars=100,
    width=420,
)
lease_id = st.query_params.get("lease")
source_system = st.query_params.get("source")

if typed.strip():
    found = reader.query("lease_search", words=typed.strip())
    if not found:
        frame.callout("No lease found.", f"Nothing holds “{typed.strip()}”.", quiet=True)
    else:
        shown = (
            f"{len(found)} of {found[0]['found']:,} leases" if found[0]["found"] > len(found) else f"{len(found)} found"
        )
        st.html(
            table(
                found,
                [
                    Column(
                        "lease_id", "Lease", href=lambda row: frame.ledger_link(row["lease_id"], row["source_system"])
                    ),
                    Column("resident_names", "Household"),
                    Column("unit_number", "Unit"),
                    Column("property_name", "Property"),
                    Column("move_out_on", "Moved out", "day"),
                    Column("currency", "Currency"),
                    Column("balance", "Balance", "money"),
                ],
                caption=f"{shown}, the lease named exactly first, then by what is owed",
            )
        )

if not lease_id:
    if not typed.strip():
        frame.callout("No household chosen.", "Type part of a name, a lease or a unit above.", quiet=True)
    st.stop()

leases = reader.query("lease", lease_id=lease_id, source_system=source_system)
if not leases:
    frame.callout("No such lease.", f"{lease_id} is not in the published build.")
    st.stop()
if len(leases) > 1:
    frame.callout(
        "Several leases have this id.", "They come from different source systems: choose one below.", quiet=True
    )
    st.html(
        table(
            leases,
            [
                Column("lease_id", "Lease", href=lambda row: frame.ledger_link(row["lease_id"], row["source_system"])),
                Column("source_system", "Source system"),
                Column("resident_names", "Household"),
                Column("property_name", "Property"),
            ],
            caption="Leases with this id",
        )
    )
    st.stop()

lease = leases[0]
currency = lease["currency"] or ""
place = " · ".join(
    part
    for part in (
        f"Unit {lease['unit_number']}" if lease["unit_number"] else "",
        str(lease["property_name"] or ""),
        f"Lease {lease['lease_id']}",
        f"moved out {words.short_day(lease['move_out_on'])}" if lease["move_out_on"] else "",
    )
    if part
)
st.html(
    f'<h2 class="t-heading"><span class="t-name">{escape(lease["resident_names"] or "Household")}</span></h2>'
    f'<div class="t-place">{escape(place)}</div>'
)

parties = [
    row["ledger_party"]
    for row in reader.query("ledger_parties", source_system=lease["source_system"], lease_id=lease["lease_id"])
]
if not parties:
    frame.callout("No entries yet.", "Nothing has been posted to this household.", quiet=True)
    st.stop()
party = "resident" if "resident" in parties else parties[0]
if len(parties) > 1:
    asked = st.query_params.get("party")
    party = st.segmented_control(
        "Share of",
        parties,
        format_func=lambda key: words.PARTIES[key],
        default=asked if asked in parties else party,
        required=True,
    )
account = {"source_system": lease["source_system"], "lease_id": lease["lease_id"], "ledger_party": party}

build = reader.one("build") or {}
aging = reader.one("aging_of_account", **account, as_of=build.get("as_of"))
if aging:
    st.html(
        facts(
            [
                (
                    "Balance owed" if aging["balance"] >= 0 else "Owed to them",
                    words.money(abs(aging["balance"]), currency),
                ),
                ("Open charges", words.money(aging["open_total"], currency)),
                ("of it rent", words.money(aging["rent_open"], currency)),
                ("Unapplied credit", words.money(aging["unapplied_credit"], currency)),
            ]
        )
    )
    st.html(
        table(
            [aging],
            [
                *(Column(key, label, "money") for key, label in words.BUCKETS.items()),
                Column("open_total", "Open", "money"),
                Column("unapplied_credit", "Unapplied credit", "money"),
                Column("balance", "Balance", "money"),
            ],
            caption=f"How old it is on {words.short_day(aging['as_of'])}, in {currency}",
        )
    )

entries = reader.query("ledger_entries", **account)
by_charge: dict[tuple[str, str], list[Row]] = defaultdict(list)
by_source: dict[tuple[str, str], list[Row]] = defaultdict(list)
for row in reader.query("ledger_applications", **account):
    by_charge[(row["target_kind"], row["charge_id"])].append(row)
    by_source[(row["source_kind"], row["source_id"])].append(row)


def rule(row: Row) -> str:
    """The rules that led money here: the policy's and, where a law orders first, the law's."""
    named = [f"{row[key]} v{row[f'{key[:-3]}_version']}" for key in ("law_rule_id", "rule_id") if row[key]]
    return f" · rule {', '.join(named)}" if named else ""


def line(row: Row, other: str) -> str:
    why = f", {REASONS.get(row['reason'], row['reason'])}" if row["reason"] else rule(row)
    figure = words.amount(row["amount"])
    return f"<li>{row['applied_on'].isoformat()}: {escape(f'{figure} {other}{why}')}</li>"


def what(entry: Row) -> Html:
    """The entry in words, with its service period, and under it what paid it or what it paid."""
    shown = escape(words.entry_title(entry))
    if entry["service_from"] and entry["service_to"]:
        shown += f" <small>{escape(words.span(entry['service_from'], entry['service_to']))}</small>"
    if entry["is_future"]:
        shown += " <small>dated after the day of this build: in no figure of today</small>"
    if entry["amount"] >= 0:
        parts = [
            line(row, f"from {row['source_description'] or row['source_kind']} ({row['source_id']})")
            for row in by_charge.get((entry["kind"], entry["source_id"]), [])
        ]
        head = "What paid it"
    else:
        parts = [
            line(row, f"to {row['charge_description'] or 'charge'} ({row['charge_id']})")
            for row in by_source.get((entry["kind"], entry["source_id"]), [])
        ]
        head = "What it paid"
    if parts:
        shown += f"<details><summary>{head}</summary><ul>{''.join(parts)}</ul></details>"
    return Html(shown)


def left_over(entry: Row) -> Html:
    if entry["open_amount"]:
        return Html(f"{escape(words.amount(entry['open_amount']))} <small>open</small>")
    if entry["waiting_amount"]:
        return Html(f"{escape(words.amount(entry['waiting_amount']))} <small>waiting</small>")
    return Html("")


PLAIN = [
    Column("entry_on", "Date", "day"),
    Column("accounting_on", "Accounting date", "day"),
    Column("kind", "Kind"),
    Column("source_id", "Id"),
    Column("charge_code", "Charge code"),
    Column("description", "Description"),
    Column("due_on", "Due", "day"),
    Column("amount", "Amount", "money"),
    Column("running_balance", "Balance", "money"),
]
frame.heading("Ledger", f"{len(entries):,} entries, amounts in {currency}")
left, middle, right = st.columns([2, 2, 5], vertical_alignment="bottom")
months = [row["period"] for row in reader.query("ledger_months", **account)]
month = left.selectbox("Statement for", months, key="month")
try:
    statement = statement_of(reader, lease["lease_id"], month, lease["source_system"], party)
except StatementRefused as refused:
    frame.callout("This statement cannot be drawn.", str(refused))
else:
    middle.download_button(
        "Download statement",
        data=lambda: draw(statement),
        file_name=f"statement-{lease['lease_id']}-{month}.pdf",
        mime="application/pdf",
        on_click="ignore",
    )
right.download_button(
    "Download ledger as CSV",
    data=csv_bytes(entries, PLAIN, reader.build.incomplete),
    file_name=f"ledger-{lease['lease_id']}.csv",
    mime="text/csv",
    on_click="ignore",
)

COLUMNS = [
    Column("entry_on", "Date", "day"),
    Column("what", "Entry"),
    Column("source_id", "Id"),
    Column("booked", "Booked in", "day"),
    Column("charge", "Charge", "money"),
    Column("credit", "Payment or credit", "money"),
    Column("running_balance", "Balance", "money"),
    Column("left", "Open or waiting", "money"),
]
if all(row["accounting_on"] == row["entry_on"] for row in entries):
    COLUMNS = [column for column in COLUMNS if column.key != "booked"]
undone = {row["reverses_id"] for row in entries if row["kind"] == "charge_reversal"}
st.html(
    table(
        [
            {
                **row,
                "what": what(row),
                "left": left_over(row),
                "booked": row["accounting_on"] if row["accounting_on"] != row["entry_on"] else None,
            }
            for row in entries
        ],
        COLUMNS,
        caption="By the day from which an entry counts. Entries are never edited: a mistake is undone by another entry",
        row_class=lambda row: "undone" if row["kind"] in ("charge", "credit") and row["source_id"] in undone else "",
    )
)
if party == "resident":
    frame.heading("Rent arrears by month", "payments applied to the earliest rent owing")
    arrears = reader.query("arrears_of_lease", source_system=lease["source_system"], lease_id=lease["lease_id"])
    if arrears:
        st.html(
            table(
                arrears,
                [
                    Column("period_from", "From", "day"),
                    Column("period_to", "To", "day"),
                    Column("rent_charged", "Rent", "money"),
                    Column("rent_paid", "Paid", "money"),
                    Column("rent_owing", "Owing", "money"),
                    Column("excluded_charges", "Charges not claimed", "money"),
                    Column("claimable", "Claimable", "money"),
                ],
                caption=f"Amounts in {currency}, on the day the build stands at",
            )
        )
    else:
        st.html('<p class="t-place">No rent has fallen due yet.</p>')
