"""A file that comes in through a profile is judged, counted and kept like any other, and nothing of it is lost."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path

import pytest

from orchestration.components.landing import _holds_files
from orchestration.landing import REASONS
from orchestration.profiles.keys import ProfileError
from orchestration.profiles.read import FAULT_REASONS
from orchestration.profiles.shelf import shipped_folder
from tests.landing.portfolio import Door, charge

FIXTURES = Path(__file__).parent / "profiles"
LEDGER = """Oak LLC
Transactions of October,,,,,,
Date,Lease,Transaction,Code,Description,Debit,Credit
2026-10-01,L1,C1,RENT,October rent,"1,500.00",-
2026-10-03,L1,P1,,check 1041,-,"1,000.00"

2026-10-04,L1,C2,RENT,Concession,,50.00
2026-10-05,L1,X1,RENT,both,5.00,5.00
2026-10-06,L1,X2,RENT,neither,,
2026-10-07,L9,C3,RENT,unknown lease,20.00,
,,,,Total,"1,525.00","1,055.00"
"""
OWN = """profile: bank
describes: Receipts as the bank lists them.
files: ["receipts*.txt"]
reads: {separator: semicolon, encodings: [cp1252]}
formats: {date: DD.MM.YYYY, decimal: comma, thousands: point}
tables:
  - table: payments
    columns:
      payment_id: Ref
      lease_id: {column: Lease, words: {Haus 1: L1}}
      amount: Amount
      received_on: Day
"""


def put(door: Door, name: str, content: str | bytes) -> Path:
    path = door.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_ledger_gives_charges_credits_and_payments_and_every_row_is_accounted_for(door: Door) -> None:
    put(door, "transactions-2026-10.csv", LEDGER)
    report = door.land()
    assert [(batch.table, batch.rows) for batch in report.batches] == [("charges", 8), ("charges", 1), ("payments", 1)]
    assert door.rows("SELECT charge_id, amount, row_number FROM landing.charges ORDER BY 1") == [
        ("C1", "1500.00", 4),
        ("C2", "-50.00", 7),
    ]
    assert door.rows("SELECT payment_id, amount, source_reference, row_number FROM landing.payments") == [
        ("P1", "1000.00", "check 1041", 5)
    ]
    assert dict(door.rows("SELECT row_number, reason FROM landing.quarantine")) == {
        8: "two_places_in_profile",
        9: "no_place_in_profile",
        10: "unknown_reference",
    }
    assert door.rows("SELECT row_number, rule FROM landing.skipped_rows ORDER BY 1") == [
        (1, "title lines"),
        (2, "title lines"),
        (6, "blank rows"),
        (11, "total rows"),
    ]
    assert door.untied() == []
    numbers = door.rows(
        "SELECT row_number FROM landing.charges UNION ALL SELECT row_number FROM landing.payments"
        " UNION ALL SELECT row_number FROM landing.quarantine UNION ALL SELECT row_number FROM landing.skipped_rows"
        " ORDER BY 1"
    )
    assert [number for (number,) in numbers] == [1, 2, 4, 5, 6, 7, 8, 9, 10, 11], "every row but the header, once"


def test_the_batch_says_through_which_profile_it_came_and_the_profile_is_kept(door: Door) -> None:
    put(door, "transactions.csv", LEDGER)
    report = door.land()
    text = (shipped_folder() / "charges-and-payments.yaml").read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    file_hash = hashlib.sha256(LEDGER.encode()).hexdigest()
    assert set(door.rows("SELECT file_hash, profile, profile_hash FROM landing.batches WHERE profile IS NOT NULL")) == {
        (file_hash, "charges-and-payments", digest)
    }
    assert (door.files / digest).read_bytes() == text
    assert (door.files / file_hash).read_bytes() == LEDGER.encode()
    assert all(batch.batch_id.startswith(file_hash) for batch in report.batches)
    assert report.batches[0].message == (
        f"Read through the profile charges-and-payments ({digest[:12]}). 4 of 6 rows gave charges. Set aside by rule:"
        " title lines 2, blank rows 1, total rows 1."
    )
    told = {"file": "transactions.csv", "message": report.batches[0].message}
    assert report.not_loaded()["profiles"][0] == told, "the report of the run says it too"


def test_the_whole_row_stands_beside_what_was_taken_of_it(door: Door) -> None:
    put(door, "transactions.csv", LEDGER)
    door.land()
    (original,) = door.rows("SELECT unknown_columns FROM landing.landed_charges WHERE charge_id = 'C1'")[0]
    assert json.loads(original) == {
        "Date": "2026-10-01", "Lease": "L1", "Transaction": "C1", "Code": "RENT", "Description": "October rent",
        "Debit": "1,500.00", "Credit": "-",
    }  # fmt: skip


def test_the_same_bytes_through_the_same_profile_change_nothing(door: Door) -> None:
    put(door, "transactions.csv", LEDGER)
    door.land()
    before = door.rows("SELECT count(*) FROM landing.batches") + door.rows("SELECT count(*) FROM landing.verdicts")
    report = door.land()
    assert not report.batches
    assert "through the profile charges-and-payments" in report.skipped[-1].message
    assert before == door.rows("SELECT count(*) FROM landing.batches") + door.rows(
        "SELECT count(*) FROM landing.verdicts"
    )


def test_a_profile_that_was_mended_reads_the_file_anew_and_settles_what_waited(door: Door) -> None:
    put(door, "profiles/bank.yaml", OWN)
    put(door, "receipts.txt", "Ref;Day;Lease;Amount\nR1;05.10.2026;Haus 1;1.355,90\nR2;05.10.2026;Haus 2;10,00\n")
    door.land()
    assert door.ids("payments", "payment_id") == ["R1"]
    assert dict(door.rows("SELECT row_number, reason FROM landing.quarantine WHERE status = 'open'")) == {
        3: "unmapped_word"
    }
    put(door, "profiles/bank.yaml", OWN.replace("{Haus 1: L1}", "{Haus 1: L1, Haus 2: L2}"))
    door.land()
    assert door.rows("SELECT payment_id, lease_id, amount FROM landing.payments ORDER BY 1") == [
        ("R1", "L1", "1355.90"),
        ("R2", "L2", "10.00"),
    ]
    assert door.held() == {}
    (settled,) = door.rows("SELECT resolved_by FROM landing.quarantine WHERE status = 'rejected'")[0]
    assert settled.startswith("read again through the profile bank (")
    outcomes = door.rows(
        "SELECT verdict, sum(rows), sum(amount) FROM landing.batch_outcomes JOIN landing.batches USING (batch_id)"
        " WHERE profile = 'bank' GROUP BY verdict ORDER BY verdict"
    )
    assert outcomes == [
        ("duplicate", 1, Decimal("1355.90")),
        ("loaded", 2, Decimal("1365.90")),
        ("quarantined", 1, Decimal("10.00")),
    ]
    assert door.untied() == []


def test_a_changed_profile_never_edits_what_is_in_the_books(door: Door) -> None:
    put(door, "profiles/bank.yaml", OWN)
    put(door, "receipts.txt", "Ref;Day;Lease;Amount\nR1;05.10.2026;Haus 1;10,00\n")
    door.land()
    put(door, "profiles/bank.yaml", OWN.replace("Haus 1: L1", "Haus 1: L2"))
    door.land()
    assert door.rows("SELECT payment_id, lease_id FROM landing.payments") == [("R1", "L1")]
    assert list(door.held().values()) == ["changed_fact"]


def test_a_profile_of_the_landing_folder_wins_over_the_home_s_and_both_over_the_shipped(door: Door) -> None:
    name = "transactions.csv"
    own = OWN.replace("receipts*.txt", name)
    put(door, name, "Ref;Day;Lease;Amount\nR1;05.10.2026;Haus 1;10,00\n")
    (door.path / "profiles").mkdir()
    (door.path / "profiles" / "bank.yaml").write_text(own.replace("profile: bank", "profile: of-the-home"))
    door.land()
    assert {row[0] for row in door.rows("SELECT profile FROM landing.batches WHERE profile IS NOT NULL")} == {
        "of-the-home"
    }
    put(door, "profiles/bank.yaml", own)
    door.land()
    assert door.rows("SELECT max_by(profile, loaded_at) FROM landing.batches WHERE profile IS NOT NULL") == [("bank",)]


def test_a_profile_of_one_s_own_may_take_a_file_named_after_a_table(door: Door) -> None:
    put(door, "profiles/bank.yaml", OWN.replace("receipts*.txt", "payments*.csv"))
    put(door, "payments-bank.csv", "Ref;Day;Lease;Amount\nR1;05.10.2026;Haus 1;10,00\n")
    door.land({"charges": [charge("C1")]})
    assert (door.ids("payments", "payment_id"), door.ids("charges", "charge_id")) == (["R1"], ["C1"])


def test_two_profiles_for_one_file_refuse_it(door: Door) -> None:
    put(door, "profiles/one.yaml", OWN)
    put(door, "profiles/two.yaml", OWN.replace("profile: bank", "profile: other").replace("receipts*", "*"))
    put(door, "receipts.txt", "Ref;Day;Lease;Amount\nR1;05.10.2026;Haus 1;10,00\n")
    (refused,) = door.land().refused
    assert "bank (one.yaml) and other (two.yaml)" in refused.message and "one profile for a file" in refused.message


def test_a_profile_for_one_source_system_leaves_the_others_alone(door: Door) -> None:
    put(door, "profiles/bank.yaml", OWN.replace("files:", "source_system: bank\nfiles:"))
    content = "Ref;Day;Lease;Amount\nR1;05.10.2026;Haus 1;10,00\n"
    put(door, "receipts.txt", content)
    report = door.land()
    assert [note.file for note in report.ignored] == ["receipts.txt"]
    put(door, "bank/receipts.txt", content)
    assert [batch.source_system for batch in door.land().batches] == ["bank"]


def test_a_broken_profile_stops_the_run_before_anything_is_loaded(door: Door) -> None:
    put(door, "profiles/bank.yaml", OWN.replace("decimal: comma", "decimal: komma"))
    with pytest.raises(ProfileError, match=r"bank.yaml: formats.decimal: found 'komma'; expected one of point, comma"):
        door.land({"charges": [charge("C1")]})
    assert door.ids("charges", "charge_id") == []


def test_a_data_file_among_the_profiles_is_refused_and_not_passed_over(door: Door) -> None:
    put(door, "profiles/charges.csv", "charge_id\n")
    (refused,) = door.land().refused
    assert refused.message.startswith("profiles/charges.csv: found a data file in the folder of profiles")


def test_a_file_that_nothing_fits_is_refused_with_the_way_to_mend_it(door: Door) -> None:
    put(door, "ledger-report.csv", LEDGER)
    (refused,) = door.land().refused
    assert "`tieout profile FILE` proposes one" in refused.message
    put(door, "profiles/own.yaml", (shipped_folder() / "charges-and-payments.yaml").read_text().replace(
        "transactions*.csv", "ledger*.csv").replace("profile: charges", "profile: own-charges"))  # fmt: skip
    report = door.land()
    assert not report.refused and len(report.batches) == 3
    assert door.rows("SELECT count(*) FROM landing.batches WHERE status = 'refused'") == [(0,)]


def test_a_file_joined_to_another_is_named_where_it_is_missing_and_read_when_it_comes(door: Door) -> None:
    lines = (FIXTURES / "xero_invented" / "xero_invoice_line_item_data.csv").read_bytes()
    invoices = (FIXTURES / "xero_invented" / "xero_invoice_data.csv").read_text()
    put(door, "xero/xero_invoice_line_item_data.csv", lines)
    (refused,) = door.land().refused
    assert "no file xero_invoice_data*.csv beside it" in refused.message
    put(door, "xero/xero_invoice_data.csv", "\n".join(invoices.splitlines()[:-1]) + "\n")
    door.land()
    assert "not_in_joined_file" in door.held().values()
    put(door, "xero/xero_invoice_data.csv", invoices)
    door.land()
    assert "not_in_joined_file" not in door.held().values()


def test_a_watched_folder_with_profiles_only_holds_nothing_to_land(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "bank.yaml").write_text(OWN)
    assert not _holds_files(tmp_path)
    (tmp_path / "receipts.txt").write_text("Ref\n")
    assert _holds_files(tmp_path)


def test_the_reasons_of_profiles_stand_in_the_closed_list() -> None:
    assert set(FAULT_REASONS) <= set(REASONS)
