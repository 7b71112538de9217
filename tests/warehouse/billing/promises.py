"""Leases with schedules, put before the project's billing SQL without a build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tests.warehouse.alone import Alone

Row = dict[str, str]
CODES = {
    "RENT": ("rent", True),
    "PET": ("pet", True),
    "PARK": ("parking", True),
    "FLAT": ("fee", False),
    "CONC": ("concession", True),
    "SUBSIDY": ("subsidy", True),
    "UTILREIMB": ("utility_reimbursement", True),
}


@dataclass
class Promises:
    """Rows of the landing tables that say what is to be billed."""

    tables: dict[str, list[Row]] = field(default_factory=dict)

    def put(self, table: str, **row: str) -> None:
        self.tables.setdefault(table, []).append({k: v for k, v in row.items() if v})

    def lease(self, name: str, start: str, *, long_months: bool = False, **said: str) -> Promises:
        place = said.pop("place", "thirty" if long_months else "actual")
        self.put("leases", lease_id=name, property_id=place, unit_id=f"u-{name}", start_on=start, **said)
        return self

    def schedule(self, name: str, amount: str, start: str, end: str = "", code: str = "RENT", **said: str) -> Promises:
        number = len(self.tables.get("charge_schedules", []))
        self.put(
            "charge_schedules", schedule_id=f"{name}.{number}", lease_id=name, charge_code=code, amount=amount,
            valid_from=start, valid_to=end, **said,
        )  # fmt: skip
        return self

    def certify(self, name: str, effective: str, tenant: str, **said: str) -> Promises:
        number = len(self.tables.get("rent_certifications", []))
        self.put(
            "rent_certifications", certification_id=f"{name}.{number}", lease_id=name, tenant_rent=tenant,
            effective_on=effective, **said,
        )  # fmt: skip
        return self

    def expected(self, as_of: str) -> Alone:
        """The table int_billing__expected as of a day."""
        alone = Alone()
        closes = {"entity_key": "varchar", "closed_at": "timestamp", "registered_at": "timestamp", "period_end": "date"}
        alone.give("int_closes__periods", [], closes)
        settings: Iterable[Mapping[str, object]] = [
            {"as_of_on": as_of, "build_no": 1, "loaded_at": f"{as_of} 12:00:00"}
        ]
        alone.give(
            "int_build__settings", settings, {"as_of_on": "date", "build_no": "integer", "loaded_at": "timestamp"}
        )
        alone.land(
            "properties",
            [
                {
                    "property_id": p,
                    "entity_id": "AGENCY" if p == "register" else "E",
                    "name": p,
                    "jurisdiction": "ZZ",
                    "time_zone": "UTC",
                }
                | {"thirty_day_month_days": days}
                for p, days in (("actual", ""), ("thirty", "30"), ("register", ""))
            ],
        )
        alone.land(
            "charge_codes",
            [
                {"charge_code": code, "name": code, "category": category, "prorates": str(prorates).lower()}
                | dict.fromkeys(["is_mandatory", "is_recurring", "in_advertised_price", "counts_as_rent"], "true")
                for code, (category, prorates) in CODES.items()
            ],
        )
        alone.land(
            "entities",
            [
                {"entity_id": name, "name": name, "currency": "USD", "chart_id": "c", "is_voucher_agency": agency}
                for name, agency in (("E", ""), ("AGENCY", "true"))
            ],
        )
        for table, rows in self.tables.items():
            alone.land(table, rows)
        return alone.run("int_billing__expected")
