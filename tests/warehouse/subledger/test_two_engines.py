"""Every build plays some accounts twice, by kernel and simple twin; where they differ nothing is published."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from dbt_project.kernels import allocation
from dbt_project.kernels.allocation.twins import journal_differences
from orchestration import pipeline
from orchestration.errors import CheckFailed, UsageError
from orchestration.home import Home
from tests.conftest import build_history
from tests.warehouse.subledger.portfolio import Portfolio

AS_OF = "2026-06-15"
FIRST, SECOND = "2026-06-10T12:00:00+00:00", "2026-06-12T12:00:00+00:00"


def portfolio() -> Portfolio:
    book = Portfolio()
    for name in ("L1", "L2", "L3", "L4"):
        lease = book.lease(name).charge("MAY", "rent", "2026-05-01", "1000.00")
        lease.charge("WATER", "utility", "2026-05-03", "40.00")
        lease.pay("P", "2026-05-02", "900.00").back("R", "P", "2026-05-09", "900.00").pay("Q", "2026-05-10", "950.00")
    return book


def a_cent_less(journal: pa.Table) -> pa.RecordBatchReader:
    """A kernel with a fault: the last row of one account applies a cent less."""
    account = max(journal["account_key"].to_pylist())
    amounts = journal["amount_minor"].to_pylist()
    at = max(n for n, key in enumerate(journal["account_key"].to_pylist()) if key == account)
    amounts[at] -= 1
    place = journal.schema.get_field_index("amount_minor")
    return journal.set_column(place, journal.schema.field(place), pa.array(amounts, pa.int64())).to_reader()


def test_a_cent_of_difference_stops_publication_and_names_the_lease(
    a_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = portfolio()
    built = build_history(a_home, [(FIRST, book.files())], AS_OF)
    assert built.rows("select * from subledger.int_allocation__differences") == []
    assert len(built.rows("select * from subledger.int_allocation__compared_accounts")) == 4

    right = allocation.allocate_stream
    monkeypatch.setattr(allocation, "allocate_stream", lambda *given: a_cent_less(right(*given).read_all()))
    mark = book.mark()
    book.lease("L5").charge("JUN", "rent", "2026-06-01", "500.00").pay("P", "2026-06-02", "500.00")
    with pytest.raises(CheckFailed) as stopped:
        build_history(a_home, [(SECOND, book.since(mark))], AS_OF)
    said = str(stopped.value)
    assert "int_allocation__differences__two_engines_agree" in said
    assert "lease L5 (resident)" in said and "amount_minor 49999" in said and "amount_minor 50000" in said
    published = a_home.published()
    assert published is not None and published.number == built.build.number


def test_what_changed_is_compared_first_and_the_setting_says_how_many(
    a_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIEOUT_TWIN_ACCOUNTS", "2")
    drawn = "select lease_id, is_changed from subledger.int_allocation__compared_accounts order by is_changed desc"
    book = portfolio()
    built = build_history(a_home, [(FIRST, book.files())], AS_OF)
    assert [changed for _, changed in built.rows(drawn)] == [True, True]
    mark = book.mark()
    book.add("payments", payment_id="LATE", lease_id="L3", amount="10.00", received_on="2026-06-01")
    built = build_history(a_home, [(SECOND, book.since(mark))], AS_OF)
    (first, second) = built.rows(drawn)
    assert first == ("L3", True) and second[1] is False


@pytest.mark.parametrize("wanted", ["many", "-1", "2.5", "1e3"])
def test_a_setting_that_is_no_number_is_refused_in_words(
    wanted: str, a_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIEOUT_TWIN_ACCOUNTS", wanted)
    with a_home.locked("test"):
        run = pipeline.begin(a_home)
        with pytest.raises(UsageError, match="expected a whole number of accounts"):
            pipeline.build(run)


def test_a_row_less_a_row_more_and_another_day_are_differences() -> None:
    events = pa.Table.from_pylist(
        [
            {"account_key": 7, "event_key": 1, "kind": "charge", "amount_minor": 100_000},
            {"account_key": 7, "event_key": 2, "kind": "payment", "amount_minor": -100_000},
            {"account_key": 9, "event_key": 3, "kind": "charge", "amount_minor": 5_000},
            {"account_key": 9, "event_key": 4, "kind": "payment", "amount_minor": -5_000},
        ]
    )
    day = datetime(2026, 5, 1)
    more = {
        "business_on": day.date(), "known_at": day, "due_on": day.date(), "posted_on": day.date(), "category": "rent",
        "counts_as_rent": True, "is_individual_billing": False, "is_forgiven": False, "is_after_move_out": False,
        "policy_rule_key": 1,
    }  # fmt: skip
    rows = [{**row, **more, "tie_rank": row["event_key"]} for row in events.to_pylist()]
    events = pa.Table.from_pylist(
        [{name: row.get(name) for name in allocation.EVENTS_SCHEMA.names} for row in rows], allocation.EVENTS_SCHEMA
    )
    rules = pa.Table.from_pylist(
        [{"rule_key": 1, "steps": '[{"match": "any"}]', "yields_to_designation": False}], allocation.RULES_SCHEMA
    )
    journal = allocation.allocate(events, rules)
    assert journal.num_rows == 2 and journal_differences(events, rules, journal).num_rows == 0

    less = journal_differences(events, rules, journal.slice(1)).to_pylist()
    assert [(row["account_key"], row["stored_row"]) for row in less] == [(7, None)]
    twice = journal_differences(events, rules, pa.concat_tables([journal, journal.slice(1)])).to_pylist()
    assert [(row["account_key"], row["row_no"], row["twin_row"]) for row in twice] == [(9, 2, None)]
    place = journal.schema.get_field_index("applied_on")
    moved = journal.set_column(
        place, journal.schema.field(place), pa.array([datetime(2026, 5, 2, tzinfo=UTC).date(), day.date()])
    )
    (other,) = journal_differences(events, rules, moved).to_pylist()
    assert other["account_key"] == 7 and "applied_on 2026-05-02" in other["stored_row"]
