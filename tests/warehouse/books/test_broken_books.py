"""The checks of the books fail where they must: each is given a deliberately broken input, and says where to look.

Small breaks are planted in a copy of the built file, on which the check's own query is run again. Two breaks go the
whole way, through a build that must stop: a posting booked a dollar short in a copied dbt project, and a charge code
that no account takes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.errors import CheckFailed
from orchestration.home import Home
from orchestration.pipeline import run_folder
from orchestration.resources.dbt import PROJECT_VARIABLE, project_folder
from tests.warehouse.books.conftest import Books
from tests.warehouse.books.portfolio import Portfolio

Check = Callable[..., list[str]]


@pytest.fixture
def check(worked: Books, tmp_path: Path) -> Check:
    """Runs a dbt test's own query on a copy of the built file after a break, and returns the messages of its rows."""

    def messages(test: str, *breaks: str) -> list[str]:
        node: Any = worked.nodes[test]
        broken = tmp_path / "broken.duckdb"
        shutil.copy(worked.second, broken)
        with duckdb.connect() as connection:
            connection.execute(f"attach '{broken}' as warehouse")
            connection.execute("use warehouse")
            for statement in breaks:
                assert connection.execute(statement).fetchone()[0] > 0, f"planted nothing: {statement}"
            return [row[0] for row in connection.sql(node.compiled).project("message").order("message").fetchall()]

    return messages


BALANCES = "int_journals__entries__every_journal_balances"


def test_a_journal_that_does_not_balance_is_found_with_its_day_and_entry(check: Check) -> None:
    assert check(BALANCES) == []
    found = check(
        BALANCES,
        "update gl.int_journals__entries set credit = credit - 1 "
        "where source_id = 'WORKED-P1' and account_role = 'prepaid'",
    )
    assert len(found) == 1
    for part in (
        "debits 1200.00 and credits 1199.00",
        "property_id WORKED",
        "accounting_on 2026-10-03",
        "source_id WORKED-P1",
    ):
        assert part in found[0], found


def test_a_journal_over_two_entities_is_found(check: Check) -> None:
    found = check(
        BALANCES,
        "update gl.int_journals__entries set entity_id = 'OTHER' where source_id = 'GLT-03-TAX' and credit > 0",
    )
    assert len(found) == 2


def test_a_line_with_both_sides_is_found(check: Check) -> None:
    name = "int_journals__entries__one_side_of_a_line_is_zero"
    assert check(name) == []
    assert check(name, "update gl.int_journals__entries set credit = 1 where source_id = 'RET-06-FEB' and debit > 0")
    assert check(
        name, "update gl.int_journals__entries set debit = -debit where source_id = 'RET-06-FEB' and debit > 0"
    )


def test_a_trial_balance_that_does_not_net_is_found_with_its_month_and_property(check: Check) -> None:
    name = "int_trial_balance__periods__nets_to_zero"
    assert check(name) == []
    found = check(
        name,
        "update gl.int_trial_balance__periods set closing = closing + 0.01 "
        "where entity_id = 'YEAR' and period = '2026-01' and account_name = 'Retained earnings' and book = 'accrual'",
    )
    assert found == [
        "the trial balance of 2026-01 does not net to zero in entity YEAR, property YEAR: opening 0.00, closing 0.01"
    ]


def test_movements_that_do_not_balance_are_found(check: Check) -> None:
    name = "int_trial_balance__periods__movements_balance"
    assert check(name) == []
    found = check(
        name,
        "update gl.int_trial_balance__periods set debits = debits + 5 "
        "where entity_id = 'RET-06' and period = '2026-02' and account_name = 'Cash' and book = 'accrual'",
    )
    assert len(found) == 1
    assert "entity_id RET-06" in found[0] and "period 2026-02" in found[0]


def rebuilt(worked: Books, tmp_path: Path, model: str, *breaks: str) -> list[tuple[Any, ...]]:
    """Runs a model's own query on a copy of the built file after a break: what the comparison would have said."""
    node: Any = worked.nodes[model]
    broken = tmp_path / "rebuilt.duckdb"
    shutil.copy(worked.second, broken)
    with duckdb.connect() as connection:
        connection.execute(f"attach '{worked.home.raw}' as raw (read_only)")
        connection.execute(f"attach '{broken}' as warehouse")
        connection.execute("use warehouse")
        # A published file holds no views: those that a comparison reads are put back.
        connection.execute("create schema if not exists staging")
        connection.execute(f"create view staging.stg_closed_balances as {worked.nodes['stg_closed_balances'].compiled}")
        connection.execute(f"create view gl.int_journals__books as {worked.nodes['int_journals__books'].compiled}")
        for statement in breaks:
            assert connection.execute(statement).fetchone()[0] > 0, f"planted nothing: {statement}"
        rows = connection.sql(node.compiled).filter("difference <> 0")
        return (
            rows.project("as_of, entity_id, property_id, subject, difference, look_at")
            .order("as_of, entity_id, subject")
            .fetchall()
        )


def test_a_line_that_slips_into_a_closed_month_is_found_and_named(worked: Books, tmp_path: Path) -> None:
    model = "tie_closed_months_then__to__closed_months_now"
    assert rebuilt(worked, tmp_path, model) == []
    found = rebuilt(
        worked, tmp_path, model,
        "update gl.int_journals__entries set accounting_on = '2026-10-02' where source_id = 'WORKED-P2'",
    )  # fmt: skip
    assert [(str(row[0]), row[1], row[2], row[3], str(row[4])) for row in found] == [
        ("2026-10-31", "WORKED", "WORKED", "account 1000", "-100.00"),
        ("2026-10-31", "WORKED", "WORKED", "account 1200", "100.00"),
    ]
    assert all(row[5].startswith("payments WORKED-P2 (") and "payments.csv row 2" in row[5] for row in found)


def test_a_closed_balance_that_moved_is_found_against_the_evidence_of_its_close(worked: Books, tmp_path: Path) -> None:
    """The row was recorded before the close, so only the balances kept at the close can tell."""
    model = "tie_balances_at_close__to__balances_now"
    assert rebuilt(worked, tmp_path, model) == []
    found = rebuilt(
        worked, tmp_path, model,
        "update gl.int_trial_balance__periods set closing = closing - 7 "
        "where entity_id = 'CLO-01' and period = '2025-12' and account_name = 'Income' and book = 'accrual'",
        "delete from gl.int_trial_balance__periods "
        "where entity_id = 'CLO-03' and period = '2025-12' and account_name = 'Income' and book = 'accrual'",
    )  # fmt: skip
    assert [(str(row[0]), row[1], row[3], str(row[4])) for row in found] == [
        ("2025-12-31", "CLO-01", "accrual account 4000", "7.00"),
        ("2025-12-31", "CLO-03", "accrual account 4000", "-500.00"),
    ]


def test_what_came_in_a_later_file_with_an_old_time_is_named_for_the_closed_balance_that_it_moved(
    worked: Books, tmp_path: Path
) -> None:
    """Nothing became known after the close, by its own word: the file that brought it was landed after."""
    found = rebuilt(
        worked, tmp_path, "tie_balances_at_close__to__balances_now",
        "insert into gl.int_trial_balance__periods by name select * replace ('2026-03' as period, 298.34 as closing) "
        "from gl.int_trial_balance__periods where entity_id = 'TERM-HEARD-LATE' and period = '2026-04' "
        "and account_name = 'Concessions' and book = 'straight_line'",
        "update gl.int_journals__straight_line set accounting_on = '2026-03-31', recorded_at = '2026-03-31' "
        "where source_id = 'TERM-HEARD-LATE-K' and accounting_on = '2026-04-01'",
    )  # fmt: skip
    assert [(str(row[0]), row[1], row[3], str(row[4])) for row in found] == [
        ("2026-03-31", "TERM-HEARD-LATE", "straight_line account 4900", "-298.34"),
    ]
    assert found[0][5].startswith("concessions TERM-HEARD-LATE-K (concessions.csv row ")


def test_an_entry_that_moved_without_being_listed_is_found_on_each_day_between(worked: Books, tmp_path: Path) -> None:
    found = rebuilt(
        worked, tmp_path, "tie_business_dates__to__late_arrivals",
        "delete from gl.int_late_arrivals__entries where source_id = 'WORKED-P2'",
    )  # fmt: skip
    assert [str(row[0]) for row in found] == [f"2026-10-{day:02}" for day in range(2, 32)]
    assert {row[5].split(" (")[0] for row in found} == {"payments WORKED-P2"}


def test_money_in_suspense_that_no_journal_holds_is_found(worked: Books, tmp_path: Path) -> None:
    found = rebuilt(
        worked, tmp_path, "tie_unmatched_receipts__to__suspense_account",
        "delete from gl.int_journals__entries where source_id = 'SUSPENSE-P2' and event = 'suspense_received'",
    )  # fmt: skip
    assert str(found[0][0]) == "2026-09-10" and str(found[0][4]) == "60.00"
    assert found[0][5].startswith("payments SUSPENSE-P2 (")


def test_a_deposit_below_zero_is_found_though_the_house_holds_enough(worked: Books, tmp_path: Path) -> None:
    found = rebuilt(
        worked, tmp_path, "tie_deposits_overdrawn__to__zero",
        "insert into core.int_events__deposits select * replace ('OTHER' as lease_key, 'OTHER-M9' as movement_id, "
        "date '2026-01-05' as accounting_on, -30 as amount) from core.int_events__deposits "
        "where movement_id = 'DEPOSIT-M2'",
    )  # fmt: skip
    assert str(found[0][0]) == "2026-01-05" and str(found[0][4]) == "-30.00"
    assert found[0][5].startswith("deposit_movements OTHER-M9")


def test_a_file_whose_rows_went_missing_is_found(worked: Books, tmp_path: Path) -> None:
    raw = tmp_path / "raw.duckdb"
    shutil.copy(worked.home.raw, raw)
    for model, broken in (
        ("tie_batch_rows__to__outcomes", "update landing.batch_outcomes set rows = rows - 1"),
        ("tie_batch_amounts__to__outcomes", "update landing.batch_outcomes set amount = amount - 1"),
    ):
        with duckdb.connect() as connection:
            connection.execute(f"attach '{raw}' as raw")
            connection.execute(f"attach '{worked.second}' as warehouse (read_only)")
            query = connection.sql(worked.nodes[model].compiled)
            assert query.filter("difference <> 0").fetchall() == []
            connection.execute("use raw")
            batch = "(select batch_id from landing.batches where table_name = 'payments' order by file limit 1)"
            connection.execute(f"{broken} where verdict = 'loaded' and batch_id = {batch}")
            found = query.filter("difference <> 0").project("difference, look_at").fetchall()
        assert [str(row[0]) for row in found] == ["1.00"]
        assert found[0][1].startswith("file ") and found[0][1].endswith(" of payments")


def test_a_build_with_a_posting_a_dollar_short_stops_and_names_day_property_and_entry(
    worked: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Booked a dollar short on both sides, the journal still balances: only the other side of the tie-out can tell."""
    project = tmp_path / "dbt_project"
    shutil.copytree(project_folder(), project, ignore=shutil.ignore_patterns("target", "logs", "__pycache__"))
    payments = project / "models" / "gl" / "int_journals__payments.sql"
    sound = payments.read_text("utf-8")
    short = sound.replace(
        "'-payments.amount'", "\"-payments.amount - case when payments.source_id = 'WORKED-P1' then 1 else 0 end\""
    )
    assert short != sound
    payments.write_text(short, "utf-8")
    monkeypatch.setenv(PROJECT_VARIABLE, str(project))

    files = Portfolio.__new__(Portfolio)
    files.rows = {
        ("third", "charge_codes"): [
            {
                "charge_code": "GYM", "name": "Gym", "category": "add_on", "is_mandatory": "false",
                "is_recurring": "true", "in_advertised_price": "false", "counts_as_rent": "false", "prorates": "false",
                "valid_from": "2020-01-01",
            }
        ],
        ("third", "charges"): [
            {
                "charge_id": "GYM-1", "lease_id": "GLT-05", "charge_code": "GYM", "amount": "35.00",
                "posted_on": "2026-11-20", "recorded_at": "2026-11-20T09:00:00-06:00",
            }
        ],
    }  # fmt: skip
    files.write(tmp_path)
    home = Home(tmp_path / "home")
    shutil.copytree(worked.home.path, home.path, symlinks=True)
    published = home.published()
    with pytest.raises(CheckFailed) as failure:
        run_folder(
            home,
            tmp_path / "third",
            as_of="2026-11-30",
            loaded_at=datetime(2026, 12, 2, tzinfo=UTC),
            expectations=False,
        )
    text = str(failure.value)
    # Which of the two comparisons is told first depends on which check ended first: one differs by 1.00, one by -1.00.
    for part in (
        "tie_waiting_money__to__prepaid_account__no_difference",
        "tie_account_balances__to__ledger_accounts__no_difference",
        "1.00 on 2026-10-03 and ",
        "property WORKED, entity WORKED, party resident",
        "The same shows in ",
        "look at payments WORKED-P1 (",
        "payments.csv row ",
        "int_journals__unmapped__every_line_has_an_account",
        "charge code GYM has no account in chart default:C1 on its posting day (gl_mappings): 1 lines, 35.00 in all",
        "for instance charges GYM-1",
    ):
        assert part in text, text
    assert text.count("look at payments WORKED-P1 (") == 1, "one cause is told once, not for every day and tie-out"
    assert home.published() == published, "the published build is as it was"
