"""The seeded portfolio as it would land: Parquet files in the contract's tables.

The events are those of `portfolio.py`, so the kernel alone and the whole build are measured on one set of rows. A file
holds what one month recorded, as a nightly export would; nobody's figures are in it. Twelve jurisdictions, of which
half have a law of applying money on file; four shapes of policy, each with a second version from the middle on; months
close on the fifth of the next, so that what was keyed late is booked late.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from tests.bench.portfolio import CATEGORIES, CODES, FIRST, IS_RENT, POLICIES, SECOND, SHAPE_OF_JURISDICTION, portfolio

JURISDICTIONS = (
    "US-IA", "US-KS", "US-WA", "US-DC", "US-NC", "US-NM", "US-CO", "CA-ON", "US-TX", "US-FL", "US-AZ", "US-NV",
)  # fmt: skip
LEASES_OF_A_PROPERTY = 200
CHART = (
    ("1010", "Cash", "asset", "cash"),
    ("1011", "Trust cash", "asset", "trust_cash"),
    ("1200", "Receivable, residents", "asset", "receivable_resident"),
    ("1210", "Receivable, agencies", "asset", "receivable_subsidy"),
    ("1220", "Receivable, others", "asset", "receivable_third_party"),
    ("1900", "Intercompany", "asset", "intercompany"),
    ("2000", "Prepaid", "liability", "prepaid"),
    ("2010", "Suspense", "liability", "suspense"),
    ("2020", "Deposits billed", "liability", "deposits_billed"),
    ("2030", "Deposits held", "liability", "deposits_held"),
    ("3000", "Opening equity", "equity", "opening_equity"),
    ("3100", "Retained earnings", "equity", "retained_earnings"),
    ("6000", "Bad debt", "expense", "bad_debt"),
    ("6010", "Bad debt recovered", "income", "bad_debt_recovery"),
)
FACTS = ("charges", "payments", "payment_reversals")


def write_landing(folder: Path, leases: int, months: int, seed: int = 20260101) -> str:
    """Write the files into a folder. Returns the day that a build of them stands at: the last of the last month.

    Amounts are DECIMAL(18,2), days DATE, moments text in UTC, ids text. The same seed gives the same rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("set preserve_insertion_order = false")
        connection.register("events", portfolio(leases, months, seed))
        _reference(connection, leases, months)
        _facts(connection)
        for (table,) in connection.execute(
            "select table_name from duckdb_tables() where not temporary order by 1"
        ).fetchall():
            if table not in FACTS:
                connection.execute(f"copy {table} to '{folder / table}.parquet' (format parquet)")
        for table in FACTS:
            for (month,) in connection.execute(
                f"select distinct left(recorded_at, 7) from {table} order by 1"
            ).fetchall():
                connection.execute(
                    f"copy (select * from {table} where left(recorded_at, 7) = '{month}') "
                    f"to '{folder / table}-{month}.parquet' (format parquet)"
                )
        day = connection.execute(
            "select last_day(cast($1 as date) + to_months($2))", [str(FIRST), months - 1]
        ).fetchone()
    return day[0].isoformat()


def _property(account: str) -> str:
    """The property of a lease, in SQL: all its leases are of one jurisdiction, as in `portfolio`."""
    return f"printf('p%02d-%03d', {account} % 12, {account} // 12 // {LEASES_OF_A_PROPERTY})"


def _reference(connection: duckdb.DuckDBPyConnection, leases: int, months: int) -> None:
    connection.execute(
        f"""
        create table entities as
            select 'bench' as entity_id, 'Bench Homes' as name, 'USD' as currency, 'main' as chart_id;
        create temp table numbered as select cast(range as bigint) as account from range(1, {leases} + 1);
        create table properties as
            select distinct {_property("account")} as property_id, 'bench' as entity_id, {_property("account")} as name,
                {list(JURISDICTIONS)}[account % 12 + 1] as jurisdiction, 'UTC' as time_zone
            from numbered;
        create table units as
            select 'u' || account as unit_id, {_property("account")} as property_id,
                cast(account as varchar) as unit_number
            from numbered;
        create table persons as
            select 'h' || account as person_id, 'Resident ' || account as name from numbered;
        create table leases as
            select 'l' || account as lease_id, {_property("account")} as property_id, 'u' || account as unit_id,
                'market' as program, date '2022-12-01' as start_on
            from numbered;
        create table lease_parties as
            select 'l' || account as lease_id, 'h' || account as person_id, 'leaseholder' as role from numbered;
        create table period_closes as
            select 'bench' as entity_id, strftime(month, '%Y-%m') as period, 'Bench' as closed_by,
                strftime(month + interval 1 month + interval 4 days, '%Y-%m-%dT12:00:00Z') as closed_at
            from (select cast('{FIRST}' as date) + to_months(cast(range as integer)) as month from range({months} - 1));
        create table gl_accounts (chart_id varchar, account varchar, name varchar, type varchar, role varchar);
        create table charge_codes (charge_code varchar, name varchar, category varchar, counts_as_rent varchar,
            is_mandatory varchar, is_recurring varchar, in_advertised_price varchar, prorates varchar);
        create table gl_mappings (chart_id varchar, charge_code varchar, account varchar);
        create table application_rules (rule_id varchar, version integer, source varchar, scope varchar,
            scope_id varchar, steps varchar, valid_from date, valid_to date);
        """
    )
    connection.executemany("insert into gl_accounts values ('main', ?, ?, ?, ?)", CHART)
    for at, (code, category, is_rent) in enumerate(zip(CODES, CATEGORIES, IS_RENT, strict=True)):
        account, kind = str(4000 + 100 * at), "contra_income" if category == "concession" else "income"
        # The kernel's shapes speak of insurance; the contract's word for it is an add-on.
        category = "add_on" if category == "insurance" else str(category)
        connection.execute("insert into gl_accounts values ('main', ?, ?, ?, null)", [account, str(code).title(), kind])
        connection.execute(
            "insert into charge_codes values (?, ?, ?, ?, 'false', 'false', 'false', 'false')",
            [str(code), str(code).title(), category, str(bool(is_rent)).lower()],
        )
        connection.execute("insert into gl_mappings values ('main', ?, ?)", [str(code), account])
    middle = f"cast('{FIRST}' as date) + to_months({months // 2})"
    for version, shapes in ((1, POLICIES), (2, SECOND)):
        days = ("date '2020-01-01'", middle) if version == 1 else (middle, "null")
        for jurisdiction, shape in enumerate(SHAPE_OF_JURISDICTION):
            connection.execute(
                f"""insert into application_rules
                    select 'policy-' || property_id, {version}, 'policy', 'property', property_id, ?,
                        {days[0]}, {days[1]}
                    from properties where jurisdiction = ?""",
                [shapes[int(shape)].replace('"insurance"', '"add_on"'), JURISDICTIONS[jurisdiction]],
            )


def _facts(connection: duckdb.DuckDBPyConnection) -> None:
    money = "cast(cast({} as decimal(18, 0)) * 0.01 as decimal(18, 2))"
    known = "strftime(e.known_at, '%Y-%m-%dT%H:%M:%S.%fZ')"
    connection.execute(
        f"""
        create table charges as
            select 'c' || e.event_key as charge_id, 'l' || e.account_key as lease_id,
                replace(coalesce(e.code_key, undone.code_key), 'default:', '') as charge_code,
                {money.format("e.amount_minor")} as amount, e.business_on as posted_on, e.due_on,
                e.service_from, if(e.service_from is null, null, last_day(e.service_from)) as service_to,
                'c' || e.names_event_key as reverses_charge_id, {known} as recorded_at
            from events as e
            left join events as undone on undone.event_key = e.names_event_key
            where e.kind in ('charge', 'credit', 'charge_reversal');
        create table payments as
            select 'm' || event_key as payment_id, 'l' || account_key as lease_id,
                {money.format("-amount_minor")} as amount, business_on as received_on, 'portal' as channel,
                designation, {known} as recorded_at
            from events as e where kind = 'payment';
        create table payment_reversals as
            select 'r' || event_key as reversal_id, 'm' || names_event_key as payment_id, 'return' as kind,
                {money.format("amount_minor")} as amount, business_on as reversed_on, {known} as recorded_at
            from events as e where kind = 'payment_return';
        """
    )
