"""Subsidy programs: what each one's rent rules charge and credit, and what a new certification changes."""

from __future__ import annotations

import pytest

from tests.warehouse.alone import Alone, rendered
from tests.warehouse.billing.promises import Promises


@pytest.fixture(scope="module")
def expected() -> Alone:
    made = Promises()
    for name, program in (
        ("pbra", "section8_pbra"), ("pbra.no_contract", "section8_pbra"), ("pbra.negative", "section8_pbra"),
        ("state", "state_moderate"), ("state.higher", "state_moderate"), ("voucher", "voucher"), ("other", "other"),
        ("fell", "section8_pbra"), ("moved_in", "section8_pbra"),
    ):  # fmt: skip
        start = "2026-03-10" if name == "moved_in" else "2026-03-01"
        made.lease(name, start, program=program, end_on="2026-03-31" if name != "fell" else "2026-07-31")
    made.certify("pbra", "2026-03-01", "312.00", contract_rent="1180.00")
    made.certify("pbra.no_contract", "2026-03-01", "312.00")
    made.certify("pbra.negative", "2026-03-01", "-35.00", contract_rent="900.00")
    made.certify("state", "2026-03-01", "450.00", base_rent="600.00")
    made.certify("state.higher", "2026-03-01", "700.00", base_rent="600.00")
    made.certify("voucher", "2026-03-01", "159.00", contract_rent="1157.00")
    for name, program in (("register.voucher", "voucher"), ("register.pbra", "section8_pbra")):
        made.lease(name, "2026-03-01", program=program, end_on="2026-03-31", place="register")
        made.certify(name, "2026-03-01", "312.00", contract_rent="1180.00")
    made.certify("other", "2026-03-01", "410.00", contract_rent="900.00")
    made.certify("fell", "2026-03-01", "500.00", contract_rent="900.00")
    made.certify("fell", "2026-04-01", "300.00", contract_rent="900.00", recorded_at="2026-07-10T09:00:00")
    made.certify("moved_in", "2026-03-01", "312.00", contract_rent="1180.00")
    # A schedule of the rent stands beside the certification that replaces it.
    made.schedule("pbra", "1000.00", "2026-03-01")
    made.schedule("pbra", "40.00", "2026-03-01", code="PARK")
    return made.expected("2026-07-31")


def lines(expected: Alone, lease: str, month: str = "2026-03-01") -> list[tuple[str, str, str]]:
    rows = expected.dicts(
        "select charge_code, ledger_party, expected_amount from int_billing__expected"
        " where lease_id = ? and period_from = cast(? as date) order by 2, 1",
        [lease, month],
    )
    return [(row["charge_code"], row["ledger_party"], str(row["expected_amount"])) for row in rows]


@pytest.mark.parametrize(
    ("lease", "rows"),
    [
        ("pbra", [("PARK", "resident", "40.00"), ("RENT", "resident", "1180.00"), ("SUBSIDY", "resident", "-868.00")]),
        ("pbra.no_contract", [("RENT", "resident", "312.00")]),
        (
            "pbra.negative",
            [("RENT", "resident", "900.00"), ("SUBSIDY", "resident", "-900.00"), ("UTILREIMB", "resident", "-35.00")],
        ),
        ("state", [("RENT", "resident", "600.00"), ("SUBSIDY", "resident", "-150.00")]),
        ("state.higher", [("RENT", "resident", "700.00")]),
        ("voucher", [("RENT", "resident", "159.00"), ("RENT", "subsidy", "998.00")]),
        ("other", [("RENT", "resident", "410.00")]),
        # The agency's own register bills nothing of a voucher, as the family pays a private owner.
        ("register.voucher", []),
        ("register.pbra", [("RENT", "resident", "1180.00"), ("SUBSIDY", "resident", "-868.00")]),
    ],
)
def test_a_program_charges_and_credits(expected: Alone, lease: str, rows: list[tuple[str, str, str]]) -> None:
    assert lines(expected, lease) == rows


def test_a_part_month_leaves_the_resident_what_its_days_come_to(expected: Alone) -> None:
    """22 of 31 days: 837.42 charged, 616.00 credited, 221.42 for the household."""
    assert lines(expected, "moved_in") == [("RENT", "resident", "837.42"), ("SUBSIDY", "resident", "-616.00")]


def test_a_certification_decided_in_july_rules_from_april(expected: Alone) -> None:
    """CLO-08: the subsidy of four months is 200.00 higher in each, the contract rent is as it was."""
    assert lines(expected, "fell") == [("RENT", "resident", "900.00"), ("SUBSIDY", "resident", "-400.00")]
    for month in ("2026-04-01", "2026-05-01", "2026-06-01", "2026-07-01"):
        assert lines(expected, "fell", month) == [("RENT", "resident", "900.00"), ("SUBSIDY", "resident", "-600.00")]


@pytest.mark.parametrize(
    ("instant", "zone", "day"),
    [
        ("2026-09-04 00:30:00", "America/Chicago", "2026-09-03"),  # IMP-02: not past due in the evening of the due day
        ("2026-09-04 00:30:00", "Asia/Tokyo", "2026-09-04"),
        ("2013-01-20 07:30:42", "America/Los_Angeles", "2013-01-19"),  # IMP-04
        ("2026-07-04 08:10:00", "Pacific/Honolulu", "2026-07-03"),  # IMP-01: the fee day has not come
        ("2026-07-04 08:10:00", "America/New_York", "2026-07-04"),
        ("2026-03-02 07:30:00", "America/Los_Angeles", "2026-03-01"),
        ("2026-03-08 09:59:59", "America/Los_Angeles", "2026-03-08"),  # the night the clock goes forward
        ("2026-11-01 08:30:00", "America/Los_Angeles", "2026-11-01"),  # 01:30 comes twice
        ("2026-11-01 09:30:00", "America/Los_Angeles", "2026-11-01"),
    ],
)
def test_a_moment_is_a_day_of_the_property(expected: Alone, instant: str, zone: str, day: str) -> None:
    sql = rendered(f"select cast({{{{ local_day(\"timestamp '{instant}'\", \"'{zone}'\") }}}} as varchar) as day")
    assert expected.dicts(sql) == [{"day": day}]
