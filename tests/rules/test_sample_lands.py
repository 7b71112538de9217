"""The sample lands clean but for the front desk's file, whose every fault gets its own reason."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from orchestration.home import Home
from orchestration.landing import ensure_raw, land
from orchestration.sample import write_sample

RULES = Path(__file__).resolve().parents[2] / "seeds" / "rules"
LOADED_AT = datetime(2026, 11, 6, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The raw file of a home that landed the sample, the shipped rules and the platforms' policies, filled in."""
    folder = tmp_path_factory.mktemp("landing")
    write_sample(folder)
    for name in ("application_rules", "charge_treatments", "forum_rules"):
        shutil.copy(RULES / f"{name}.csv", folder / f"{name}-shipped.csv")
    with (RULES / "policies_of_platforms.csv").open(newline="", encoding="utf-8") as handle:
        policies = list(csv.DictReader(handle))
    with (folder / "application_rules-platforms.csv").open("w", newline="", encoding="utf-8") as handle:
        out = csv.DictWriter(handle, policies[0], lineterminator="\n")
        out.writeheader()
        for day, policy in enumerate(policies, 1):
            out.writerow(policy | {"scope_id": "maple1", "valid_from": f"2026-01-{day:02d}"})
    home = Home(tmp_path_factory.mktemp("home"))
    home.create()
    ensure_raw(home)
    report = land(home, folder, loaded_at=LOADED_AT, run_id="sample")
    assert not report.refused
    with duckdb.connect(str(home.raw), read_only=True) as connection:
        yield connection


def test_only_the_front_desk_is_in_quarantine_and_each_fault_has_its_reason(raw: duckdb.DuckDBPyConnection) -> None:
    found = raw.execute("select file, row_number, reason from landing.quarantine order by row_number").fetchall()
    assert found == [
        ("payments-front-desk.csv", 3, "not_an_amount"),  # a decimal comma
        ("payments-front-desk.csv", 4, "not_an_amount"),  # a currency sign
        ("payments-front-desk.csv", 5, "not_an_amount"),  # three decimals
        ("payments-front-desk.csv", 6, "not_a_date"),  # day first
        ("payments-front-desk.csv", 7, "not_a_date"),  # a year without its century
        ("payments-front-desk.csv", 9, "amount_not_positive"),
        ("payments-front-desk.csv", 10, "missing_required"),
        ("payments-front-desk.csv", 11, "key_used_twice"),
        ("payments-front-desk.csv", 12, "recorded_in_future"),
    ]


def test_a_payment_sent_twice_is_a_duplicate_and_changes_nothing(raw: duckdb.DuckDBPyConnection) -> None:
    """Which of two equal rows of one load is taken depends on their files' bytes: one is, the other is a duplicate."""
    found = raw.execute(
        """
        select landed.payment_id, list(landed.file order by landed.file), list(verdicts.verdict order by verdict)
        from landing.landed_payments as landed
        join landing.verdicts as verdicts using (batch_id, row_number)
        where verdicts.table_name = 'payments' and verdicts.verdict in ('loaded', 'duplicate')
        group by landed.payment_id
        having count(*) > 1
        """
    ).fetchall()
    assert len(found) == 1
    (_, files, verdicts) = found[0]
    assert "payments-front-desk.csv" in files and len(set(files)) == 2 and verdicts == ["duplicate", "loaded"]


def test_a_payment_of_a_lease_that_nobody_has_is_taken_into_suspense(raw: duckdb.DuckDBPyConnection) -> None:
    found = raw.execute(
        "select lease_id, entity_id, amount from landing.payments where payment_id = 'fd-007'"
    ).fetchall()
    assert found == [(None, "birchline", "25.00")]


def test_rules_and_policies_are_all_accepted(raw: duckdb.DuckDBPyConnection) -> None:
    counted = raw.execute("select source, count(*) from landing.application_rules group by 1 order by 1").fetchall()
    with (RULES / "application_rules.csv").open(newline="", encoding="utf-8") as handle:
        laws = len(list(csv.DictReader(handle)))
    assert dict(counted)["law"] == laws
    assert raw.execute(
        "select count(distinct rule_id) from landing.application_rules where scope_id = 'maple1' and source = 'policy'"
    ).fetchone() == (10,)
    assert raw.execute("select count(*) from landing.charge_treatments").fetchone() == (103,)
    assert raw.execute("select count(*) from landing.forum_rules").fetchone() == (10,)


def test_every_historic_close_is_registered(raw: duckdb.DuckDBPyConnection) -> None:
    found = raw.execute(
        "select entity_id, min(period), max(period), count(*) from landing.period_closes group by 1 order by 1"
    ).fetchall()
    assert found == [(e, "2024-10", "2026-09", 24) for e in ("birchline", "cedarmain", "lakeshore")]
