"""The two audits and a posting run on one built portfolio: planted faults are found to the cent, nothing else is."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from orchestration.closing.checklist import _late_fees
from orchestration.closing.close import closing_moment
from orchestration.home import Home
from orchestration.landing import land
from orchestration.posting.post import Wanted, post, write_runs
from orchestration.publishing.publish import instant
from orchestration.rules import listed
from tests.conftest import BuildOf, Built
from tests.warehouse.late_fees.town import AS_OF, LAWFUL, PLANTED, town


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(town().files(), as_of=AS_OF)


def test_planted_overcharges_are_found_to_the_cent_and_nothing_else(built: Built) -> None:
    found = {
        charge: (verdict, str(overcharge))
        for charge, verdict, overcharge in built.rows(
            "select charge_id, verdict, overcharge from late_fee_audit where overcharge > 0"
        )
    }
    assert found == PLANTED
    places = built.rows("select count(distinct jurisdiction) from late_fee_audit where overcharge > 0")
    assert places == [(6,)]


def test_what_is_lawful_is_called_so_and_what_cannot_be_proved_is_not(built: Built) -> None:
    rows = built.rows("select charge_id, verdict from late_fee_audit where charge_id is not null and overcharge = 0")
    assert {charge for charge, verdict in rows if verdict == "lawful"} == LAWFUL
    assert {(charge, verdict) for charge, verdict in rows if verdict != "lawful"} == {
        ("ga.unproven.FEE", "needs_human_basis")
    }


def test_a_part_given_back_leaves_the_rest_wrong_and_the_close_is_told(built: Built) -> None:
    """15.00 too much and 10.00 given back: 5.00 stand. What was waived whole is told no more; the month's unproven
    figures are those that the checklist names."""
    assert built.rows("select overcharge, overcharge_left from late_fee_audit where charge_id = 'co.partly.FEE'") == [
        (Decimal("15.00"), Decimal("5.00"))
    ]
    told = built.rows("select charge_id from late_fee_audit where overcharge_left > 0 or unproven_left > 0 order by 1")
    (entity,) = built.rows("select distinct source_system, entity_id from core.int_portfolio__entities")
    with duckdb.connect(str(built.build.path), read_only=True) as connection:
        item = _late_fees(connection, list(entity), date(2026, 9, 1), date(2026, 9, 30))
    assert [line.split(" ")[0] for line in item.refusing] == [charge for (charge,) in told]
    assert {*PLANTED, "ga.unproven.FEE"} == {charge for (charge,) in told}
    assert "co.partly.FEE of lease co.partly over 75.00: too much; 5.00 of it is not lawful" in item.lines
    counted = built.rows("select sum(figures), sum(unproven_left) from unproven_figures where period = '2026-09'")
    assert counted == built.rows("select count(*), sum(unproven_left) from late_fee_audit where unproven_left > 0")
    assert counted[0][0] == sum("nothing on file proves" in line for line in item.lines) == 1


def test_every_fee_of_the_ledger_has_its_row_and_names_its_rules(built: Built) -> None:
    fees = built.one("select count(*) from resident_ledger where charge_code = 'late_fee' and kind = 'charge'")
    assert (
        fees
        == built.one("select count(*) from late_fee_audit where charge_id is not null")
        == len(PLANTED) + len(LAWFUL) + 1
    )
    row = built.dicts("from late_fee_audit where charge_id = 'mn.base.FEE'")[0]
    assert (row["law_rule_id"], row["policy_rule_id"]) == ("US-MN.latefee.504B177", "fee.mn")
    assert (row["base"], row["base_amount"], row["lawful_maximum"]) == ("past_due_rent", Decimal(700), Decimal(56))


def test_a_late_period_without_a_fee_has_no_verdict(built: Built) -> None:
    rows = built.rows(
        "select lease_id, verdict, postable_amount from late_fee_audit where charge_id is null order by 1"
    )
    assert ("post.late", None, Decimal("45.00")) in rows and ("post.unproven", None, Decimal("0.00")) in rows
    assert {verdict for _, verdict, _ in rows} == {None}


def test_waivers_are_counted_by_property_and_person(built: Built) -> None:
    assert built.rows(
        "select property_id, approved_by, waived_by, waivers, waived_amount, property_fees from late_fee_waivers"
        " order by 1"
    ) == [("co", "R. Vale", "Kim", 1, Decimal("10.00"), 4), ("ny", "R. Vale", "Kim", 1, Decimal("50.00"), 4)]


@pytest.mark.parametrize(
    ("lease", "findings"),
    [
        ("bill.agrees", []),
        ("bill.missing", [("missing", "2026-09-01", "-1000.00")]),
        ("bill.twice", [("duplicated", "2026-09-01", "1000.00")]),
        ("bill.over", [("over", "2026-10-01", "10.00")]),
        ("bill.under", [("under", "2026-10-01", "-10.00")]),
        ("bill.gone", [("after_move_out", "2026-09-01", "500.00"), ("after_move_out", "2026-10-01", "1000.00")]),
        ("bill.method", [("wrong_method", "2026-08-17", "24.19")]),
        ("bill.free", [("expired_concession", "2026-10-01", "-100.00")]),
        ("bill.back", []),  # taken back on purpose
        ("post.change", [("missing", "2026-10-01", "-1720.00")]),  # 14 days at 1,550 and 17 at 1,860
        ("program", [("under", "2026-08-01", "-200.00"), ("under", "2026-10-01", "-200.00")]),
    ],
)
def test_the_billing_audit_finds(built: Built, lease: str, findings: list[tuple[str, str, str]]) -> None:
    rows = built.rows(
        "select finding, cast(service_from as varchar), cast(difference as varchar) from billing_audit"
        " where lease_id = ? order by service_from, finding",
        [lease],
    )
    if lease == "program":  # the subsidy stands at 400.00 where 600.00 is due: the resident was charged too much
        rows = [("under", on, f"{-Decimal(amount)}") for _, on, amount in rows]
    assert rows == findings


def test_totals_of_the_billing_audit_are_the_sum_of_its_rows(built: Built) -> None:
    assert built.rows("select sum(findings), sum(difference) from billing_audit_totals") == built.rows(
        "select count(*), sum(difference) from billing_audit"
    )


def test_the_price_of_a_unit_on_a_day(built: Built) -> None:
    sql = (
        "select is_mandatory, sum(amount) from unit_price_lines where lease_id = ? and valid_from <= cast(? as date)"
        " and (valid_to is null or cast(? as date) < valid_to) group by 1 order by 1"
    )
    assert built.rows(sql, ["post.change", "2026-10-14", "2026-10-14"]) == [(True, Decimal("1550.00"))]
    assert built.rows(sql, ["post.change", "2026-10-15", "2026-10-15"]) == [(True, Decimal("1860.00"))]
    assert built.rows(sql, ["bill.free", "2026-09-15", "2026-09-15"]) == [
        (False, Decimal("-100.00")),
        (True, Decimal("1000.00")),
    ]


def test_the_rules_that_apply_are_listed_and_an_assumed_start_is_marked(built: Built) -> None:
    lines = listed(built.build)
    (minnesota,) = [line for line in lines if line.startswith("US-MN.latefee.504B177 ")]
    assert "Minn. Stat. 504B.177(a) (start unverified)" in minnesota
    assert any(line.startswith("fee.mn ") and "policy" in line for line in lines)


def test_a_posting_run_writes_what_is_due_once_with_a_reason_for_the_rest(built: Built, tmp_path: Path) -> None:
    moment = "2026-11-20T12:00:00+00:00"
    asked = Wanted(("recurring", "late_fee"))
    first = write_runs(built.home, asked, moment, tmp_path / "a")
    again = write_runs(built.home, asked, moment, tmp_path / "b")
    assert [path.read_bytes() for path in first.files] == [path.read_bytes() for path in again.files]
    text = (tmp_path / "a" / "charges.csv").read_text(encoding="utf-8")
    rows = [dict(zip(text.splitlines()[0].split(","), line.split(","), strict=False)) for line in text.splitlines()[1:]]
    posted = sorted((row["lease_id"], row["charge_code"], row["amount"]) for row in rows)
    assert posted == [
        ("post.change", "rent", "1020.00"),
        ("post.change", "rent", "700.00"),
        ("post.late", "late_fee", "45.00"),
        ("post.part", "rent", "800.00"),
        ("post.rent", "rent", "1200.00"),
        ("program", "subsidy", "-200.00"),
        ("program", "subsidy", "-200.00"),
    ]
    lines = (tmp_path / "a" / "posting_run_lines.csv").read_text(encoding="utf-8")
    assert "taken back on purpose: bill.back.10" in lines and "already charged: bill.agrees.10" in lines
    assert "cannot be proved" in lines or "only a person can say" in lines


def test_a_property_whose_day_has_not_come_is_left_alone(built: Built, tmp_path: Path) -> None:
    """IMP-01: at 02:00 UTC of the day it is still the evening before in every property of the portfolio."""
    left = write_runs(built.home, Wanted(), f"{AS_OF}T02:00:00+00:00", tmp_path)
    assert left.charges == 0 and set(left.waiting) >= {"ga"} and left.files == []


def test_a_run_killed_after_it_landed_is_published_by_the_next_one_and_posts_nothing_twice(
    built: Built, tmp_path: Path
) -> None:
    """The rows land in one step: a kill before it leaves nothing, one after it what the next run publishes."""
    shutil.copytree(built.home.path, tmp_path / "home", symlinks=True)
    home = Home(tmp_path / "home")
    moment, loaded_at = closing_moment(home)
    with home.locked("a run that is killed"):
        killed = write_runs(home, Wanted(), instant(moment), tmp_path / "landing")
        land(home, tmp_path / "landing", loaded_at=loaded_at, run_id="killed")
    assert killed.charges == 6
    _, again = post(home, Wanted())
    assert again.charges == 0 and again.runs == []
    _, fees = post(home, Wanted(("late_fee",)))
    assert fees.charges == 1
    _, nothing = post(home, Wanted(("recurring", "late_fee")))
    assert nothing.charges == 0 and nothing.files == []
    ledger = Built(home, home.need_published(), built.run)
    assert ledger.rows(
        "select lease_id, sum(amount) from resident_ledger where source_id like 'post-%' group by 1 order by 1"
    ) == [
        ("post.change", Decimal("1720.00")),
        ("post.late", Decimal("45.00")),
        ("post.part", Decimal("800.00")),
        ("post.rent", Decimal("1200.00")),
        ("program", Decimal("-400.00")),
    ]
    assert ledger.one("select count(*) from billing_audit where lease_id like 'post.%' or lease_id = 'program'") == 0
    assert ledger.rows("select kind, sum(posted), min(status) from posting_runs group by 1 order by 1") == [
        ("late_fee", 1, "completed"),
        ("recurring", 6, "completed"),
    ]
    assert ledger.rows(
        "select reason from posting_run_lines where lease_id = 'bill.agrees' and period_from = date '2026-10-01'"
        " and charge_code = 'rent'"
    ) == [("already charged: bill.agrees.10",)]
