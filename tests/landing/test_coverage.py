"""What a file covers: the period that its name says, and the days, properties and entities of the rows it holds."""

from __future__ import annotations

from datetime import date

import pytest

from orchestration.landing.coverage import named_period
from tests.landing.portfolio import Door, charge, payment, returned

LATE = {"lease_id": "L9", "property_id": "P2", "unit_id": "U3", "start_on": "2026-01-01"}
DAYS = "SELECT business_on, property_key, rows, is_placed FROM landing.batch_days JOIN landing.batches USING (batch_id)"


@pytest.mark.parametrize(
    ("file", "period"),
    [
        ("charges-2026-10.csv", "2026-10"),
        ("payments_2026-10-05.csv.gz", "2026-10-05"),
        ("charges.csv", None),
        ("charges-2026-13.csv", None),
        ("charges-2026-10-32.csv", None),
        ("charges-12026-10.csv", None),
        ("charges-2026-09-to-2026-10.csv", None),
        ("charges-2026-10 2026-10.csv", "2026-10"),
    ],
)
def test_a_file_is_named_for_the_one_period_in_its_name(file: str, period: str | None) -> None:
    assert named_period(file) == period


def test_every_landed_row_counts_on_its_day_whatever_becomes_of_it(door: Door) -> None:
    door.land(
        {
            "charges": [
                charge("C1"),
                charge("C2", "x"),
                charge("C1"),
                charge("C3", lease_id="L9"),
                charge("C4", posted_on="?"),
            ]
        }
    )
    of_charges = f"{DAYS} WHERE table_name = 'charges' ORDER BY ALL"
    day = date(2026, 10, 1)
    assert door.rows(of_charges) == [
        (day, "default:P1", 3, True), (day, None, 1, False), (None, "default:P1", 1, True),
    ]  # fmt: skip
    door.land({"leases": [LATE]})
    assert door.rows(of_charges) == [
        (day, "default:P1", 3, True), (day, "default:P2", 1, True), (None, "default:P1", 1, True),
    ]  # fmt: skip


def test_a_return_counts_where_its_payment_does_and_a_file_without_rows_is_known_to_have_come(door: Door) -> None:
    door.land({"payments": [payment("P1", lease_id="L3")], "payment_reversals": [returned("X1", "P1", "5.00")]})
    assert door.rows(f"{DAYS} WHERE table_name = 'payment_reversals'") == [(date(2026, 10, 6), "default:P2", 1, True)]
    (door.folder / "write_offs.csv").write_text("write_off_id,lease_id,amount,written_off_on,approved_by,reason\n")
    door.land()
    assert door.rows(f"{DAYS} WHERE table_name = 'write_offs'") == [(None, None, 0, True)]


def test_a_promise_names_a_table_that_exists(door: Door) -> None:
    row = {"table_name": "charges", "period_grain": "month", "due_days": "5", "valid_from": "2026-01-01"}
    door.land({"expected_batches": [row, row | {"table_name": "rents"}, row | {"valid_from": "2026-05-01"}]})
    assert sorted(door.held().values()) == ["not_in_list", "overlapping_dates"]
