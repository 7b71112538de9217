"""A run as a whole: order never matters, nothing is lost, a kill changes nothing, a person can settle what waits."""

from __future__ import annotations

import builtins
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.contract import contract
from orchestration.errors import UsageError
from orchestration.landing import ensure_raw, resolve_quarantine
from orchestration.landing.store import accepted_columns
from tests.landing.portfolio import FIRST_RUN, Door, Rows, charge, payment, portfolio, returned

FULL = os.environ.get("TIEOUT_PROOF") == "full"
LINEAGE = ("batch_id", "file", "row_number", "loaded_at", "accepted_at", "registered_at")


def busy_books() -> dict[str, Rows]:
    """Rows of distinct keys with everything that names something: reversals, returns, credits, claims, bad rows."""
    tables: dict[str, Rows] = dict(portfolio())
    charges = [charge(f"C{n:02}", f"{100 + n}.00", lease_id=f"L{n % 3 + 1}") for n in range(20)]
    charges += [
        charge(
            f"V{n:02}",
            f"-{100 + n}.00",
            lease_id=f"L{n % 3 + 1}",
            posted_on="2026-10-09",
            reverses_charge_id=f"C{n:02}",
        )
        for n in range(0, 20, 4)
    ]
    charges += [
        charge("K1", "-5.00", lease_id="L2", corrects_charge_id="C01"),
        charge("B1", "1,0"),
        charge("B2", lease_id="L404"),
    ]
    payments = [payment(f"P{n:02}", f"{50 + n}.00", lease_id=f"L{n % 4 + 1}", entity_id="E1") for n in range(12)]
    payments += [payment("P90", represents_payment_id="P03"), payment("P91", represents_payment_id="P90")]
    reversals = [returned(f"X{n:02}", f"P{n:02}", "20.00") for n in range(0, 12, 3)]
    reversals += [returned("X90", "P404", "1.00"), returned("X91", "P00", "500.00")]
    late = {"lease_id": "L4", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"}
    return tables | {
        "leases": [*portfolio()["leases"], late],
        "charges": charges,
        "payments": payments,
        "payment_reversals": reversals,
    }


def accepted(raw_file: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every accepted row without its lineage, by table; a claim that found its lease later counts as that lease's."""
    found = {}
    with duckdb.connect(str(raw_file), read_only=True) as raw:
        for table in contract():
            kept = [name for name, _ in accepted_columns(table) if name not in LINEAGE]
            source = f'landing."{table.name}"'
            if table.name == "payments":
                source = (
                    "(SELECT p.* REPLACE (coalesce(p.lease_key, s.lease_key) AS lease_key, coalesce(p.lease_id,"
                    " s.lease_id)"
                    " AS lease_id, CASE WHEN s.row_key IS NULL THEN claimed_lease_id END AS claimed_lease_id)"
                    " FROM landing.payments p LEFT JOIN landing.suspense_resolutions s USING (row_key))"
                )
            quoted = ", ".join(f'"{name}"' for name in kept)
            found[table.name] = raw.execute(f"SELECT {quoted} FROM {source} ORDER BY ALL").fetchall()
    return found


def held(door: Door) -> list[tuple[Any, ...]]:
    return door.rows(
        "SELECT table_name, reason, detail, amount FROM landing.quarantine WHERE status = 'open' ORDER BY ALL"
    )


def scattered(door: Door, tables: Mapping[str, Rows], seed: int, runs: int) -> None:
    """Land the rows shuffled, in many files of odd names, over some runs."""
    dice = random.Random(seed)
    parts: list[list[tuple[str, Rows]]] = [[] for _ in range(runs)]
    for table, rows in tables.items():
        shuffled = list(rows)
        dice.shuffle(shuffled)
        while shuffled:
            size = dice.randint(1, 6)
            parts[dice.randrange(runs)].append((table, shuffled[:size]))
            shuffled = shuffled[size:]
    for run, part in enumerate(parts):
        for table, rows in part:
            door.write({table: rows}, suffix=f"-{dice.randrange(10**9)}-{run}")
        door.land()


@pytest.mark.parametrize("seed", range(20 if FULL else 2))
def test_the_same_rows_in_one_file_or_many_in_any_order_give_the_same_content(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    whole = Door(tmp_path_factory.mktemp("whole"))
    whole.land(busy_books())
    many = Door(tmp_path_factory.mktemp("many"))
    scattered(many, busy_books(), seed, runs=1)
    assert accepted(many.raw) == accepted(whole.raw)
    assert held(many) == held(whole)
    assert whole.untied() == [] and many.untied() == []


def test_the_same_rows_over_several_runs_give_the_same_content(tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = Door(tmp_path_factory.mktemp("whole"))
    whole.land(busy_books())
    many = Door(tmp_path_factory.mktemp("many"))
    scattered(many, busy_books(), seed=7, runs=3)
    assert accepted(many.raw) == accepted(whole.raw)
    assert held(many) == held(whole)
    assert many.untied() == []


def test_the_busy_books_are_as_busy_as_meant(empty_door: Door) -> None:
    report = empty_door.land(busy_books())
    assert report.quarantine == {
        "not_an_amount": 1,
        "returned_more_than_paid": 1,
        "unknown_payment": 1,
        "unknown_reference": 1,
    }
    assert report.verdicts["loaded"] == sum(len(rows) for rows in busy_books().values()) - 4


def test_rows_and_cents_tie_per_batch_whatever_becomes_of_them(door: Door) -> None:
    door.land({"charges": [charge("C1"), charge("C1"), charge("C2", "x"), charge("C3", "7.00", lease_id="L9")]})
    door.land({"charges": [charge("C1", "1.00"), charge("C3", "7.00", lease_id="L9"), charge("C4", "-8.05")]})
    door.land({"leases": [{"lease_id": "L9", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"}]})
    assert door.untied() == []
    found = door.rows(
        "SELECT b.file, o.verdict, o.rows, o.amount FROM landing.batch_outcomes o JOIN landing.batches b USING"
        " (batch_id)"
        " WHERE b.table_name = 'charges' ORDER BY ALL"
    )
    assert [(file[-8:-4], verdict, rows, str(amount)) for file, verdict, rows, amount in found] == [
        ("run1", "duplicate", 1, "1500.00"),
        ("run1", "loaded", 2, "1507.00"),
        ("run1", "quarantined", 1, "0.00"),
        ("run2", "duplicate", 1, "7.00"),
        ("run2", "loaded", 1, "-8.05"),
        ("run2", "quarantined", 1, "1.00"),
    ]


def test_an_unreadable_file_is_refused_and_the_rest_loads(door: Door) -> None:
    door.folder.mkdir()
    (door.folder / "charges.csv").write_text("charge_id,lease_id\nC1,L1\n", encoding="utf-8")
    (door.folder / "chrages-2.csv").write_text("charge_id\nC1\n", encoding="utf-8")
    (door.folder / "readme.txt").write_text("hello", encoding="utf-8")
    report = door.land({"payments": [payment("P1")]})
    assert door.ids("payments", "payment_id") == ["P1"]
    assert [note.file for note in report.refused] == ["charges.csv", "chrages-2.csv"]
    assert "Did you mean charges?" in report.refused[1].message
    assert [note.file for note in report.ignored] == ["readme.txt"]
    assert not report.is_complete
    assert door.rows("SELECT file, status, rows_landed FROM landing.batches WHERE status = 'refused' ORDER BY 1") == [
        ("charges.csv", "refused", 0),
        ("chrages-2.csv", "refused", 0),
    ]
    again = door.land()
    assert len(again.refused) == 2, "a refused file is refused until it is gone: the build stays marked incomplete"
    assert door.rows("SELECT count(*) FROM landing.batches WHERE status = 'refused'") == [(2,)]


def test_files_still_being_written_are_left_alone(door: Door) -> None:
    door.folder.mkdir()
    (door.folder / "charges.csv.part").write_text("charge_id\n", encoding="utf-8")
    growing = door.folder / "payments.csv"
    growing.write_text("payment_id,lease_id,amount,received_on\n", encoding="utf-8")
    stop = threading.Event()

    def grow() -> None:
        number = 0
        while not stop.is_set():
            with open(growing, "a", encoding="utf-8") as stream:
                stream.write(f"P{number},L1,1.00,2026-10-01\n")
            number += 1
            time.sleep(0.02)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        report = door.land()
    finally:
        stop.set()
        writer.join()
    assert {note.file for note in report.left_alone} == {"charges.csv.part", "payments.csv"}
    assert (report.batches, report.refused) == ([], [])
    assert door.land().verdicts.keys() == {"loaded"}, "what has stopped growing is read by the next run"


def test_a_file_that_may_not_be_read_is_refused_in_words(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the system's answer is given here instead of by permissions."""
    door.write({"charges": [charge("C1")], "payments": [payment("P1")], "units": []})
    answers = {"charges.csv": PermissionError(13, "Permission denied"), "units.csv": FileNotFoundError(2, "gone")}
    read = builtins.open

    def read_or_not(path: Any, *values: Any, **named: Any) -> Any:
        if isinstance(path, Path) and path.name in answers:
            raise answers[path.name]
        return read(path, *values, **named)

    monkeypatch.setattr(builtins, "open", read_or_not)
    report = door.land()
    assert [(note.file, "Permission denied" in note.message) for note in report.refused] == [("charges.csv", True)]
    assert [note.file for note in report.left_alone] == ["units.csv"]
    assert door.ids("payments", "payment_id") == ["P1"]


def test_bytes_are_kept_as_landed_under_their_hash(door: Door) -> None:
    report = door.land({"charges": [charge("C1")]})
    (batch,) = report.batches
    assert (door.files / batch.batch_id).read_bytes() == (door.folder / batch.file).read_bytes()


def test_a_run_must_be_later_than_all_before_it(door: Door) -> None:
    with pytest.raises(UsageError, match="not later than the last run"):
        door.land({"charges": [charge("C1")]}, loaded_at=FIRST_RUN)
    assert door.ids("charges", "charge_id") == []


def test_one_run_may_land_two_folders_at_its_one_moment(door: Door) -> None:
    door.land({"charges": [charge("C1")]})
    moment = FIRST_RUN + timedelta(hours=1)
    door.runs = 1
    report = door.land({"payments": [payment("P1")]}, loaded_at=moment)
    assert report.verdicts["loaded"] == 2, "the second landing of the run counts what the run decided"


def test_shipped_rules_land_under_a_name_of_their_own_in_the_default_system(door: Door) -> None:
    rule = {"rule_id": "A", "version": "1", "source": "policy", "scope": "default", "valid_from": "2026-01-01"}
    door.land(
        {"application_rules": [rule | {"steps": '[{"match":"any"}]'}]}, file_prefix="shipped/", source_system="default"
    )
    assert door.rows("SELECT file, source_system, rule_key FROM landing.application_rules") == [
        ("shipped/application_rules-run1.csv", "default", "default:A")
    ]


def test_tables_that_nothing_landed_in_are_there_and_empty(tmp_path: Path) -> None:
    door = Door(tmp_path)
    ensure_raw(door)
    ensure_raw(door)
    tables = {name for (name,) in door.rows("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'landing'")}
    assert {table.name for table in contract()} <= tables
    assert {f"landed_{table.name}" for table in contract()} <= tables


def test_a_column_that_a_newer_contract_adds_is_added_to_an_old_file(door: Door) -> None:
    with duckdb.connect(str(door.raw)) as raw:
        raw.execute("ALTER TABLE landing.charges DROP COLUMN approved_by")
        raw.execute("ALTER TABLE landing.landed_charges DROP COLUMN approved_by")
    door.land({"charges": [charge("C1", approved_by="Ann")]})
    assert door.ids("charges", "approved_by") == ["Ann"]


# -------------------------------------------------------------------------------------------------- settled by a person


def quarantine_id(door: Door) -> str:
    ((found,),) = door.rows("SELECT quarantine_id FROM landing.quarantine WHERE status = 'open'")
    return str(found)


def test_a_person_releases_an_unusual_amount_which_is_known_from_then(door: Door) -> None:
    door.land({"charges": [charge("C1", "120000000.00")]})
    moment = FIRST_RUN + timedelta(days=1)
    assert resolve_quarantine(door, quarantine_id(door), "Ann", "a whole block, checked", at=moment) == "released"
    assert door.rows("SELECT amount, accepted_at FROM landing.charges") == [("120000000.00", moment)]
    assert door.rows("SELECT status, resolved_by FROM landing.quarantine") == [
        ("released", "Ann: a whole block, checked")
    ]
    assert door.rows("SELECT decided_by FROM landing.verdicts WHERE verdict = 'loaded' AND table_name = 'charges'") == [
        ("Ann",)
    ]
    assert door.untied() == []


def test_a_release_overrules_one_reason_only(door: Door) -> None:
    door.land({"charges": [charge("C1", "120000000.00", posted_on="5/6/26")]})
    with pytest.raises(UsageError, match="posted_on"):
        resolve_quarantine(door, quarantine_id(door), "Ann", "fine", at=FIRST_RUN + timedelta(days=1))
    assert door.ids("charges", "charge_id") == []
    assert door.held() == {"default:C1": "amount_out_of_range"}


def test_a_person_sets_aside_what_cannot_enter_and_it_stays_counted(door: Door) -> None:
    door.land({"charges": [charge("C1", "oops"), charge("C2")]})
    assert (
        resolve_quarantine(door, quarantine_id(door), "Ann", "typed twice", at=FIRST_RUN + timedelta(days=1))
        == "rejected"
    )
    report = door.land(loaded_at=FIRST_RUN + timedelta(days=2))
    assert (report.quarantine, report.verdicts) == ({}, {})
    assert door.rows("SELECT status, resolved_by FROM landing.quarantine") == [("rejected", "Ann: typed twice")]
    assert door.untied() == []


@pytest.mark.parametrize(("row", "by", "why", "words"), [
    ("nothing", "Ann", "x", "There is no row nothing"),
    ("", " ", "x", "named person"),
    ("", "Ann", "", "named person"),
])  # fmt: skip
def test_settling_asks_for_a_row_a_name_and_a_reason(door: Door, row: str, by: str, why: str, words: str) -> None:
    door.land({"charges": [charge("C1", "oops")]})
    with pytest.raises(UsageError, match=words):
        resolve_quarantine(door, row or quarantine_id(door), by, why)


def test_what_is_settled_is_settled(door: Door) -> None:
    door.land({"charges": [charge("C1", "oops")]})
    row = quarantine_id(door)
    resolve_quarantine(door, row, "Ann", "typed twice", at=FIRST_RUN + timedelta(days=1))
    with pytest.raises(UsageError, match="rejected by Ann"):
        resolve_quarantine(door, row, "Bob", "no", at=FIRST_RUN + timedelta(days=2))


# ------------------------------------------------------------------------------------------------------------- killed

VICTIM = """
import resource, signal, sys, time
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from orchestration.landing import accept
import orchestration.landing.land
door_land = sys.modules["orchestration.landing.land"]
home, moment, loaded_at = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def stop():
    (home / "here").touch()
    time.sleep(600)

def stopping(function, when):
    def stopped(*arguments, **named):
        if when(*arguments):
            stop()
        return function(*arguments, **named)
    return stopped

if moment == "bytes stored":
    door_land._append = stopping(door_land._append, lambda c, table, *rest: table.name == "payments")
elif moment == "nothing judged":
    door_land._judge_all = stopping(door_land._judge_all, lambda *rest: True)
elif moment == "half judged":
    accept.judge_table = stopping(accept.judge_table, lambda c, table, *rest: table.name == "payment_reversals")
elif moment == "all but committed":
    door_land._count_up = stopping(door_land._count_up, lambda *rest: True)
elif moment == "full disk":
    # A limit on the size of a file is answered like a full disk: the write fails.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
home_paths = SimpleNamespace(files=home / "files", raw=home / "raw.duckdb")
door_land.land(home_paths, home / "landing", loaded_at=datetime.fromisoformat(loaded_at), run_id="victim")
"""


def run_apart(door: Door, moment: str) -> subprocess.Popen[str]:
    """Land the folder in a process of its own that comes to grief at `moment` (empty: it does not)."""
    return subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(door.path), moment, (FIRST_RUN + timedelta(hours=1)).isoformat()],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
        text=True,
    )


def everything(door: Door) -> dict[str, list[tuple[Any, ...]]]:
    with duckdb.connect(str(door.raw), read_only=True) as raw:
        tables = raw.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'landing' ORDER BY 1"
        ).fetchall()
        return {name: raw.execute(f'SELECT * FROM landing."{name}" ORDER BY ALL').fetchall() for (name,) in tables}


@pytest.mark.parametrize("moment", ["bytes stored", "nothing judged", "half judged", "all but committed"])
def test_a_kill_leaves_the_raw_file_as_it_was_and_the_next_run_does_the_work(
    door: Door, tmp_path_factory: pytest.TempPathFactory, furnished: Door, moment: str
) -> None:
    books = {name: rows for name, rows in busy_books().items() if name not in portfolio() or name == "leases"}
    before = everything(door)
    door.folder.mkdir()
    door.write(books)
    victim = run_apart(door, moment)
    try:
        deadline = time.monotonic() + 120
        while not (door.path / "here").exists():
            assert victim.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < deadline, "the run did not come to the moment of the kill"
            time.sleep(0.05)
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.wait()
    assert everything(door) == before
    door.runs = 2
    door.land()
    unhurt = Door(tmp_path_factory.mktemp("unhurt"))
    unhurt.land(portfolio())
    unhurt.write(books)
    unhurt.runs = 2
    unhurt.land()
    assert accepted(door.raw) == accepted(unhurt.raw)
    assert held(door) == held(unhurt)
    assert door.untied() == []


@pytest.mark.parametrize("seed", range(20 if FULL else 1))
def test_a_kill_at_any_moment_leaves_the_old_state_or_the_new_one(door: Door, tmp_path: Path, seed: int) -> None:
    door.folder.mkdir()
    door.write({"charges": [charge(f"C{n}", f"{n}.00", reason="x" * 100) for n in range(3000)]})
    before = everything(door)
    victim = run_apart(door, "")
    try:
        time.sleep(random.Random(seed).uniform(0.5, 4.0))
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
    assert everything(door) == before or len(door.ids("charges", "charge_id")) == 3000
    door.runs = 2
    door.land()
    assert len(door.ids("charges", "charge_id")) == 3000
    assert door.untied() == []


def test_a_full_disk_leaves_the_raw_file_as_it_was_and_says_what_to_do(door: Door) -> None:
    door.folder.mkdir()
    rows = [charge(f"C{n}", f"{n}.00", reason=f"{n * 7919} " * 3) for n in range(2000)]
    for part in range(4):
        door.write({"charges": rows[part::4]}, suffix=f"-{part}")
    before = everything(door)
    victim = run_apart(door, "full disk")
    _, told = victim.communicate(timeout=120)
    assert victim.returncode != 0
    assert "cannot be written" in told and "Free some space" in told
    assert everything(door) == before
    door.runs = 2
    door.land()
    assert len(door.ids("charges", "charge_id")) == 2000
