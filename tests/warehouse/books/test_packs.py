"""The sealed pack of a closed month: what it holds, and that whatever is changed in it is found and named."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from pathlib import Path

import duckdb
import pytest

from orchestration.closing.pack import broken_packs, check_packs, seal_missing, seals
from orchestration.errors import CheckFailed
from orchestration.home import Home
from tests.warehouse.books.conftest import Books

RECORD = {
    "entity_id": "WORKED", "source_system": "default", "period": "2026-10", "closed_at": "2026-11-05T15:00:00.000000Z",
    "closed_by": "A. Controller", "reviewed_by": "B. Chief", "accepted": None, "checklist": [],
}  # fmt: skip


@pytest.fixture
def home(worked: Books, tmp_path: Path) -> Home:
    """A home with the two builds of the worked cases and one pack, sealed from the first build."""
    home = Home(tmp_path / "home").create()
    for name in ("1.duckdb", "1.json", "2.duckdb", "2.json"):
        shutil.copy(worked.home.builds / name, home.builds / name)
    home.current.symlink_to(Path("builds") / "2.duckdb")
    (home.closes / "WORKED-2026-10.json").write_text(json.dumps(RECORD))
    assert [folder.name for folder in seal_missing(home, home.builds / "1.duckdb", 1)] == ["WORKED-2026-10"]
    promise(home)
    return home


def promise(home: Home) -> None:
    """What publishing writes: the manifest of the build promises every seal."""
    manifest = home.builds / "2.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "packs": seals(home)}))


def pack(home: Home) -> Path:
    return home.closes / "WORKED-2026-10"


def test_a_pack_holds_the_month_as_tables_that_need_no_warehouse(home: Home) -> None:
    manifest = json.loads((pack(home) / "manifest.json").read_text())
    assert (manifest["prepared_by"], manifest["reviewed_by"]) == ("A. Controller", "B. Chief")
    with (pack(home) / "trial_balance.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    closing = {(row["book"], row["account_name"]): row["closing"] for row in rows}
    assert closing["accrual", "Cash"] == "1200.00" and closing["accrual", "Prepaid"] == "-200.00"
    assert closing["cash", "Income"] == "-1000.00"
    parquet = duckdb.sql(f"select count(*) from read_parquet('{pack(home) / 'trial_balance.parquet'}')").fetchall()
    assert parquet == [(len(rows),)] == [(manifest["rows"]["trial_balance"],)]
    assert manifest["rows"]["tie_outs"] > 31 * 9 and manifest["rows"]["gl_entries"] > 4


def test_a_pack_holds_what_files_of_another_system_brought_into_the_books_of_its_entity(home: Home) -> None:
    """A lockbox has a source system of its own: its lines were missing from the journal of the pack, its late payment
    from the list."""
    for period in ("2026-09", "2026-10"):
        record = {**RECORD, "entity_id": "LOCKBOX", "period": period}
        (home.closes / f"LOCKBOX-{period}.json").write_text(json.dumps(record))
    with duckdb.connect(str(home.builds / "2.duckdb")) as connection:
        connection.execute(
            "insert into core.int_closes__periods by name select * replace ('2026-10' as period) "
            "from core.int_closes__periods where entity_id = 'LOCKBOX'"
        )
    seal_missing(home, home.builds / "2.duckdb", 2)
    for period, late in (("2026-09", 0), ("2026-10", 1)):
        sealed = home.closes / f"LOCKBOX-{period}"
        journal, balance = (
            duckdb.sql(
                f"select book, account, sum({debits}), sum({credits}) from read_parquet('{sealed / name}.parquet') "
                f"group by all having sum({debits} + {credits}) <> 0 order by all"
            ).fetchall()
            for name, debits, credits in (("gl_entries", "debit", "credit"), ("trial_balance", "debits", "credits"))
        )
        assert journal == balance != []
        told = duckdb.sql(f"select count(*) from read_parquet('{sealed / 'late_arrivals.parquet'}')").fetchall()
        assert told == [(late,)]


def test_a_later_build_says_the_same_of_the_month_although_more_is_known(home: Home) -> None:
    """The second build knows the late check and the return; the pack was sealed from the first."""
    assert broken_packs(home, home.builds / "2.duckdb") == []
    assert seal_missing(home, home.builds / "2.duckdb", 2) == [], "it is sealed once"


def test_a_changed_byte_of_any_file_is_found_and_named(home: Home) -> None:
    for path in sorted(pack(home).iterdir()):
        sound = path.read_bytes()
        middle = len(sound) // 2
        path.write_bytes(sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :])
        found = broken_packs(home)
        assert len(found) == 1 and f"closes/WORKED-2026-10/{path.name} was changed" in found[0], path.name
        path.write_bytes(sound)
    assert broken_packs(home) == []


def test_a_pack_that_was_rewritten_with_its_manifest_is_found_by_the_seal_that_was_promised(home: Home) -> None:
    (pack(home) / "trial_balance.csv").write_text("book\n")
    manifest = json.loads((pack(home) / "manifest.json").read_text())
    manifest["files"]["trial_balance.csv"] = hashlib.sha256(b"book\n").hexdigest()
    (pack(home) / "manifest.json").write_text(json.dumps(manifest))
    found = broken_packs(home)
    assert len(found) == 1 and "closes/WORKED-2026-10/manifest.json was changed" in found[0]
    shutil.rmtree(pack(home))
    assert broken_packs(home) == ["closes/WORKED-2026-10/manifest.json is missing; build 2 had it"]


def test_a_missing_and_an_added_file_are_found(home: Home) -> None:
    (pack(home) / "aging.parquet").unlink()
    (pack(home) / "note.txt").write_text("x")
    assert broken_packs(home) == [
        "closes/WORKED-2026-10/aging.parquet is missing",
        "closes/WORKED-2026-10/note.txt was added after it was sealed",
    ]


def test_a_build_that_says_something_else_of_a_closed_month_is_not_published(home: Home) -> None:
    with duckdb.connect(str(home.builds / "2.duckdb")) as connection:
        connection.execute(
            "update marts.trial_balance set closing = closing + 1 where entity_id = 'WORKED' and period = '2026-10' "
            "and account = '1000' and book = 'accrual'"
        )
    with pytest.raises(CheckFailed) as failure:
        check_packs(home, home.builds / "2.duckdb")
    assert "WORKED 2026-10, accrual book, account 1000 of WORKED: sealed at 1200.00, this build says 1201.00" in str(
        failure.value
    )
