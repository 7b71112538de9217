"""A portfolio in code: many leases of one landlord, each a case of its own, as the files that would land.

Ids are made readable by putting the lease in front: charge `RENT` of lease `ALL-01` is `ALL-01.RENT`. Every case can
share one build, because a lease knows nothing of the others. Figures are text, as in the ledgers they came from.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta

Row = dict[str, object]

#: code -> category, counts as rent, account
CODES: dict[str, tuple[str, bool, str]] = {
    "rent": ("rent", True, "4000"),
    "subsidy": ("subsidy", False, "1290"),
    "concession": ("concession", True, "4090"),
    "adjustment": ("adjustment", False, "4090"),
    "fee": ("fee", False, "4100"),
    "late_fee": ("late_fee", False, "4100"),
    "nsf_fee": ("nsf_fee", False, "4110"),
    "legal": ("legal", False, "4120"),
    "pet": ("pet", False, "4130"),
    "parking": ("parking", False, "4140"),
    "damage": ("damage", False, "4150"),
    "utility": ("utility", False, "4200"),
    "insurance": ("add_on", False, "4210"),
    "deposit": ("deposit", False, "2020"),
}
CHART: tuple[tuple[str, str, str, str], ...] = (
    ("1010", "Cash", "asset", "cash"),
    ("1011", "Trust cash", "asset", "trust_cash"),
    ("1012", "Clearing", "asset", "clearing"),
    ("1200", "Receivable, residents", "asset", "receivable_resident"),
    ("1210", "Receivable, agencies", "asset", "receivable_subsidy"),
    ("1220", "Receivable, others", "asset", "receivable_third_party"),
    ("1290", "Subsidy clearing", "asset", "subsidy_clearing"),
    ("1300", "Agreements", "asset", "agreement_receivable"),
    ("1900", "Intercompany", "asset", "intercompany"),
    ("2000", "Prepaid", "liability", "prepaid"),
    ("2010", "Suspense", "liability", "suspense"),
    ("2020", "Deposits billed", "liability", "deposits_billed"),
    ("2030", "Deposits held", "liability", "deposits_held"),
    ("3000", "Opening equity", "equity", "opening_equity"),
    ("3100", "Retained earnings", "equity", "retained_earnings"),
    ("4000", "Rent", "income", ""),
    ("4090", "Concessions", "contra_income", ""),
    ("4100", "Fees", "income", ""),
    ("4110", "Returned payment fees", "income", ""),
    ("4120", "Legal costs", "income", ""),
    ("4130", "Pets", "income", ""),
    ("4140", "Parking", "income", ""),
    ("4150", "Damages", "income", ""),
    ("4200", "Utilities", "income", ""),
    ("4210", "Insurance", "income", ""),
    ("4300", "Forfeited deposits", "income", "forfeited_deposits"),
    ("6000", "Bad debt", "expense", "bad_debt"),
    ("6010", "Bad debt recovered", "income", "bad_debt_recovery"),
    ("6020", "Deposit interest", "expense", "interest_expense"),
)
DEFAULT_PLACE = "US-IA"  # no rule for applying money is on file there: the operator's policy decides alone


def shifted(on: str, days: int) -> str:
    return (date.fromisoformat(on) + timedelta(days=days)).isoformat() if on and days else on


class Portfolio:
    """Rows by landing table. `files()` is what lands; `since(mark)` what was added after a mark."""

    def __init__(self, entity: str = "maple", properties: dict[str, str] | None = None) -> None:
        self.rows: dict[str, list[Row]] = defaultdict(list)
        self.entity = entity
        self.add("entities", entity_id=entity, name="Maple LLC", currency="USD", chart_id="main")
        for name, place in (properties or {"maple1": DEFAULT_PLACE}).items():
            self.property(name, place)
        for account, name, kind, role in CHART:
            self.add("gl_accounts", chart_id="main", account=account, name=name, type=kind, role=role)
        for code, (category, counts, account) in CODES.items():
            self.code(code, category, counts)
            self.add("gl_mappings", chart_id="main", charge_code=code, account=account)

    def add(self, table: str, **columns: object) -> Portfolio:
        self.rows[table].append({name: value for name, value in columns.items() if value is not None})
        return self

    def property(self, name: str, place: str, **more: object) -> Portfolio:
        columns = {"entity_id": self.entity, "name": name.title(), "time_zone": "America/Chicago", **more}
        self.add("properties", property_id=name, jurisdiction=place, **columns)
        return self.add("units", unit_id=f"{name}-u", property_id=name, unit_number="1")

    def code(self, code: str, category: str, counts_as_rent: bool, **more: object) -> Portfolio:
        no, yes = "false", "true"
        return self.add(
            "charge_codes", charge_code=code, name=code.replace("_", " ").capitalize(), category=category,
            is_mandatory=no, is_recurring=no, in_advertised_price=no, prorates=no,
            counts_as_rent=yes if counts_as_rent else no, **more,
        )  # fmt: skip

    def lease(self, lease: str, at: str = "maple1", start: str = "2000-01-01", **terms: object) -> Lease:
        self.add("leases", lease_id=lease, property_id=at, unit_id=f"{at}-u", start_on=start, **terms)
        return Lease(self, lease)

    def policy(self, rule: str, steps: str, scope: str = "default", scope_id: str = "", **more: object) -> Portfolio:
        columns = {"version": 1, "source": "policy", "valid_from": "2000-01-01", **more}
        return self.add("application_rules", rule_id=rule, scope=scope, scope_id=scope_id, steps=steps, **columns)

    def law(self, rule: str, place: str, steps: str, **more: object) -> Portfolio:
        return self.policy(
            rule, steps, scope="jurisdiction", scope_id=place,
            **{"source": "law", "authority": "statute", "status": "in_force", "citation": "a test", **more},
        )  # fmt: skip

    def close(self, period: str, closed_at: str) -> Portfolio:
        return self.add("period_closes", entity_id=self.entity, period=period, closed_at=closed_at, closed_by="Kim")

    def files(self) -> dict[str, list[Row]]:
        return {f"{table}.csv": list(rows) for table, rows in self.rows.items() if rows}

    def mark(self) -> dict[str, int]:
        return {table: len(rows) for table, rows in self.rows.items()}

    def since(self, mark: dict[str, int]) -> dict[str, list[Row]]:
        added = {table: rows[mark.get(table, 0) :] for table, rows in self.rows.items()}
        return {f"{table}.csv": rows for table, rows in added.items() if rows}


class Lease:
    """One lease being written. Every method adds a row and returns the lease. `recorded` is a moment with offset."""

    def __init__(self, portfolio: Portfolio, lease_id: str) -> None:
        self.portfolio = portfolio
        self.lease_id = lease_id
        self.shift = 0  # days that every date of the case is moved by

    def id(self, name: str) -> str:
        return f"{self.lease_id}.{name}"

    def add(self, table: str, **columns: object) -> Lease:
        self.portfolio.add(table, lease_id=self.lease_id, **columns)
        return self

    def day(self, on: str) -> str:
        return shifted(on, self.shift)

    def charge(self, name: str, code: str, on: str, amount: str, recorded: str | None = None, **more: object) -> Lease:
        return self.add(
            "charges", charge_id=self.id(name), charge_code=code, amount=amount, posted_on=self.day(on),
            recorded_at=recorded, **more,
        )  # fmt: skip

    def reverse(self, name: str, of: str, code: str, on: str, amount: str, **more: object) -> Lease:
        return self.charge(name, code, on, amount, reverses_charge_id=self.id(of), **more)

    def pay(self, name: str, on: str, amount: str, recorded: str | None = None, **more: object) -> Lease:
        return self.add(
            "payments", payment_id=self.id(name), amount=amount, received_on=self.day(on), recorded_at=recorded, **more
        )

    def back(
        self, name: str, of: str, on: str, amount: str, kind: str = "return", recorded: str | None = None
    ) -> Lease:
        self.portfolio.add(
            "payment_reversals", reversal_id=self.id(name), payment_id=self.id(of), kind=kind, amount=amount,
            reversed_on=self.day(on), recorded_at=recorded,
        )  # fmt: skip
        return self
