"""Closing months: what refuses a close, what a close leaves behind, and that a kill in the middle loses nothing."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from orchestration import jobs, pipeline
from orchestration.closing.close import (
    Decision,
    Month,
    close,
    close_file,
    finished_months,
    items_of,
    month_of,
    reasons_against,
    refuse,
)
from orchestration.closing.month_end import leave_report, reports, statements, step
from orchestration.closing.pack import broken_packs, seals
from orchestration.errors import Refused, UsageError
from orchestration.home import Home
from orchestration.landing import land
from orchestration.publishing.publish import check_published, instant
from tests.conftest import write_files
from tests.orchestration.conftest import start, tieout
from tests.warehouse.books.portfolio import Portfolio

JANUARY, FEBRUARY, MARCH, APRIL = (Month("default", "E", f"2025-0{month}") for month in (1, 2, 3, 4))

CLOSE = """
import sys
from pathlib import Path
from orchestration.closing.close import Month, close
from orchestration.home import Home
close(Home(Path(sys.argv[1])), [Month("default", "E", sys.argv[2])], by="A. Controller")
"""


def decision(accept: str = "", now: datetime | None = None) -> Decision:
    return Decision("A. Controller", "", accept, instant(now or datetime.now(UTC)))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """One entity with three months of rent, built as of the middle of March 2025."""
    folder = tmp_path_factory.mktemp("closing")
    books = Portfolio()
    books.case("E")
    for month in (1, 2, 3):
        books.charge("E", f"RENT{month}", "1000.00", f"2025-0{month}-01")
        books.payment("E", f"PAY{month}", "900.00", f"2025-0{month}-03")
    # March: money without a lease, a late fee, and a payment whose amount cannot be read; the money came by a lockbox
    # that reports under a source system of its own.
    lockbox = {"source_system": "lockbox"}
    books.payment("E", "NOLEASE", "25.00", "2025-03-05", lease_id="", entity_id="E", **lockbox)
    books.charge("E", "FEE", "40.00", "2025-03-10", "LATE")
    books.payment("E", "BAD", "12,50", "2025-03-12", **lockbox)
    books.write(folder)
    home = Home(folder / "home")
    pipeline.run_folder(home, folder / "first", as_of="2025-03-15", expectations=False)
    return home


@pytest.fixture
def home(built: Home, tmp_path: Path) -> Iterator[Home]:
    """A copy of that home that a test may change."""
    shutil.copytree(built.path, tmp_path / "home", symlinks=True)
    yield Home(tmp_path / "home")


def test_a_month_must_be_a_month_of_an_entity_that_exists(built: Home) -> None:
    assert month_of(built, "E", "2025-01") == JANUARY
    with pytest.raises(UsageError, match="no entity 'X'") as unknown:
        month_of(built, "X", "2025-01")
    assert "E" in unknown.value.what_to_do
    with pytest.raises(UsageError, match="expected YYYY-MM"):
        month_of(built, "E", "2025-13")


def test_a_month_that_is_not_over_is_refused(built: Home) -> None:
    with pytest.raises(Refused, match="stands as of 2025-03-15"):
        refuse(built, [MARCH], decision())
    with pytest.raises(Refused, match="not over before 2025-03-01; today is 2025-02-28"):
        refuse(built, [FEBRUARY], decision(now=datetime(2025, 3, 1, 5, 59, tzinfo=UTC)))
    refuse(built, [FEBRUARY], decision(now=datetime(2025, 3, 1, 6, 0, tzinfo=UTC)))
    with pytest.raises(Refused, match="stands as of"):
        refuse(built, [MARCH], decision(accept="because I say so"))


def test_what_is_loaded_and_not_published_refuses(home: Home, tmp_path: Path) -> None:
    more = write_files(tmp_path / "more", {"persons.csv": "person_id,name\nP1,Ann\n"})
    land(home, more, loaded_at=pipeline.next_moment(home), run_id="by hand")
    with pytest.raises(Refused, match=r"not in published build 1: persons\.csv; run `tieout run` first") as refused:
        refuse(home, [JANUARY], decision(accept="never mind"))
    assert refused.value.exit_code == 6 and not list(home.closes.iterdir())


def test_a_difference_refuses_unless_a_person_accepts_it_with_a_reason(home: Home) -> None:
    spoil(
        home,
        "update marts.tie_outs set difference = 12.34, right_amount = left_amount - 12.34 where entity_id = 'E' "
        "and as_of = date '2025-01-10' and tie_out = (select min(tie_out) from marts.tie_outs where entity_id = 'E')",
    )
    with pytest.raises(Refused, match=r"a tie-out differs: .*2025-01-10 E.*difference 12\.34") as refused:
        refuse(home, [JANUARY], decision())
    assert "--accept REASON" in refused.value.what_to_do
    # Closing February closes January for good, so the difference is asked about there too.
    with pytest.raises(Refused, match=r"E 2025-02: a tie-out differs: .*2025-01-10 E"):
        refuse(home, [FEBRUARY], decision())
    accepted = refuse(home, [JANUARY], decision(accept="Known: see memo 7"))
    assert len(accepted[JANUARY]) == 1 and "12.34" in accepted[JANUARY][0]
    assert finished_months(home) == [] or JANUARY not in finished_months(home)


def test_a_bank_account_of_several_owners_that_differs_refuses_the_close_of_each(home: Home) -> None:
    """Its comparison is of no entity alone, and so it stood in nobody's checklist."""
    spoil(
        home,
        "insert into marts.tie_outs by name select 'settled_payments__to__bank_deposits' as tie_out, 7 as tie_out_no, "
        "date '2025-01-10' as as_of, 'settlement account ' || name as subject, 500.00 as left_amount, "
        "490.00 as right_amount, 10.00 as difference, 'differs' as status from (values ('shared'), "
        "('of others')) t(name)",
    )
    refuse(home, [JANUARY], decision())
    spoil(
        home,
        "insert into core.int_events__settled by name select settlement_account, entity_key, source_table, "
        "'P' as source_key, 'P' as source_id, 'P' as payment_id, 1.00 as amount, date '2025-01-03' as received_on, "
        "'default' as source_system from (values ('shared', 'default:E', 'payments'), ('of others', 'default:F', "
        "'payments')) t(settlement_account, entity_key, source_table)",
    )
    with pytest.raises(Refused, match=r"a tie-out differs: .*settlement account shared") as refused:
        refuse(home, [JANUARY], decision())
    assert "of others" not in str(refused.value)
    unproven = {item.name: item for item in items_of(home, JANUARY)}["unproven figures"]
    assert not any("bank_deposits" in line for line in unproven.lines), "it was compared"


def test_an_incomplete_build_refuses(home: Home) -> None:
    lacking = (
        "insert into tie_outs.int_tie_outs__incomplete (cause, table_name, entity_key, period_from, message) values "
    )
    spoil(home, lacking + "('missing_batch', 'charges', 'other:E', null, 'of another entity')")
    spoil(home, lacking + "('missing_batch', 'charges', 'default:E', date '2025-02-01', 'of a later month')")
    refuse(home, [JANUARY], decision())
    spoil(home, lacking + "('refused_file', 'charges', null, null, 'charges-2.csv: no column lease_id')")
    with pytest.raises(Refused, match=r"incomplete: charges-2\.csv") as refused:
        refuse(home, [JANUARY], decision())
    assert "of another entity" not in str(refused.value) and "of a later month" not in str(refused.value)
    refuse(home, [JANUARY], decision(accept="That file is of another entity"))


def test_the_checklist_says_what_is_in_order_and_what_is_to_be_seen(home: Home) -> None:
    """Comparisons refuse; what nothing proves is to be seen: no other books were loaded for January."""
    items = {item.name: item for item in items_of(home, JANUARY)}
    names = ("tie-outs", "completeness", "suspense", "late fees", "late arrivals")
    assert [items[name].open for name in names] == [0] * 5
    assert items["tie-outs"].looked_at >= 31 * 9
    assert items["quarantine"].text()[0].endswith("1 to be seen"), "it is dated in March"
    assert [line.split(" ")[2] for line in items["unproven figures"].lines] == ["of", "of"]
    assert (
        "(gl_balances)" in items["unproven figures"].lines[0]
        and "(bank_deposits)" in items["unproven figures"].lines[1]
    )
    assert items["unproven figures"].text()[0].endswith("2 to be seen")
    spoil(home, "update core.int_portfolio__gl_accounts set role = '' where role = 'retained_earnings'")
    spoil(
        home,
        "insert into marts.concessions by name select 'default' as source_system, 'K' as concession_id,"
        " 'E' as lease_id, date '2024-07-01' as term_from, date '2024-12-31' as term_to,"
        " 600 as granted_amount, 450 as given_amount",
    )
    assert {item.name: item for item in items_of(home, JANUARY)}["unproven figures"].lines[2:] == (
        "no account of the chart has the role retained_earnings: income and expense of past years stay open",
        "concession K of lease E: 450.00 of 600.00 was given when its term ended; the difference stays in the deferred "
        "rent of the straight-line book",
    )
    spoil(
        home,
        "update marts.tie_outs set difference = 12.34, right_amount = left_amount - 12.34 where entity_id = 'E' "
        "and as_of = date '2025-01-10' and tie_out = 'debits__to__credits'",
    )
    refusing = {item.name: item for item in items_of(home, JANUARY)}["tie-outs"]
    assert refusing.refuses and refusing.text()[0].endswith("1 REFUSES") and "12.34" in refusing.text()[1]


def test_quarantine_old_suspense_and_unproven_late_fees_refuse_unless_they_are_accepted(home: Home) -> None:
    """March has all three; money without a lease is to be seen in its own month and refuses from the next on."""
    march = {item.name: item for item in items_of(home, MARCH)}
    assert march["quarantine"].refusing == (
        "payments.csv row 6: payments, not_an_amount, no amount can be read, dated 2025-03-12",
    )
    assert (march["suspense"].open, march["suspense"].refuses) == (1, 0)
    april = {item.name: item for item in items_of(home, APRIL)}["suspense"]
    assert april.refusing == ("E-NOLEASE of 2025-03-05 over 25.00 has no lease",)
    spoil(
        home,
        "update marts.late_fee_audit set verdict = 'no_rule_on_file', unproven_left = posted where charge_id = 'E-FEE'",
    )
    spoil(home, "update core.int_events__suspense set business_on = date '2025-02-27' where source_id = 'E-NOLEASE'")
    # The month is over and built: only what the checklist refuses is left.
    spoil(home, "update core.int_build__settings set as_of_on = date '2025-04-10'")
    manifest = home.need_published().path.with_suffix(".json")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "as_of": "2025-04-10"}))
    now = datetime(2025, 4, 10, tzinfo=UTC)
    assert [text.split(":")[0] for text in reasons_against(home, MARCH, now)] == [
        "waits in quarantine and may be of these books",
        "stands in suspense since before the month",
        "a late fee is unproven or unlawful",
    ]
    assert "E-FEE of lease E over 40.00: no rule on file" in reasons_against(home, MARCH, now)[2]
    with pytest.raises(Refused, match="--accept REASON; reason and name are kept") as refused:
        refuse(home, [MARCH], decision(now=now))
    assert str(refused.value).count("E 2025-03: ") == 3
    assert len(refuse(home, [MARCH], decision(accept="All three are known", now=now))[MARCH]) == 3


def test_a_row_in_quarantine_refuses_the_month_that_it_may_belong_to(home: Home) -> None:
    """Of whom and when: unknown counts as everybody's and any month's; another entity's refuses nothing here."""

    def becomes(**raw: str) -> int:
        spoil(home, f"update marts.quarantine set raw = '{json.dumps(raw)}'")
        return {item.name: item for item in items_of(home, JANUARY)}["quarantine"].refuses

    assert becomes(lease_id="E", received_on="2025-01-31") == 1
    assert becomes(lease_id="E", received_on="2025-02-01") == 0
    assert becomes(lease_id="E", received_on="31/01/2025") == 1, "nobody can say that it is not of January"
    assert becomes(lease_id="E", received_on="0031-01-25") == 1
    assert items_of(home, JANUARY)[2].lines[0].endswith("no day can be read"), "the year 31 is no day of anything"
    assert becomes(lease_id="not known", received_on="2025-01-31") == 1, "a lease that is not known may be of anybody"
    spoil(home, "insert into core.int_portfolio__entities by name select * replace ('F' as entity_id, 'default:F' as "
                "entity_key) from core.int_portfolio__entities")  # fmt: skip
    assert becomes(entity_id="F", received_on="2025-01-31") == 0
    assert becomes(entity_id="E", received_on="2025-01-31") == 1
    spoil(home, "update marts.quarantine set \"table\" = 'payment_reversals'")
    assert becomes(payment_id="E-PAY1", reversed_on="2025-01-31") == 1
    spoil(home, "update marts.quarantine set \"table\" = 'repayment_agreements'")
    assert becomes(lease_id="E", signed_on="2025-01-31") == 1, "one over unreported income is booked itself"
    assert becomes(lease_id="E", signed_on="2025-02-01") == 0
    spoil(home, "update marts.quarantine set \"table\" = 'payment_reversals'")
    # Another system with entities of its own may name a lease of this one; what it does not name is its own.
    spoil(home, "update marts.quarantine set source_system = 'other'")
    spoil(home, "update core.int_portfolio__entities set source_system = 'other' where entity_id = 'F'")
    assert becomes(payment_id="E-PAY1", reversed_on="2025-01-31") == 1
    assert becomes(payment_id="not known", reversed_on="2025-01-31") == 0
    spoil(home, "update marts.quarantine set \"table\" = 'gl_balances'")
    assert becomes(entity_id="E", as_of="2025-01-31") == 0, "what other books say is not booked here"


def test_nobody_reviews_what_they_prepared(home: Home) -> None:
    with pytest.raises(UsageError, match="cannot review what"):
        close(home, [JANUARY], by="A. Controller", reviewed_by="a. controller ")
    assert list(home.closes.iterdir()) == []


def test_a_month_end_that_stops_leaves_its_step_and_reason_until_one_comes_to_its_end(home: Home) -> None:
    """Also where nobody foresaw it: a folder of the home that is a file."""
    (home.path / "statements").write_text("in the way")
    with pytest.raises(NotADirectoryError), step(home, "draw_statements"):
        (statements(home, "2025-01") / "E-1.pdf").write_bytes(b"")
    text = (reports(home) / "month-end-failed.txt").read_text()
    assert text.startswith(
        "The month end stopped at the step draw_statements.\nBuild 1 stays published, as of 2025-03-15."
    )
    assert "NotADirectoryError: " in text and "statements/2025-01" in text
    report = leave_report(home, [], 0)
    assert sorted(path.name for path in reports(home).iterdir()) == [f"{report.stem}.json", report.name]


def test_finished_months_are_those_over_and_open_in_order(built: Home) -> None:
    assert finished_months(built) == [JANUARY, FEBRUARY]


def test_a_close_killed_in_the_middle_is_finished_by_the_next_run_and_months_close_for_good(home: Home) -> None:
    before = home.need_published()
    process = start(CLOSE, home.path, JANUARY.period)
    half_made = home.builds / f"{before.number + 1}.building" / "warehouse.duckdb"
    ends = time.monotonic() + 300
    while not half_made.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < ends
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert home.need_published().number == before.number and check_published(home) == {}
    with pytest.raises(Refused, match="is landed; publish it"):
        refuse(home, [JANUARY], decision())

    after = jobs.rebuild(home)
    assert after.as_of == before.as_of, "a rebuild keeps the day of the build"
    assert closed_through(home) == [("2025-01", "A. Controller")]
    record = json.loads(close_file(home, JANUARY).read_text())
    assert record["build"] == before.number and record["closed_by"] == "A. Controller"
    assert "accepted" in record and record["accepted"] is None

    assert [item["name"] for item in record["checklist"]][:2] == ["tie-outs", "completeness"]
    sealed = seals(home)
    assert list(sealed) == ["E-2025-01"], "the run that finished the close sealed its pack"

    build, files = close(home, [FEBRUARY], by="B. Controller", reviewed_by="C. Chief")
    assert [file.name for file in files] == ["E-2025-02.json"]
    assert closed_through(home) == [("2025-01", "A. Controller"), ("2025-02", "B. Controller")]
    with duckdb.connect(str(home.raw), read_only=True) as raw:
        kept = raw.execute(
            "select period, sum(closing), count(*) > 0 from landing.closed_balances group by 1 order by 1"
        )
        assert kept.fetchall() == [("2025-01", 0, True), ("2025-02", 0, True)], "kept trial balances net to zero"
    with pytest.raises(Refused, match=r"closed already at .* by B\. Controller; a closed month is never reopened"):
        close(home, [FEBRUARY], by="A. Controller")
    refused = tieout("close", "--entity", "E", "--period", "2025-01", "--by", "A. Controller", home=home)
    assert refused.returncode == 6 and "never reopened" in refused.stderr and "Traceback" not in refused.stderr

    # What arrives later and is dated into a closed month stands in the first open one; the closed one does not move.
    late = Portfolio()
    late.rows.clear()
    late.payment("E", "LATE", "50.00", "2025-01-20", recorded_at="")
    late.write(home.path / "late")
    pipeline.run_folder(home, home.path / "late" / "first", as_of="2025-03-15", expectations=False)
    with duckdb.connect(str(home.need_published().path), read_only=True) as connection:
        booked = connection.execute(
            "select distinct accounting_on::varchar from marts.gl_entries "
            "where source_id = 'E-LATE' and book = 'accrual'"
        ).fetchall()
    assert booked == [("2025-03-01",)]
    assert balances(home, "2025-02") == balances_of(build.path, "2025-02")
    assert broken_packs(home, home.need_published().path) == [] and set(sealed.items()) < set(seals(home).items())


def closed_through(home: Home) -> list[tuple[str, str]]:
    with duckdb.connect(str(home.need_published().path), read_only=True) as connection:
        return connection.execute(
            "select period, closed_by from marts.close_status where entity_id = 'E' and is_closed order by period"
        ).fetchall()


def balances(home: Home, period: str) -> list[tuple[object, ...]]:
    return balances_of(home.need_published().path, period)


def balances_of(path: Path, period: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(
            "select * from marts.trial_balance where period = ? and entity_id = 'E' order by all", [period]
        ).fetchall()


def spoil(home: Home, sql: str) -> None:
    """Change a published file, as no run ever would."""
    with duckdb.connect(str(home.need_published().path)) as connection:
        connection.execute(sql)
