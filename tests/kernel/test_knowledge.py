"""Late knowledge: what a month's books said stays what they said, and what they say now is true."""

from __future__ import annotations

from datetime import datetime

from tests.kernel.books import HOLD, R1, Books, cents, moment


def lockbox() -> Books:
    """A cheque of the 3rd keyed on the 10th, after a payment of the 5th was applied."""
    books = Books(R1).charge("JAN", "2026-01-01", "1000.00").charge("FEB", "2026-02-01", "1000.00")
    return books.pay("P5", "2026-01-05", "800.00").pay("P3", "2026-01-03", "600.00", known="2026-01-10")


def test_a_cheque_of_the_3rd_keyed_on_the_10th_is_applied_from_the_3rd(engine):
    applied = lockbox().run(engine)
    assert applied.lines() == [
        ("P5", "JAN", "800.00", "2026-01-05", "2026-01-05", None),
        ("P5", "JAN", "-800.00", "2026-01-05", "2026-01-10", "correction"),
        ("P3", "JAN", "600.00", "2026-01-03", "2026-01-10", None),
        ("P5", "JAN", "400.00", "2026-01-05", "2026-01-10", None),
        ("P5", "FEB", "400.00", "2026-02-01", "2026-02-01", None),
    ]
    assert [row["cause_event_key"] for row in applied.rows] == [
        applied.books.names[name] for name in ("P5", "P3", "P3", "P3", "FEB")
    ]
    assert applied.rows[1]["reverses_seq"] == applied.rows[0]["journal_seq"]


def test_the_allocation_as_of_any_day_as_known_at_any_moment_is_a_sum(engine):
    applied = lockbox().run(engine)
    assert applied.applied("2026-01-07", "2026-01-09") == {("P5", "JAN"): "800.00"}
    assert applied.applied("2026-01-04", "2026-01-09") == {}
    assert applied.applied("2026-01-04", "2026-01-10") == {("P3", "JAN"): "600.00"}
    assert applied.applied("2026-01-07", "2026-01-10") == {("P3", "JAN"): "600.00", ("P5", "JAN"): "400.00"}
    assert applied.waiting("2026-01-07", "2026-01-10") == {"P5": "400.00"}


def test_a_late_charge_takes_money_away_from_a_later_one(engine):
    books = Books(R1).charge("FEB", "2026-02-01", "100.00").pay("P", "2026-02-02", "100.00")
    applied = books.charge("JAN", "2026-01-01", "60.00", known="2026-02-20").run(engine)
    assert applied.open("2026-02-28", "2026-02-19") == {}
    assert applied.open("2026-02-28", "2026-02-20") == {"FEB": "60.00"}
    assert [line[2:] for line in applied.lines()[1:]] == [
        ("-100.00", "2026-02-02", "2026-02-20", "correction"),
        ("60.00", "2026-02-02", "2026-02-20", None),
        ("40.00", "2026-02-02", "2026-02-20", None),
    ]


def test_nothing_backdated_only_adds_rows(engine):
    books = lockbox()
    before = books.run(engine).rows
    after = books.charge("MAR", "2026-03-01", "10.00").pay("P", "2026-03-02", "700.00").run(engine).rows
    assert after[: len(before)] == before


def test_events_of_one_moment_are_one_step_and_need_no_correction(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00", known="2026-01-10")
    books.pay("P2", "2026-01-03", "80.00", known="2026-01-10").pay("P1", "2026-01-02", "80.00", known="2026-01-10")
    assert books.run(engine).lines() == [
        ("P1", "JAN", "80.00", "2026-01-02", "2026-01-10", None),
        ("P2", "JAN", "20.00", "2026-01-03", "2026-01-10", None),
    ]


def test_a_backdated_return_reverses_with_its_own_day_and_the_moment_it_was_known(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").pay("P", "2026-01-02", "100.00")
    applied = books.returned("R", "P", "2026-01-06", known="2026-01-20").run(engine)
    assert applied.lines()[-1] == ("P", "JAN", "-100.00", "2026-01-06", "2026-01-20", "return")
    assert applied.total_open("2026-01-31", "2026-01-19") == "0.00"
    assert applied.total_open("2026-01-06", "2026-01-20") == "100.00"


def test_a_reversal_row_falls_with_the_row_it_reverses(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").pay("P", "2026-01-05", "100.00")
    books.returned("R", "P", "2026-01-08").pay("EARLY", "2026-01-03", "30.00", known="2026-01-20")
    applied = books.run(engine)
    assert [line[:3] + line[-1:] for line in applied.lines()[2:]] == [
        ("P", "JAN", "100.00", "correction"),
        ("P", "JAN", "-100.00", "correction"),
        ("EARLY", "JAN", "30.00", None),
        ("P", "JAN", "70.00", None),
        ("P", "JAN", "-70.00", "return"),
    ]
    assert [row["reverses_seq"] for row in applied.rows] == [None, 1, 2, 1, None, None, 6]


def test_a_recovery_that_no_longer_holds_is_undone_with_its_own_day(engine):
    books = Books(R1).charge("JAN", "2026-01-01", "100.00").write_off("W", "2026-03-01", "100.00")
    books.pay("P", "2026-04-01", "60.00", is_after_move_out=True)
    books.charge("DMG", "2026-03-15", "60.00", "damage", known="2026-05-01")
    applied = books.run(engine)
    recoveries = [(row["amount_minor"], row["reason"]) for row in applied.rows if row["row_kind"] == "recovery"]
    assert recoveries == [(6000, None), (-6000, "correction")]
    assert {row["applied_on"].isoformat() for row in applied.rows if row["row_kind"] == "recovery"} == {"2026-04-01"}
    assert applied.applied() == {("W", "JAN"): "100.00", ("P", "DMG"): "60.00"}
    assert applied.balance("2026-04-30", "2026-04-30") == "0.00"
    assert applied.balance() == "0.00"


def test_of_two_equal_rows_the_second_falls_and_the_first_stays(engine):
    """P pays 10 of A, and 10 again when the deposit is undone: two rows that only their order tells apart."""
    books = Books(R1).charge("A", "2026-01-01", "20.00").add("D", "deposit_applied", "2026-01-02", -cents("10.00"))
    books.pay("P", "2026-01-02", "20.00").add("UNDO", "deposit_applied", "2026-01-02", cents("10.00"), names="D")
    twice = books.run(engine)
    assert [line[:3] for line in twice.lines()] == [
        ("D", "A", "10.00"),
        ("P", "A", "10.00"),
        ("D", "A", "-10.00"),
        ("P", "A", "10.00"),
    ]
    assert [row["occurrence"] for row in twice.rows] == [1, 1, 1, 2]
    applied = books.pay("EARLY", "2026-01-01", "10.00", known="2026-01-20").run(engine)
    assert [(*line[:3], line[-1]) for line in applied.lines()[4:]] == [
        ("P", "A", "-10.00", "correction"),
        ("EARLY", "A", "10.00", None),
    ]
    assert applied.rows[4]["reverses_seq"] == 4


def test_a_future_dated_entry_counts_from_its_day_only(engine):
    books = Books(R1).charge("NOV", "2026-11-15", "800.00").pay("P", "2026-11-25", "800.00", known="2026-11-15")
    applied = books.run(engine)
    assert applied.total_open("2026-11-24") == "800.00"
    assert applied.total_open("2026-11-25") == "0.00"


def test_a_moment_is_more_than_a_day(engine):
    books = Books(HOLD).charge("JAN", "2026-01-01", "10.00", known=datetime(2026, 1, 1, 9))
    applied = books.pay("P", "2026-01-01", "10.00", known="2026-01-01T10:30:00", policy=R1).run(engine)
    assert [row["known_at"] for row in applied.rows] == [moment("2026-01-01T10:30:00")]
