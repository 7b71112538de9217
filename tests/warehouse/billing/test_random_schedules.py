"""Random schedules through the SQL come out as a slow day-by-day reference says: every row, every cent."""

from __future__ import annotations

import os
import random
from datetime import date, timedelta

from tests.warehouse.billing.day_by_day import Promise, Rent, charges
from tests.warehouse.billing.promises import Promises

AS_OF = date(2028, 6, 30)
FULL = os.environ.get("TIEOUT_PROOF") == "full"
SCHEDULES, BATCH = (1_000_000, 20_000) if FULL else (600, 600)
METHODS = ("actual_days_month", "thirty_day_month", "actual_days_year")


def a_promise(chance: random.Random) -> Promise:
    """A lease with one to four successive rents, now and then with a gap, a change on any day, or a lease that ends."""
    day = date(2027, 11, 1) + timedelta(days=chance.randrange(170))
    start = day + timedelta(days=chance.choice((0, 0, -9, 5)))
    rents = []
    for number in range(pieces := chance.choice((1, 1, 2, 3, 4))):
        end = day + timedelta(days=chance.choice((1, 2, 9, 14, 15, 29, 30, 31, 45, 61)))
        cents = chance.choice((100_001, 150_000, -15_000, 1, 99_999, chance.randrange(1, 400_000)))
        cents = rents[-1].cents if rents and chance.random() < 0.4 else cents
        rents.append(Rent(cents, day, None if number == pieces - 1 and chance.random() < 0.5 else end))
        day = end + timedelta(days=chance.choice((0, 0, 0, 3)))
    last = start + timedelta(days=chance.randrange(200)) if chance.random() < 0.5 else None
    return Promise(
        start,
        last,
        chance.choice((1, 1, 1, 5, 15, 29, 30, 31)),
        chance.choice(METHODS),
        chance.random() < 0.5,
        tuple(rents),
    )


def test_random_schedules_equal_the_day_by_day_reference() -> None:
    chance = random.Random(20260816)
    done = 0
    while done < SCHEDULES:
        made, promises = Promises(), {}
        while len(made.tables.get("charge_schedules", [])) < min(BATCH, SCHEDULES - done):
            promise = a_promise(chance)
            name = str(len(promises))
            promises[name] = promise
            made.lease(
                name, str(promise.start), move_out_on=str(promise.last or ""), rent_due_day=str(promise.due_day),
                long_months=promise.long_months, proration_method=promise.method,
            )  # fmt: skip
            for rent in promise.rents:
                made.schedule(name, f"{rent.cents / 100:.2f}", str(rent.start), str(rent.end or ""))
        found: dict[str, list[tuple[date, date, str]]] = {name: [] for name in promises}
        rows = made.expected(str(AS_OF)).dicts(
            "select lease_id, service_from, service_to, expected_amount from int_billing__expected"
            " where period_from <= ? order by lease_id, service_from",
            [AS_OF],
        )
        for row in rows:
            found[row["lease_id"]].append((row["service_from"], row["service_to"], str(row["expected_amount"])))
        for name, promise in promises.items():
            slow = sorted((first, last, f"{amount:.2f}") for first, last, amount in charges(promise, AS_OF))
            assert found[name] == slow, promise
        done += len(made.tables["charge_schedules"])
    assert done >= SCHEDULES and rows, "nothing was compared"
