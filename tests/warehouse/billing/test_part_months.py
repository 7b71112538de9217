"""Part months: the worked cases, the table of the source document, and changes inside a period, to the cent."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

import pytest

from tests.warehouse.alone import Alone, rendered
from tests.warehouse.billing.promises import Promises

METHODS = ("actual_days_month", "thirty_day_month", "actual_days_year")
AS_OF = "2028-12-31"


@pytest.fixture(scope="module")
def expected() -> Alone:
    made = Promises()
    for method, long in product(METHODS, (False, True)):
        tail = f"{method}{'.long' if long else ''}"

        def lease(name: str, start: str, end: str = "", *, tail: str = tail, long: bool = long, **said: str) -> str:
            made.lease(
                f"{name}.{tail}", start, end_on=end, long_months=long, proration_method=tail.split(".")[0], **said
            )
            return f"{name}.{tail}"

        made.schedule(lease("table", "2026-08-17", "2026-08-31"), "1500.00", "2026-08-17")
        made.schedule(lease("ROU-01", "2026-01-10", "2026-01-31"), "1200.00", "2026-01-10")
        made.schedule(lease("ROU-02", "2011-10-04", "2011-12-31", prorated_month="second"), "850.00", "2011-10-04")
        for month, last in (
            ("2026-01", "31"),
            ("2026-02", "28"),
            ("2028-02", "29"),
            ("2026-04", "30"),
            ("2026-12", "31"),
        ):
            name = lease(f"halves-{month}", f"{month}-01", f"{month}-{last}")
            made.schedule(name, "1000.01", f"{month}-01", f"{month}-16").schedule(name, "1000.01", f"{month}-16")
    made.lease("ROU-05", "2026-01-01", end_on="2026-01-31")
    made.schedule("ROU-05", "1550.00", "2026-01-01", "2026-01-15").schedule("ROU-05", "1860.00", "2026-01-15")
    made.lease("ROU-07", "2024-01-31", end_on="2024-01-31").schedule("ROU-07", "1200.00", "2024-01-31")
    for name, end in (("ROU-08.exclusive", "2027-08-03"), ("ROU-08.inclusive", "2027-08-04")):
        made.lease(name, "2026-08-03", rent_due_day="3").schedule(name, "20.00", "2026-08-03", end)
    made.lease("ROU-10", "2016-08-01", move_out_on="2016-08-01", end_on="2017-07-31")
    made.schedule("ROU-10", "520.00", "2016-08-01")
    made.lease("leap", "2028-02-15", end_on="2028-02-29", proration_method="actual_days_year")
    made.schedule("leap", "1200.00", "2028-02-15")
    made.lease("move_out", "2026-01-01", move_out_on="2026-03-10", end_on="2026-12-31")
    made.schedule("move_out", "1550.00", "2026-01-01").schedule("move_out", "45.00", "2026-01-01", code="FLAT")
    made.schedule("move_out", "-155.00", "2026-02-01", "2026-03-06", code="CONC")
    made.lease("move_out_free", "2026-01-01", move_out_on="2026-03-10", charges_move_out_day="false")
    made.schedule("move_out_free", "1550.00", "2026-01-01")
    made.lease("move_in_free", "2026-03-10", move_in_on="2026-03-10", charges_move_in_day="false")
    made.schedule("move_in_free", "1550.00", "2026-03-10", "2026-04-01")
    made.lease("override", "2026-03-17", proration_method="actual_days_month")
    made.schedule("override", "300.00", "2026-03-17", "2026-04-01", proration_method="thirty_day_month")
    made.schedule("override", "31.00", "2026-03-17", "2026-04-01", code="FLAT", prorates="true")
    made.schedule("override", "31.00", "2026-03-17", "2026-04-01", code="PET", prorates="false")
    made.lease("short_month", "2026-01-31", rent_due_day="31", end_on="2026-04-29")
    made.schedule("short_month", "900.00", "2026-01-31")
    return made.expected(AS_OF)


def lines(expected: Alone, lease: str, code: str = "RENT") -> list[dict[str, Any]]:
    return expected.dicts(
        "from int_billing__expected where lease_id = ? and charge_code = ? order by service_from", [lease, code]
    )


def amounts(expected: Alone, lease: str, code: str = "RENT") -> list[str]:
    return [str(line["expected_amount"]) for line in lines(expected, lease, code)]


@pytest.mark.parametrize(
    ("lease", "amount", "days", "denominator"),
    [
        ("table.actual_days_month", "725.81", 15, 31),
        ("table.thirty_day_month", "750.00", 15, 30),
        ("table.thirty_day_month.long", "700.00", 14, 30),
        ("table.actual_days_year", "739.73", 15, 365),  # rounded once: a rounded daily rate would give 739.80
        ("ROU-01.actual_days_month", "851.61", 22, 31),
        ("ROU-01.actual_days_year", "867.95", 22, 365),
        ("ROU-01.thirty_day_month", "880.00", 22, 30),
    ],
)
def test_the_table_of_the_source_document(
    expected: Alone, lease: str, amount: str, days: int, denominator: int
) -> None:
    (line,) = lines(expected, lease)
    assert (str(line["expected_amount"]), line["counted_days"], line["denominator"]) == (amount, days, denominator)
    assert line["proration_method"] == lease.split(".")[1]


@pytest.mark.parametrize(
    ("lease", "second"),
    [
        ("ROU-02.actual_days_month", "767.74"),
        ("ROU-02.thirty_day_month", "793.33"),
        ("ROU-02.thirty_day_month.long", "765.00"),
        ("ROU-02.actual_days_year", "782.47"),
    ],
)
def test_a_whole_first_month_and_the_part_with_the_second(expected: Alone, lease: str, second: str) -> None:
    assert amounts(expected, lease) == ["850.00", second, "850.00"]


def test_the_divisor_is_the_whole_period(expected: Alone) -> None:
    """ROU-04: 32 days of a quarter of 91, not of what is left of it."""
    sql = rendered("select {{ share_of('cast(910.00 as decimal(18, 2))', '32', '91') }} as part")
    assert expected.dicts(sql) == [{"part": Decimal("320.00")}]


def test_the_day_of_a_change_is_billed_once(expected: Alone) -> None:
    assert amounts(expected, "ROU-05") == ["700.00", "1020.00"]
    assert [(line["service_days"], line["denominator"]) for line in lines(expected, "ROU-05")] == [(14, 31), (17, 31)]


def test_the_last_day_of_a_month_is_one_part_in_thirty_one(expected: Alone) -> None:
    assert amounts(expected, "ROU-07") == ["38.71"]


@pytest.mark.parametrize(("lease", "total"), [("ROU-08.exclusive", "240.00"), ("ROU-08.inclusive", "240.65")])
def test_a_year_from_a_day_to_the_same_day(expected: Alone, lease: str, total: str) -> None:
    assert str(sum(line["expected_amount"] for line in lines(expected, lease))) == total


def test_rent_kept_for_one_day(expected: Alone) -> None:
    """ROU-10: 16.77 kept of 520.00, so 503.23 goes back and 275.77 is owed with 259.00 of repairs and cleaning."""
    (kept,) = amounts(expected, "ROU-10")
    back = Decimal("520.00") - Decimal(kept)
    assert (kept, back, Decimal("259.00") + Decimal(kept)) == ("16.77", Decimal("503.23"), Decimal("275.77"))


def test_a_leap_year_has_366_days(expected: Alone) -> None:
    (line,) = lines(expected, "leap")
    assert (str(line["expected_amount"]), line["denominator"]) == ("590.16", 366)  # 15 x 12 x 1,200 / 366


@pytest.mark.parametrize("month", ["2026-01", "2026-02", "2028-02", "2026-04", "2026-12"])
@pytest.mark.parametrize("method", [*METHODS, *(f"{m}.long" for m in METHODS)])
def test_two_halves_of_a_month_are_the_month(expected: Alone, month: str, method: str) -> None:
    halves = lines(expected, f"halves-{month}.{method}")
    assert len(halves) == 2 and sum(half["expected_amount"] for half in halves) == Decimal("1000.01")


def test_a_lease_that_ends_inside_a_period_is_billed_to_its_last_day(expected: Alone) -> None:
    assert amounts(expected, "move_out") == ["1550.00", "1550.00", "500.00"]
    assert amounts(expected, "move_out", "FLAT") == ["45.00", "45.00", "45.00"]
    assert amounts(expected, "move_out", "CONC") == ["-155.00", "-25.00"]
    assert amounts(expected, "move_out_free") == ["1550.00", "1550.00", "450.00"]
    assert amounts(expected, "move_in_free") == ["1050.00"]


def test_a_schedule_says_its_own_method(expected: Alone) -> None:
    assert amounts(expected, "override") == ["150.00"]
    assert amounts(expected, "override", "FLAT") == [
        "15.00"
    ]  # a code that does not prorate, unless its schedule says so
    assert amounts(expected, "override", "PET") == ["31.00"]


def test_a_due_day_past_the_end_of_a_short_month_is_its_last_day(expected: Alone) -> None:
    found = [(str(line["period_from"]), str(line["period_to"])) for line in lines(expected, "short_month")]
    assert found == [("2026-01-31", "2026-02-27"), ("2026-02-28", "2026-03-30"), ("2026-03-31", "2026-04-29")]
    assert amounts(expected, "short_month") == ["900.00", "900.00", "900.00"]
