"""A small published home for the pages and documents: households told as entries and applications.

The tables have the published names and columns. What the warehouse works out (running balances, what is open at each
month end, its age) is worked out here by the plainest reading of the rules, in Decimal, so that a page that adds up
wrongly or reads the wrong column has nothing to hide behind.
"""

from __future__ import annotations

import calendar
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb

ZERO = Decimal("0.00")
BUCKETS = ("not_yet_due", "days_0_30", "days_31_60", "days_61_90", "days_over_90")
SOURCE_TABLES = {
    "write_off": "write_offs",
    "opening_balance": "opening_balances",
    "charge": "charges",
    "credit": "charges",
    "charge_reversal": "charges",
    "payment": "payments",
    "payment_return": "payment_reversals",
}
ORDER = ("opening_balance", "charge", "credit", "payment", "write_off", "charge_reversal", "payment_return")


@dataclass(frozen=True)
class Entry:
    source_id: str
    kind: str
    on: date
    amount: Decimal
    code: str | None = None
    description: str = ""
    due_on: date | None = None
    service: tuple[date, date] | None = None
    recorded_at: datetime | None = None
    accounting_on: date | None = None
    is_rent: bool = True
    reverses: str | None = None


@dataclass(frozen=True)
class Application:
    source_id: str
    charge_id: str
    amount: Decimal
    on: date
    reverses: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class Account:
    lease_id: str
    property_id: str
    unit_number: str
    resident_names: str
    entries: Sequence[Entry]
    applications: Sequence[Application] = ()
    ledger_party: str = "resident"
    move_out_on: date | None = None
    program: str = "market"
    arrears: Sequence[tuple[str, str, str]] = ()  # first day of the rent period, charged, paid


@dataclass(frozen=True)
class Property:
    property_id: str
    name: str
    entity_id: str
    entity_name: str
    currency: str = "USD"
    operator_name: str = "Harbour & Vine Management"
    time_zone: str = "America/New_York"
    jurisdiction: str = "US-NY"


@dataclass
class Portfolio:
    as_of: date
    properties: Sequence[Property]
    accounts: Sequence[Account]
    quarantine: Sequence[dict[str, object]] = ()
    late_arrivals: Sequence[dict[str, object]] = ()
    close_status: Sequence[dict[str, object]] = ()
    tie_outs: Sequence[dict[str, object]] = ()
    manifest: dict[str, object] = field(default_factory=dict)


def money(text: str | int) -> Decimal:
    return Decimal(text).quantize(ZERO)


def day(text: str) -> date:
    return date.fromisoformat(text)


def month_last(of: date) -> date:
    return of.replace(day=calendar.monthrange(of.year, of.month)[1])


def month_ends(first: date, as_of: date) -> Iterator[date]:
    """Every month end from the month of ``first`` up to ``as_of``, and ``as_of`` itself."""
    year, month = first.year, first.month
    while True:
        end = month_last(date(year, month, 1))
        if end >= as_of:
            break
        yield end
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    yield as_of


def bucket(due_on: date, as_of: date) -> str:
    age = (as_of - due_on).days
    if age < 0:
        return "not_yet_due"
    return "days_0_30" if age <= 30 else "days_31_60" if age <= 60 else "days_61_90" if age <= 90 else "days_over_90"


TABLES = {
    "build_info": "build_no bigint, as_of date, built_at timestamp",
    "properties": "source_system varchar, property_id varchar, name varchar, entity_id varchar, entity_name varchar,"
    " currency varchar, operator_name varchar, jurisdiction varchar, time_zone varchar, valid_from date, valid_to date,"
    " is_current boolean",
    "leases": "source_system varchar, lease_id varchar, property_id varchar, property_name varchar, entity_id varchar,"
    " entity_name varchar, currency varchar, operator_name varchar, time_zone varchar, unit_id varchar,"
    " unit_number varchar, program varchar, resident_names varchar, start_on date, end_on date, move_in_on date,"
    " move_out_on date",
    "resident_ledger": "source_system varchar, lease_id varchar, ledger_party varchar, property_id varchar,"
    " entity_id varchar, entry_seq bigint, entry_on date, accounting_on date, recorded_at timestamp,"
    " recorded_assumed boolean, kind varchar, source_table varchar, source_id varchar, is_future boolean,"
    " charge_code varchar, description varchar, service_from date, service_to date, due_on date, amount decimal(18,2),"
    " running_balance decimal(18,2), reverses_id varchar, batch_id varchar",
    "payment_applications": "application_id varchar, source_system varchar, lease_id varchar, ledger_party varchar,"
    " source_kind varchar, source_table varchar, source_id varchar, charge_id varchar, target_kind varchar,"
    " amount decimal(18,2), applied_on date, accounting_on date, recorded_at timestamp, rule_id varchar,"
    " rule_version integer, law_rule_id varchar, law_rule_version integer, step varchar,"
    " reverses_application_id varchar, reason varchar",
    "open_charges": "source_system varchar, lease_id varchar, ledger_party varchar, property_id varchar,"
    " entity_id varchar, source_table varchar, charge_id varchar, charge_code varchar, description varchar,"
    " due_on date, amount decimal(18,2), open_amount decimal(18,2)",
    "open_charges_month_end": "as_of date, basis varchar, entity_id varchar, property_id varchar,"
    " source_system varchar, lease_id varchar, ledger_party varchar, source_table varchar, charge_id varchar,"
    " charge_code varchar, description varchar, due_on date, amount decimal(18,2), applied_amount decimal(18,2),"
    " open_amount decimal(18,2), bucket varchar, is_rent boolean",
    "unapplied_credits": "source_system varchar, lease_id varchar, ledger_party varchar, source_kind varchar,"
    " source_table varchar, source_id varchar, amount decimal(18,2), waiting_since date, is_over_written_off boolean",
    "aging_month_end": "as_of date, basis varchar, entity_id varchar, property_id varchar, source_system varchar,"
    " lease_id varchar, ledger_party varchar, not_yet_due decimal(18,2), days_0_30 decimal(18,2),"
    " days_31_60 decimal(18,2), days_61_90 decimal(18,2), days_over_90 decimal(18,2), open_total decimal(18,2),"
    " rent_open decimal(18,2), other_open decimal(18,2), unapplied_credit decimal(18,2), balance decimal(18,2)",
    "aging_buckets": "as_of date, basis varchar, entity_id varchar, property_id varchar, source_system varchar,"
    " lease_id varchar, ledger_party varchar, bucket_no integer, bucket varchar, age_from integer, age_to integer,"
    " open_amount decimal(18,2), rent_open decimal(18,2), other_open decimal(18,2)",
    "arrears_by_month": "forum varchar, source_system varchar, lease_id varchar, period_from date, period_to date,"
    " rent_charged decimal(18,2), rent_paid decimal(18,2), rent_owing decimal(18,2), excluded_charges decimal(18,2),"
    " claimable decimal(18,2)",
    "quarantine": "quarantine_id varchar, batch_id varchar, source_system varchar, file varchar, row_number bigint,"
    ' "table" varchar, reason varchar, detail varchar, raw varchar, amount decimal(18,2), status varchar,'
    " resolved_by varchar",
    "incomplete_data": "cause varchar, source_system varchar, table_name varchar, entity_id varchar,"
    " property_id varchar, lease_id varchar, period_from date, period_to date, due_on date, file varchar,"
    " message varchar",
    "batch_expectations": "source_system varchar, table_name varchar, period_grain varchar, period_from date,"
    " period_to date, entity_id varchar, property_id varchar, due_on date, arrived_on date, batches bigint,"
    " status varchar",
    "quarantine_summary": 'source_system varchar, "table" varchar, file varchar, reason varchar, age_bucket varchar,'
    " rows_waiting bigint, amount decimal(18,2), rows_without_amount bigint, waiting_days bigint,"
    " first_seen_at timestamp",
    "late_arrivals": "entity_id varchar, property_id varchar, source_system varchar, lease_id varchar,"
    " ledger_party varchar, kind varchar, source_id varchar, amount decimal(18,2), entry_on date, accounting_on date,"
    " recorded_at timestamp, cause varchar",
    "close_status": "source_system varchar default 'default',"
    " entity_id varchar, entity_name varchar, period varchar, period_start date, period_end date,"
    " is_closed boolean, is_over boolean, closed_at timestamp, closed_by varchar, tie_outs bigint,"
    " tie_outs_that_differ bigint, late_arrivals bigint, late_arrivals_amount decimal(18,2),"
    " incomplete_causes bigint default 0",
    "tie_outs": "tie_out varchar, as_of date, source_system varchar default 'default',"
    " entity_id varchar, property_id varchar, ledger_party varchar,"
    " subject varchar, left_label varchar, left_amount decimal(18,2), right_label varchar,"
    " right_amount decimal(18,2), difference decimal(18,2), status varchar, look_at varchar",
}


def publish(home: Path, portfolio: Portfolio, number: int = 1) -> Path:
    """Write ``portfolio`` as build ``number`` of ``home`` and point ``current`` at it; the path of the build."""
    builds = home / "builds"
    builds.mkdir(parents=True, exist_ok=True)
    path = builds / f"{number}.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("create schema marts; use marts")
    for table, columns in TABLES.items():
        connection.execute(f"create table {table} ({columns})")

    waiting: dict[str, list[dict[str, object]]] = {table: [] for table in TABLES}

    def insert(table: str, rows: Iterable[dict[str, object]]) -> None:
        waiting[table].extend(rows)

    loaded_at = datetime.combine(portfolio.as_of + timedelta(days=1), datetime.min.time())
    insert("build_info", [{"build_no": number, "as_of": portfolio.as_of, "built_at": loaded_at}])
    owners = {each.property_id: each for each in portfolio.properties}
    insert("properties", ({**_property(each), "is_current": True} for each in portfolio.properties))
    for account in portfolio.accounts:
        for table, rows in _account(account, owners[account.property_id], portfolio.as_of).items():
            insert(table, rows)
    insert("quarantine", portfolio.quarantine)
    insert("late_arrivals", portfolio.late_arrivals)
    insert("close_status", portfolio.close_status)
    insert("tie_outs", portfolio.tie_outs)
    connection.execute("begin")
    for table, rows in waiting.items():
        if rows:
            names = list(dict.fromkeys(name for row in rows for name in row))
            marks = ", ".join(f"({', '.join('?' for _ in names)})" for _ in rows)
            listed = ", ".join(f'"{name}"' for name in names)
            values = [row.get(name) for row in rows for name in names]
            connection.execute(f"insert into {table} ({listed}) values {marks}", values)
    connection.execute("commit")
    connection.close()
    manifest = {"build_no": number, "as_of": portfolio.as_of.isoformat(), **portfolio.manifest}
    path.with_suffix(".json").write_text(json.dumps(manifest), encoding="utf-8")
    fresh = home / "current.next"
    fresh.symlink_to(Path("builds") / path.name)
    os.replace(fresh, home / "current")
    return path


def _property(owner: Property) -> dict[str, object]:
    return {
        "source_system": "default",
        "property_id": owner.property_id,
        "name": owner.name,
        "entity_id": owner.entity_id,
        "entity_name": owner.entity_name,
        "currency": owner.currency,
        "operator_name": owner.operator_name,
        "jurisdiction": owner.jurisdiction,
        "time_zone": owner.time_zone,
    }


def _account(account: Account, owner: Property, as_of: date) -> dict[str, list[dict[str, object]]]:
    key = {"source_system": "default", "lease_id": account.lease_id}
    owned = {**key, "ledger_party": account.ledger_party}
    placed = {**owned, "property_id": owner.property_id, "entity_id": owner.entity_id}
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    if account.ledger_party == "resident":
        tables["leases"].append(
            {
                **key,
                "property_id": owner.property_id,
                "property_name": owner.name,
                "entity_id": owner.entity_id,
                "entity_name": owner.entity_name,
                "currency": owner.currency,
                "operator_name": owner.operator_name,
                "time_zone": owner.time_zone,
                "unit_id": f"{owner.property_id}-{account.unit_number}",
                "unit_number": account.unit_number,
                "program": account.program,
                "resident_names": account.resident_names,
                "move_out_on": account.move_out_on,
            }
        )
    entries = sorted(account.entries, key=lambda entry: (entry.on, ORDER.index(entry.kind)))
    running = ZERO
    for seq, entry in enumerate(entries, start=1):
        running += entry.amount
        midnight = datetime.combine(entry.on, datetime.min.time())
        tables["resident_ledger"].append(
            {
                **placed,
                "entry_seq": seq,
                "entry_on": entry.on,
                "accounting_on": entry.accounting_on or entry.on,
                "recorded_at": entry.recorded_at or midnight,
                "recorded_assumed": entry.recorded_at is None,
                "kind": entry.kind,
                "source_table": SOURCE_TABLES[entry.kind],
                "source_id": entry.source_id,
                "is_future": entry.on > as_of,
                "charge_code": entry.code,
                "description": entry.description or entry.kind.replace("_", " ").capitalize(),
                "service_from": entry.service[0] if entry.service else None,
                "service_to": entry.service[1] if entry.service else None,
                "due_on": entry.due_on or (entry.on if entry.amount > 0 else None),
                "amount": entry.amount,
                "running_balance": running,
                "reverses_id": entry.reverses,
                "batch_id": "0" * 64,
            }
        )
    sources = {entry.source_id: entry.kind for entry in entries if entry.amount < 0}
    targets = {
        entry.source_id: entry.kind
        for entry in entries
        if entry.amount > 0 and entry.kind not in ("payment_return", "charge_reversal")
    }
    for number, each in enumerate(account.applications, start=1):
        tables["payment_applications"].append(
            {
                "application_id": f"{account.lease_id}-a{number}",
                **owned,
                "source_kind": sources[each.source_id],
                "source_table": SOURCE_TABLES[sources[each.source_id]],
                "source_id": each.source_id,
                "charge_id": each.charge_id,
                "target_kind": targets[each.charge_id],
                "amount": each.amount,
                "applied_on": each.on,
                "accounting_on": each.on,
                "recorded_at": datetime.combine(each.on, datetime.min.time()),
                "rule_id": "default",
                "rule_version": 1,
                "step": "1",
                "reason": each.reason,
            }
        )
    for start, charged, paid in account.arrears:
        owing = money(charged) - money(paid)
        tables["arrears_by_month"].append(
            {
                "forum": "earliest_rent",
                **key,
                "period_from": day(start),
                "period_to": month_last(day(start)),
                "rent_charged": money(charged),
                "rent_paid": money(paid),
                "rent_owing": owing,
                "excluded_charges": ZERO,
                "claimable": owing,
            }
        )
    if not entries:
        return tables
    for end in month_ends(entries[0].on, as_of):
        row: dict[str, Decimal] = dict.fromkeys((*BUCKETS, "rent_open", "other_open"), ZERO)
        for entry in entries:
            if entry.on > end or entry.amount <= 0 or entry.kind in ("payment_return", "charge_reversal"):
                continue
            applied = sum(
                (a.amount for a in account.applications if a.charge_id == entry.source_id and a.on <= end), ZERO
            )
            undone = any(other.reverses == entry.source_id and other.on <= end for other in entries)
            still_open = ZERO if undone else entry.amount - applied
            if not still_open:
                continue
            due_on = entry.due_on or entry.on
            row[bucket(due_on, end)] += still_open
            row["rent_open" if entry.is_rent else "other_open"] += still_open
            charge = {
                **placed,
                "source_table": SOURCE_TABLES[entry.kind],
                "charge_id": entry.source_id,
                "charge_code": entry.code,
                "description": entry.description,
                "due_on": due_on,
                "amount": entry.amount,
            }
            for basis in ("business", "books"):
                tables["open_charges_month_end"].append(
                    {
                        "as_of": end,
                        "basis": basis,
                        **charge,
                        "applied_amount": applied,
                        "open_amount": still_open,
                        "bucket": bucket(due_on, end),
                        "is_rent": entry.is_rent,
                    }
                )
            if end == as_of:
                tables["open_charges"].append({**charge, "open_amount": still_open})
        open_total = sum((row[name] for name in BUCKETS), ZERO)
        balance = sum((entry.amount for entry in entries if entry.on <= end), ZERO)
        tables["aging_month_end"].extend(
            {
                "as_of": end,
                "basis": basis,
                **placed,
                **row,
                "open_total": open_total,
                "unapplied_credit": open_total - balance,
                "balance": balance,
            }
            for basis in ("business", "books")
        )
        if end == as_of and open_total > balance:
            newest = next(entry for entry in reversed(entries) if entry.amount < 0)
            tables["unapplied_credits"].append(
                {
                    **owned,
                    "source_kind": newest.kind,
                    "source_table": SOURCE_TABLES[newest.kind],
                    "source_id": newest.source_id,
                    "amount": open_total - balance,
                    "waiting_since": newest.on,
                    "is_over_written_off": newest.kind == "write_off",
                }
            )
    return tables


def charge(source_id: str, on: str, amount: str, description: str, **more: object) -> Entry:
    return Entry(source_id, "charge", day(on), money(amount), description=description, **more)  # type: ignore[arg-type]


def credit(source_id: str, on: str, amount: str, description: str, **more: object) -> Entry:
    return Entry(source_id, "credit", day(on), -money(amount), description=description, **more)  # type: ignore[arg-type]


def payment(source_id: str, on: str, amount: str, description: str = "Payment", **more: object) -> Entry:
    return Entry(source_id, "payment", day(on), -money(amount), description=description, **more)  # type: ignore[arg-type]


def applied(source_id: str, charge_id: str, amount: str, on: str, reason: str | None = None) -> Application:
    return Application(source_id, charge_id, money(amount), day(on), reason=reason)


def rent(source_id: str, on: str, amount: str) -> Entry:
    start = day(on)
    return charge(source_id, on, amount, "Rent", code="RENT", service=(start, month_last(start)))


MARKUP_NAME = "<script>alert('owned')</script> & Sons"
FORMULA_NAME = '=HYPERLINK("http://example.invalid","pay")'
MANY_SCRIPTS = "Łukasz Müller, Ирина Ковалёва, Νίκος Παπαδόπουλος, Գրիգոր Աբգարյան, שרה לוי, فاطمة"


def ada() -> Account:
    """One lease in many shapes: NSF, a lockbox check, a concession. Balance 3,555.00 on 2026-04-05, rent 3,400.00."""
    return Account(
        "t0001001",
        "maple1",
        "2B",
        "Ada Example",
        [
            rent("R1", "2026-01-01", "1500"),
            payment("P1", "2026-01-03", "1500", "Payment (ACH)"),
            charge("N1", "2026-01-07", "25", "Returned payment fee", code="NSF", is_rent=False),
            Entry("X1", "payment_return", day("2026-01-07"), money("1500"), description="Payment returned (R01)"),
            rent("R2", "2026-02-01", "1500"),
            payment("P2", "2026-02-05", "1500", "Payment (check 1041)", recorded_at=datetime(2026, 3, 3, 16, 0)),
            charge("L1", "2026-02-06", "50", "Late fee", code="LATE", is_rent=False),
            rent("R3", "2026-03-01", "1550"),
            payment("P3", "2026-03-02", "1000", "Payment (ACH)"),
            charge("W1", "2026-03-10", "80", "Water", code="WATER", is_rent=False),
            rent("R4", "2026-04-01", "1550"),
            credit("C1", "2026-04-01", "200", "Concession", code="CONC"),
        ],
        [
            applied("P1", "R1", "1500", "2026-01-03"),
            applied("P1", "R1", "-1500", "2026-01-07", "return"),
            applied("P2", "R1", "1500", "2026-02-05"),
            applied("P3", "R2", "1000", "2026-03-02"),
            applied("C1", "R4", "200", "2026-04-01"),
        ],
        arrears=[
            ("2026-01-01", "1500", "1500"),
            ("2026-02-01", "1500", "1000"),
            ("2026-03-01", "1550", "0"),
            ("2026-04-01", "1350", "0"),
        ],
    )


def running_balance_case() -> Account:
    """Public case STM-01: several rows on one day."""
    rows = [
        ("2018-01-04", "67860.00"),
        ("2018-01-25", "144420.00"),
        ("2018-01-25", "22620.00"),
        ("2018-01-25", "-20000.00"),
        ("2018-01-25", "-15490.99"),
        ("2018-02-12", "3550.18"),
        ("2018-02-12", "31198.78"),
        ("2018-02-12", "37213.38"),
        ("2018-02-12", "-3550.18"),
        ("2018-02-12", "-31198.78"),
        ("2018-02-12", "-37213.38"),
    ]
    entries, applications = [], []
    for number, (on, amount) in enumerate(rows, start=1):
        if amount.startswith("-"):
            entries.append(payment(f"B{number}", on, amount[1:]))
        else:
            entries.append(charge(f"B{number}", on, amount, "Rent", code="RENT"))
    for source, target, amount, on in [
        ("B4", "B1", "20000.00", "2018-01-25"),
        ("B5", "B1", "15490.99", "2018-01-25"),
        ("B9", "B1", "3550.18", "2018-02-12"),
        ("B10", "B1", "28818.83", "2018-02-12"),
        ("B10", "B2", "2379.95", "2018-02-12"),
        ("B11", "B2", "37213.38", "2018-02-12"),
    ]:
        applications.append(applied(source, target, amount, on))
    return Account("STM-01", "maple1", "1A", "Several Rows", entries, applications)


def window_case() -> Account:
    """Public case STM-02: a window opens at what came before it."""
    return Account(
        "STM-02",
        "maple1",
        "1B",
        "Opening Balance",
        [
            Entry(
                "O1", "opening_balance", day("2020-12-31"), money("8140.87"), code="RENT", description="Opening balance"
            ),
            payment("P1", "2021-01-04", "4.00"),
        ],
        [applied("P1", "O1", "4.00", "2021-01-04")],
    )


def held_charge_case() -> Account:
    """Public case STM-04: a charge under a hold stays on the statement."""
    return Account(
        "STM-04",
        "maple1",
        "1C",
        "Held Charge",
        [rent("JAN", "2019-01-15", "100"), rent("APR", "2019-04-15", "200"), payment("P1", "2019-04-20", "100")],
        [applied("P1", "JAN", "100", "2019-04-20")],
    )


def portfolio() -> Portfolio:
    maple = Property("maple1", "Maple Court", "maple-llc", "Maple Court LLC")
    birch = Property(
        "birch1",
        "Birch & Bay <Annex>",
        "birch-lp",
        "Birch LP",
        currency="CAD",
        operator_name="Kestrel Homes",
        time_zone="America/Toronto",
        jurisdiction="CA-ON",
    )
    accounts = [
        ada(),
        running_balance_case(),
        window_case(),
        held_charge_case(),
        Account("M-1", "maple1", "3A", MARKUP_NAME, [rent("M1", "2026-04-01", "1200.50")]),
        Account(
            "F-1",
            "maple1",
            "3B",
            FORMULA_NAME,
            [rent("F1", "2026-03-01", "900"), rent("F2", "2026-04-01", "900"), payment("FP", "2026-03-04", "900")],
            [applied("FP", "F1", "900", "2026-03-04")],
        ),
        Account(
            "S-1",
            "birch1",
            "7",
            MANY_SCRIPTS,
            [rent("S1", "2026-03-01", "2000"), payment("SP", "2026-03-01", "2750.25", "Payment (cheque)")],
            [applied("SP", "S1", "2000", "2026-03-01")],
        ),
        Account(
            "Z-1",
            "birch1",
            "8",
            "Paid Up",
            [
                rent("1", "2026-03-01", "10"),
                payment("1", "2026-03-01", "10"),
                Entry("1", "payment_return", day("2026-03-02"), money("10"), description="Payment returned"),
                payment("2", "2026-03-03", "10"),
            ],
            [
                applied("1", "1", "10", "2026-03-01"),
                applied("1", "1", "-10", "2026-03-02", "return"),
                applied("2", "1", "10", "2026-03-03"),
            ],
        ),
        Account(
            "t0001001",
            "maple1",
            "2B",
            "Ada Example",
            [charge("A1", "2026-03-01", "400", "Housing assistance", code="HAP")],
            ledger_party="subsidy",
        ),
    ]
    months = [
        ("2026-01", "2026-01-01", "2026-01-31"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("2026-04", "2026-04-01", "2026-04-30"),
    ]
    close_status = []
    for entity_id, name in (("maple-llc", "Maple Court LLC"), ("birch-lp", "Birch LP")):
        for number, (period, start, end) in enumerate(months):
            closed = number < 2 and entity_id == "maple-llc"
            differs = 1 if (entity_id, period) == ("birch-lp", "2026-03") else 0
            late = 1 if (entity_id, period) == ("maple-llc", "2026-03") else 0
            close_status.append(
                {
                    "entity_id": entity_id,
                    "entity_name": name,
                    "period": period,
                    "period_start": day(start),
                    "period_end": day(end),
                    "is_closed": closed,
                    "is_over": number < 3,
                    "closed_at": datetime(2026, number + 2, 5, 12) if closed else None,
                    "closed_by": "Dana Okafor" if closed else None,
                    "tie_outs": 9,
                    "tie_outs_that_differ": differs,
                    "late_arrivals": late,
                    "late_arrivals_amount": money("-1500") if late else ZERO,
                }
            )
    return Portfolio(
        as_of=day("2026-04-05"),
        properties=[maple, birch],
        accounts=accounts,
        close_status=close_status,
        late_arrivals=[
            {
                "entity_id": "maple-llc",
                "property_id": "maple1",
                "source_system": "default",
                "lease_id": "t0001001",
                "ledger_party": "resident",
                "kind": "payment",
                "source_id": "P2",
                "amount": money("-1500"),
                "entry_on": day("2026-02-05"),
                "accounting_on": day("2026-03-01"),
                "recorded_at": datetime(2026, 3, 3, 16),
                "cause": "backdated_into_closed",
            }
        ],
        quarantine=[
            {
                "quarantine_id": "q1",
                "batch_id": "ab" * 32,
                "source_system": "default",
                "file": "charges-2026-04.csv",
                "row_number": 17,
                "table": "charges",
                "reason": "unknown_lease",
                "detail": "lease_id: found L-404, expected a lease. Load the lease; the charge follows.",
                "raw": json.dumps({"charge_id": "C404", "lease_id": "L-404"}),
                "amount": money("75"),
                "status": "open",
            },
            {
                "quarantine_id": "q2",
                "batch_id": "ab" * 32,
                "source_system": "default",
                "file": "charges-2026-04.csv",
                "row_number": 18,
                "table": "charges",
                "reason": "unreadable_amount",
                "detail": "amount: found 12,50, expected a decimal such as 12.50. Correct the row and land it again.",
                "raw": json.dumps({"charge_id": "C405", "amount": "12,50"}),
                "status": "open",
            },
        ],
        tie_outs=[
            {
                "tie_out": "open_charges_to_receivable",
                "as_of": day("2026-03-31"),
                "entity_id": "birch-lp",
                "property_id": "birch1",
                "ledger_party": "resident",
                "left_label": "open charges",
                "left_amount": money("100"),
                "right_label": "receivable account",
                "right_amount": money("99.50"),
                "difference": money("0.50"),
                "status": "differs",
            },
            {
                "tie_out": "open_charges_to_receivable",
                "as_of": day("2026-03-31"),
                "entity_id": "maple-llc",
                "property_id": "maple1",
                "ledger_party": "resident",
                "left_label": "open charges",
                "left_amount": money("3205"),
                "right_label": "receivable account",
                "right_amount": money("3205"),
                "difference": ZERO,
                "status": "ties",
            },
        ],
    )
