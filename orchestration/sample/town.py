"""Ordinary life in a small town: about 300 leases over 24 months, as the books of a property manager would show it.

Every lease is played by itself, day by day, from its own stream of chance: charges post, people pay in full, in
halves, late, ahead or not at all, payments come back, fees are waived, people move in and out. Amounts are integer
cents. What is made here are facts as a system of record exports them; nothing is applied or balanced beyond what the
payer looks at.
"""

from __future__ import annotations

from datetime import date, timedelta

from orchestration.sample.amounts import money, share
from orchestration.sample.book import Row, Tables
from orchestration.sample.chance import Chance
from orchestration.sample.days import AS_OF, CUTOVER, month_end, month_start
from orchestration.sample.houses import HOUSES
from orchestration.sample.overcharges import of_lease
from orchestration.sample.people import FAMILY, GIVEN
from orchestration.sample.tenancy import Tenancy


def _households(tables: Tables, chance: Chance, lease_id: str, since: date, count: int, email_number: int) -> list[str]:
    people = []
    for n in range(count):
        person_id = f"h-{lease_id}-{n + 1}"
        name = f"{chance.one_of(GIVEN)} {chance.one_of(FAMILY)}"
        tables.setdefault("persons", []).append(
            {"person_id": person_id, "name": name, "email": f"household{email_number}.{n + 1}@example.org"}
        )
        tables.setdefault("lease_parties", []).append(
            {"lease_id": lease_id, "person_id": person_id, "role": "leaseholder", "valid_from": since.isoformat()}
        )
        people.append(person_id)
    return people


def _leases_of_unit(chance: Chance) -> list[tuple[date, date | None, bool]]:
    """The tenancies of one unit: (start, end, whether the household stops paying), some weeks apart."""
    start = CUTOVER - timedelta(days=chance.between(20, 900))
    tenancies: list[tuple[date, date | None, bool]] = []
    while start <= AS_OF:
        turns_over = chance.permille(320)
        stops = turns_over and chance.permille(220)
        if not turns_over:
            tenancies.append((start, None, False))
            break
        end = max(start, CUTOVER) + timedelta(days=chance.between(150, 640))
        if chance.permille(500):
            end = month_end(end)
        if end > AS_OF:
            tenancies.append((start, None, False))
            break
        tenancies.append((start, end, stops))
        start = end + timedelta(days=chance.between(6, 40))
    return tenancies


def town() -> Tables:
    """Every table of the town: rows as text, keyed by table name, in the order in which they were made."""
    tables: Tables = {"persons": [{"person_id": "agency-lakes", "name": "Lakes Region Housing Agency"}]}
    number = 2000
    for house_number, house in enumerate(HOUSES):
        for n in range(house.units):
            chance = Chance(house_number * 1_000 + n + 1)
            unit_number = f"{n // 10 + 1}{n % 10 + 1:02d}"
            unit_id = f"{house.property_id}-{unit_number}"
            rent = chance.between(house.low // 500, house.high // 500) * 500
            tables.setdefault("units", []).append(
                {
                    "unit_id": unit_id,
                    "property_id": house.property_id,
                    "unit_number": unit_number,
                    "market_rent": money(rent),
                }
            )
            for start, end, stops in _leases_of_unit(chance):
                number += 1
                lease_id = f"t{number:07d}"
                habit = chance.one_of(
                    ("auto", "auto", "auto", "ordinary", "ordinary", "ordinary", "late", "partial", "split", "ahead")
                )
                lease = Tenancy(
                    house,
                    lease_id,
                    unit_id,
                    start,
                    end,
                    rent,
                    Chance(1_000_000 + number),
                    tables,
                    habit=habit,
                    planted=of_lease(lease_id),
                )
                if stops and end:
                    lease.stops_on = month_start(end - timedelta(days=75))
                elif end is None and lease.chance.permille(45):  # behind today: one to four months unpaid
                    lease.stops_on = month_start(AS_OF - timedelta(days=lease.chance.between(1, 110)))
                if house.property_id in ("aspen1", "willow1") and habit == "late" and chance.permille(300):
                    lease.habit = "ahead"
                tables.setdefault("leases", []).append(
                    {
                        "lease_id": lease_id,
                        "property_id": house.property_id,
                        "unit_id": unit_id,
                        "program": "section8_pbra" if house.subsidised else "market",
                        "billing": "joint",
                        "start_on": start.isoformat(),
                        "end_on": end.isoformat() if end else "",
                        "move_in_on": start.isoformat(),
                        "move_out_on": end.isoformat() if end else "",
                        "rent_due_day": "1",
                        "proration_method": house.proration,
                        "signed_on": (start - timedelta(days=14)).isoformat(),
                    }
                )
                lease.people = _households(
                    tables, chance, lease_id, start, 2 if habit == "split" or chance.permille(350) else 1, number
                )
                if house.subsidised:
                    tables["lease_parties"].append(
                        {
                            "lease_id": lease_id,
                            "person_id": "agency-lakes",
                            "role": "agency",
                            "valid_from": start.isoformat(),
                        }
                    )
                lease.live()
                rent = share(rent, 100 + chance.between(0, 4), 100) // 500 * 500
    _posting_runs(tables)
    return tables


def _posting_runs(tables: Tables) -> None:
    """A row per property and month that posted, with what it posted: 'why was unit 204 not charged' has an answer."""
    posted: dict[str, list[Row]] = {}
    for row in tables["charges"]:
        if "posting_run_id" in row:
            posted.setdefault(row["posting_run_id"], []).append(row)
    tables["posting_runs"] = [
        {
            "posting_run_id": run,
            "property_id": run.split("-")[1],
            "kind": "recurring",
            "business_date": min(r["posted_on"] for r in rows),
            "status": "completed",
            "selected": str(len(rows)),
            "posted": str(len(rows)),
        }
        for run, rows in sorted(posted.items())
    ]
