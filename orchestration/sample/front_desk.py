"""A file as a front desk sends it: a good row, one for suspense, one that the export already held, and nine that
the door must not guess about.

It is in the sample so that the first run shows what quarantine looks like and what to do about it.
"""

from __future__ import annotations

from orchestration.sample.book import Row, Tables

FILE = "payments-front-desk.csv"
COLUMNS = (
    "payment_id", "lease_id", "entity_id", "amount", "received_on", "channel", "method", "payer_kind",
    "payer_person_id", "designation", "designated_by", "settlement_account", "settled_on", "recorded_at",
)  # fmt: skip


def rows(tables: Tables) -> list[Row]:
    """The rows; leases and the id that is used twice are those of the town."""
    leases = [row["lease_id"] for row in tables["leases"] if "end_on" not in row or row["end_on"] == ""]
    known, sent = (row for row in tables["payments"][:2])
    said = "2026-11-03T16:40:00"

    def row(number: int, **values: str) -> Row:
        base = {
            "payment_id": f"fd-{number:03d}", "lease_id": leases[number], "entity_id": "", "amount": "25.00",
            "received_on": "2026-11-03", "channel": "office", "method": "money_order", "payer_kind": "resident",
            "recorded_at": said,
        }  # fmt: skip
        return base | values

    return [
        row(1),  # the good one
        row(2, amount="1.250,00"),  # a decimal comma
        row(3, amount="$940.00"),  # a currency sign
        row(4, amount="815.005"),  # three decimals
        row(5, received_on="31/10/2026"),  # not an ISO date
        row(6, received_on="0026-11-02"),  # a year that lost its century
        row(7, lease_id="t0009999", entity_id="birchline"),  # a lease that nobody has: suspense
        row(8, amount="-75.00"),  # a negative payment: it should have been a reversal
        row(9, amount=""),  # no amount
        row(10, payment_id=known["payment_id"], lease_id=known["lease_id"], received_on=known["received_on"],
            amount="1.00"),  # an id already used, with another amount
        row(11, recorded_at="2031-01-01T09:00:00"),  # recorded after it was loaded
        {name: sent.get(name, "") for name in COLUMNS},  # a payment that the export holds too: a duplicate
    ]  # fmt: skip
