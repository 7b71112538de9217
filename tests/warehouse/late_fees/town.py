"""A small landlord in seven places: lawful fees, planted overcharges, and months to be posted, each lease a case."""

from __future__ import annotations

from tests.warehouse.subledger.portfolio import Lease, Portfolio

AS_OF = "2026-10-20"
PLACES = {"ny": "US-NY", "co": "US-CO", "wa": "US-WA", "or": "US-OR", "mn": "US-MN", "on": "CA-ON", "ga": "US-GA"}
#: property -> days of grace, how they are counted, the fee
POLICIES = {
    "ny": ("5", "after_n_full_days", "50.00"),
    "co": ("7", "at_least_n_days_late", "60.00"),
    "wa": ("5", "after_n_full_days", "40.00"),
    "or": ("4", "day_of_period", "75.00"),
    "mn": ("4", "after_n_full_days", "100.00"),
    "ga": ("5", "after_n_full_days", "20.00"),
}
#: fee charge -> verdict, overcharge: planted
PLANTED = {
    "ny.over.FEE": ("too_much", "5.00"),  # 50.00 where 5% of 900.00 is 45.00
    "ny.early.FEE": ("too_early", "50.00"),  # the fourth day after the due day
    "co.agency.FEE": ("on_subsidy", "50.00"),  # charged to the agency
    "co.over.FEE": ("too_much", "15.00"),  # the lease says 60.00
    "co.partly.FEE": ("too_much", "15.00"),  # and 10.00 of it was given back
    "wa.paid.FEE": ("not_permitted", "40.00"),  # paid on the fifth day, keyed on the ninth
    "or.twice.FEE2": ("too_many", "75.00"),
    "mn.base.FEE": ("too_much", "64.00"),  # 8% of 700.00 past due, not of 1,500.00
    "on.any.FEE": ("not_permitted", "25.00"),
    "wa.held.FEE": ("during_hold", "40.00"),
    "wa.later.FEE": ("not_permitted", "40.00"),  # a meter read in October is open, the rent was paid on the second
}
LAWFUL = {"ny.ok.FEE", "co.ok.FEE", "wa.ok.FEE", "or.ok.FEE", "or.twice.FEE", "mn.ok.FEE", "ny.waived.FEE"}


def town() -> Portfolio:
    """The files."""
    made = Portfolio(properties=PLACES)
    for row in made.rows["charge_codes"]:
        if row["charge_code"] in ("rent", "subsidy", "pet", "concession"):
            row |= {
                "prorates": "true",
                "is_recurring": "true",
                "is_mandatory": str(row["charge_code"] == "rent").lower(),
            }
            row |= {"in_advertised_price": row["is_mandatory"]}
    for place, (days, counted, amount) in POLICIES.items():
        rule = {"rule_id": f"fee.{place}", "version": 1}
        made.add(
            "late_fee_rules", **rule, source="policy", property_id=place, status="in_force", authority="policy",
            citation="the lease", applies_by="due_date", valid_from="2020-01-01", combine="sum", grace_n=days,
            grace_semantics=counted, customary_flat="75.00" if place == "or" else None,
        )  # fmt: skip
        made.add("late_fee_components", **rule, group_no=1, comp_no=1, kind="flat", amount=amount)
    _fees(made)
    _billing(made)
    return made


def late(made: Portfolio, name: str, place: str, rent: str, fee: str | None, on: str | None, **more: object) -> Lease:
    """A lease whose September rent is late, with a fee."""
    lease = made.lease(name, place, "2026-09-01", rent_due_day=1, end_on="2026-09-30")
    lease.charge("RENT", "rent", "2026-09-01", rent, service_from="2026-09-01", service_to="2026-09-30")
    if fee:
        lease.charge("FEE", "late_fee", str(on), fee, service_from="2026-09-01", service_to="2026-09-30", **more)
    return lease


def _fees(made: Portfolio) -> None:
    late(made, "ny.ok", "ny", "2000.00", "50.00", "2026-09-09")
    late(made, "ny.over", "ny", "900.00", "50.00", "2026-09-09")
    late(made, "ny.early", "ny", "2000.00", "50.00", "2026-09-05")
    waived = late(made, "ny.waived", "ny", "2000.00", "50.00", "2026-09-10")
    waived.reverse(
        "WAIVER", "FEE", "late_fee", "2026-09-12", "-50.00", reason="bank error", approved_by="R. Vale", posted_by="Kim"
    )
    late(made, "co.ok", "co", "1500.00", "60.00", "2026-09-20")
    late(made, "co.over", "co", "1500.00", "75.00", "2026-09-20")
    late(made, "co.partly", "co", "1500.00", "75.00", "2026-09-20").reverse(
        "PART", "FEE", "late_fee", "2026-09-22", "-10.00", approved_by="R. Vale", posted_by="Kim"
    )
    late(made, "co.agency", "co", "1500.00", "50.00", "2026-09-20", ledger_party="subsidy")
    late(made, "wa.ok", "wa", "1800.00", "40.00", "2026-09-10")
    late(made, "wa.paid", "wa", "1800.00", "40.00", "2026-09-09").pay(
        "P", "2026-09-06", "1800.00", recorded="2026-09-09T18:00:00-07:00"
    )
    # The meter of September was read in October: what came later does not make a rent late that was paid on its day.
    later = late(made, "wa.later", "wa", "1800.00", "40.00", "2026-09-10").pay("P", "2026-09-02", "1800.00")
    later.charge(
        "METER",
        "utility",
        "2026-10-08",
        "60.00",
        due_on="2026-10-16",
        service_from="2026-09-01",
        service_to="2026-09-30",
    )
    late(made, "wa.held", "wa", "1800.00", "40.00", "2026-09-10")
    made.add(
        "delinquency_cases",
        case_id="C1",
        lease_id="wa.held",
        opened_on="2026-09-02",
        stage="reminder",
        balance_at_open="1800.00",
    )
    made.add("case_holds", hold_id="H1", case_id="C1", kind="bankruptcy", valid_from="2026-09-05")
    late(made, "or.ok", "or", "1000.00", "75.00", "2026-09-05")
    twice = late(made, "or.twice", "or", "1000.00", "75.00", "2026-09-05")
    twice.charge("FEE2", "late_fee", "2026-09-12", "75.00", service_from="2026-09-01", service_to="2026-09-30")
    late(made, "mn.ok", "mn", "1200.00", "96.00", "2026-09-08")
    late(made, "mn.base", "mn", "1500.00", "120.00", "2026-09-08").pay("P", "2026-09-04", "800.00")
    late(made, "on.any", "on", "1400.00", "25.00", "2026-09-20")
    late(made, "ga.unproven", "ga", "1000.00", "20.00", "2026-09-20")


def _billing(made: Portfolio) -> None:
    def scheduled(name: str, amount: str, start: str = "2026-08-01", end: str | None = None, **terms: object) -> Lease:
        lease = made.lease(name, "ga", start, **terms)
        return lease.add(
            "charge_schedules",
            schedule_id=f"{name}.S",
            charge_code="rent",
            amount=amount,
            valid_from=start,
            valid_to=end,
        )

    def month(lease: Lease, name: str, first: str, last: str, amount: str, code: str = "rent", **more: object) -> Lease:
        more = {"schedule_id": f"{lease.lease_id}.S", **more}
        return lease.charge(name, code, first, amount, service_from=first, service_to=last, **more)

    def whole(lease: Lease, *names: str, amount: str) -> Lease:
        for name in names:
            month(lease, name, f"2026-{name}-01", f"2026-{name}-{'30' if name == '09' else '31'}", amount)
        return lease

    whole(scheduled("bill.agrees", "1000.00"), "08", "09", "10", amount="1000.00")
    whole(scheduled("bill.missing", "1000.00"), "08", "10", amount="1000.00")
    month(
        whole(scheduled("bill.twice", "1000.00"), "08", "09", "10", amount="1000.00"),
        "x",
        "2026-09-01",
        "2026-09-30",
        "1000.00",
    )
    month(
        whole(scheduled("bill.over", "1000.00"), "08", "09", amount="1000.00"),
        "10",
        "2026-10-01",
        "2026-10-31",
        "1010.00",
    )
    month(
        whole(scheduled("bill.under", "1000.00"), "08", "09", amount="1000.00"),
        "10",
        "2026-10-01",
        "2026-10-31",
        "990.00",
    )
    whole(scheduled("bill.gone", "1000.00", move_out_on="2026-09-15"), "08", "09", "10", amount="1000.00")
    month(
        scheduled("bill.method", "1500.00", "2026-08-17", end="2026-09-01"), "08", "2026-08-17", "2026-08-31", "750.00"
    )
    free = whole(scheduled("bill.free", "1000.00"), "08", "09", "10", amount="1000.00")
    free.add(
        "charge_schedules", schedule_id="bill.free.C", charge_code="concession", amount="-100.00",
        valid_from="2026-08-01", valid_to="2026-10-01",
    )  # fmt: skip
    for name, last in (("08", "31"), ("09", "30"), ("10", "31")):
        month(
            free,
            f"C{name}",
            f"2026-{name}-01",
            f"2026-{name}-{last}",
            "-100.00",
            "concession",
            schedule_id="bill.free.C",
        )
    back = whole(scheduled("bill.back", "1000.00"), "08", "09", amount="1000.00")
    month(back, "10", "2026-10-01", "2026-10-31", "1000.00")
    back.reverse("R10", "10", "rent", "2026-10-03", "-1000.00", reason="hospital", approved_by="R. Vale")
    # To be posted: October is not charged.
    whole(scheduled("post.rent", "1200.00"), "08", "09", amount="1200.00")
    scheduled("post.part", "1240.00", "2026-10-12")
    change = whole(scheduled("post.change", "1550.00", end="2026-10-15"), "08", "09", amount="1550.00")
    change.add(
        "charge_schedules", schedule_id="post.change.S2", charge_code="rent", amount="1860.00", valid_from="2026-10-15"
    )
    owed = made.lease("post.late", "ny", "2026-10-01")
    owed.charge("RENT", "rent", "2026-10-01", "900.00", service_from="2026-10-01", service_to="2026-10-31")
    unproven = made.lease("post.unproven", "ga", "2026-10-01")
    unproven.charge("RENT", "rent", "2026-10-01", "900.00", service_from="2026-10-01", service_to="2026-10-31")
    # A household whose income fell: decided in October, in force from August, August closed.
    fell = made.lease("program", "ga", "2026-07-01", program="section8_pbra")
    for number, effective, tenant in ((1, "2026-07-01", "500.00"), (2, "2026-08-01", "300.00")):
        made.add(
            "rent_certifications", certification_id=f"program.{number}", lease_id="program", contract_rent="900.00",
            tenant_rent=tenant, effective_on=effective,
        )  # fmt: skip
    for name, last in (("07", "31"), ("08", "31"), ("09", "30"), ("10", "31")):
        days = {"service_from": f"2026-{name}-01", "service_to": f"2026-{name}-{last}"}
        fell.charge(f"R{name}", "rent", f"2026-{name}-01", "900.00", **days)
        fell.charge(f"S{name}", "subsidy", f"2026-{name}-01", "-400.00", **days)
    fell.reverse(
        "RS09", "S09", "subsidy", "2026-09-20", "400.00", reason="paid by another program", approved_by="R. Vale"
    )
