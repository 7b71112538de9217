"""Rows with one key: duplicates change nothing, facts never change, other changes are versions, in any order."""

from __future__ import annotations

import hashlib

import pytest

from tests.landing.portfolio import Door, charge, payment

LEASE = {"lease_id": "L7", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"}


def test_the_same_rows_in_other_bytes_are_duplicates(door: Door) -> None:
    door.land({"charges": [charge("C1"), charge("C2", "20.00")]})
    before = door.rows("SELECT * FROM landing.charges ORDER BY ALL")
    report = door.land({"charges": [charge("C2", "20"), charge("C1", " 1500.0", ledger_party="resident")]})
    assert report.verdicts == {"duplicate": 2}
    assert door.rows("SELECT * FROM landing.charges ORDER BY ALL") == before
    assert door.untied() == []


def test_a_known_hash_is_skipped_and_reported(door: Door) -> None:
    door.land({"charges": [charge("C1")]})
    report = door.land()
    assert (report.batches, report.refused) == ([], [])
    assert {note.file for note in report.skipped} >= {"charges-run1.csv"}
    assert all("same bytes" in note.message for note in report.skipped)


def test_the_same_bytes_of_another_source_system_are_another_batch(door: Door) -> None:
    for system in ("yardi", "entrata"):
        door.write({"persons": [{"person_id": "R9", "name": "Ann"}]}, subfolder=system)
    report = door.land()
    first, second = report.batches
    stored = hashlib.sha256((door.folder / "yardi" / "persons.csv").read_bytes()).hexdigest()
    assert first.batch_id == stored and second.batch_id == hashlib.sha256(f"{stored}:yardi".encode()).hexdigest()
    assert door.rows("SELECT person_key FROM landing.persons WHERE person_id = 'R9' ORDER BY 1") == [
        ("entrata:R9",),
        ("yardi:R9",),
    ]
    assert door.rows("SELECT DISTINCT file_hash FROM landing.batches WHERE file LIKE '%/persons.csv'") == [(stored,)]
    assert (door.files / stored).is_file() and not (door.files / second.batch_id).exists()
    again = door.land()
    assert again.batches == [] and {note.batch_id for note in again.skipped} >= {first.batch_id, second.batch_id}
    assert door.untied() == []


def test_two_refused_files_of_the_same_bytes_are_both_missing_until_each_is_put_right(door: Door) -> None:
    kept = "SELECT file FROM landing.batches WHERE status = 'refused' ORDER BY 1"
    door.folder.mkdir()
    for name in ("charges.csv", "payments.csv"):
        (door.folder / name).write_text("")
    for _ in range(2):
        door.land()
        assert door.rows(kept) == [("charges.csv",), ("payments.csv",)]
    (door.folder / "charges.csv").unlink()
    door.land()
    assert door.rows(kept) == [("payments.csv",)]
    assert door.rows("SELECT count(*) - count(DISTINCT batch_id) FROM landing.batches") == [(0,)]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("amount", "1600.00"),
        ("lease_id", "L2"),
        ("ledger_party", "subsidy"),
        ("charge_code", "LATE"),
        ("posted_on", "2026-10-02"),
        ("due_on", "2026-10-05"),
        ("service_from", "2026-10-01"),
        ("responsible_person_id", "R1"),
        ("schedule_id", "S1"),
    ],
)
def test_a_changed_fact_waits_and_the_first_row_stays(door: Door, column: str, value: str) -> None:
    door.land({"charges": [charge("C1")]})
    door.land({"charges": [charge("C1", **{column: value})]})
    assert door.held() == {"default:C1": "changed_fact"}
    ((detail,),) = door.rows("SELECT detail FROM landing.quarantine")
    assert detail.startswith(f"{column}: found {value}; expected ") and "reversal" in detail
    assert door.rows("SELECT amount, lease_id, version_no FROM landing.charges") == [("1500.00", "L1", 1)]
    assert door.untied() == []


def test_any_other_change_is_a_new_version_and_moves_no_money(door: Door) -> None:
    door.land({"payments": [payment("P1", method="check")]})
    door.land(
        {"payments": [payment("P1", method="check", settled_on="2026-10-05", recorded_at="2026-10-05T12:00:00Z")]}
    )
    assert door.rows(
        "SELECT version_no, amount, settled_on, recorded_at FROM landing.payments ORDER BY version_no"
    ) == [
        (1, "1000.00", None, None),
        (2, "1000.00", "2026-10-05", "2026-10-05T12:00:00.000000Z"),
    ]
    assert door.held() == {}


def test_a_changed_row_of_reference_data_is_a_new_version(door: Door) -> None:
    door.land({"leases": [LEASE]})
    door.land({"leases": [LEASE | {"move_out_on": "2026-12-31"}]})
    door.land({"leases": [LEASE | {"move_out_on": "2027-01-31"}]})
    assert door.rows("SELECT version_no, move_out_on FROM landing.leases WHERE lease_id = 'L7' ORDER BY 1") == [
        (1, None),
        (2, "2026-12-31"),
        (3, "2027-01-31"),
    ]


def test_reference_data_changed_back_with_a_later_recorded_time_is_a_version_and_without_one_a_duplicate(
    door: Door,
) -> None:
    door.land({"leases": [LEASE | {"rent_due_day": "1"}]})
    door.land({"leases": [LEASE | {"rent_due_day": "5", "recorded_at": "2026-10-05T00:00:00Z"}]})
    report = door.land({"leases": [LEASE | {"rent_due_day": " 1"}]})
    assert report.verdicts == {"duplicate": 1}
    report = door.land({"leases": [LEASE | {"rent_due_day": "1", "recorded_at": "2026-10-07T00:00:00Z"}]})
    assert report.verdicts == {"loaded": 1}
    assert door.rows("SELECT rent_due_day FROM landing.leases WHERE lease_id = 'L7' ORDER BY version_no") == [
        ("1",),
        ("5",),
        ("1",),
    ]


def test_versions_with_recorded_times_in_one_file_enter_in_their_order(door: Door) -> None:
    rows = [
        LEASE | {"rent_due_day": "3", "recorded_at": "2026-03-01T00:00:00Z"},
        LEASE | {"rent_due_day": "1", "recorded_at": ""},
        LEASE | {"rent_due_day": "2", "recorded_at": "2026-02-01T00:00:00Z"},
        LEASE | {"rent_due_day": "2", "recorded_at": "2026-02-15T00:00:00Z"},
    ]
    report = door.land({"leases": rows})
    assert door.rows("SELECT version_no, rent_due_day FROM landing.leases WHERE lease_id = 'L7' ORDER BY 1") == [
        (1, "1"),
        (2, "2"),
        (3, "3"),
    ]
    assert report.verdicts["duplicate"] == 1, "the same content a little later is no new version"
    assert door.untied() == []


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_rows_with_one_key_the_same_one_stays_whatever_their_order(door: Door, turned: bool) -> None:
    rows = [charge("C1", "100.00"), charge("C1", "200.00"), charge("C1", "100.00")]
    door.land({"charges": rows[::-1] if turned else rows})
    ((kept,),) = door.rows("SELECT amount FROM landing.charges")
    # Which one stays is fixed by the canonical text alone; that it is always the same one is the rule.
    assert kept == KEPT.setdefault("amount", kept)
    assert sorted(door.rows("SELECT verdict, reason FROM landing.verdicts WHERE table_name = 'charges'"), key=str) in (
        [("duplicate", None), ("loaded", None), ("quarantined", "key_used_twice")],
        [("loaded", None), ("quarantined", "key_used_twice"), ("quarantined", "key_used_twice")],
    )
    assert door.untied() == []


KEPT: dict[str, str] = {}


def test_a_corrected_row_with_the_same_key_settles_what_waited(door: Door) -> None:
    door.land({"charges": [charge("C1", "1.500,00")]})
    assert door.held() == {"default:C1": "not_an_amount"}
    door.land({"charges": [charge("C1", "1500.00")]})
    assert door.ids("charges", "charge_id") == ["C1"]
    assert door.held() == {}
    ((status, by),) = door.rows("SELECT status, resolved_by FROM landing.quarantine")
    assert (status, by) == ("rejected", "corrected by a later row")
    assert door.untied() == []


def test_a_corrected_row_replaces_one_that_still_waits_for_its_lease(door: Door) -> None:
    door.land({"charges": [charge("C1", "100.00", lease_id="L9")]})
    door.land({"charges": [charge("C1", "200.00", lease_id="L9")]})
    door.land({"leases": [LEASE | {"lease_id": "L9"}]})
    assert door.rows("SELECT amount FROM landing.charges") == [("200.00",)]
    assert door.held() == {}
    assert door.untied() == []


def test_the_key_of_an_opening_balance_is_its_id_else_what_it_is_for(door: Door) -> None:
    base = {"lease_id": "L1", "as_of": "2025-12-31", "charge_code": "RENT", "due_on": "2025-12-01", "amount": "50.00"}
    rows = [
        base | {"opening_id": "O1"},
        base | {"opening_id": ""},
        base | {"opening_id": "", "due_on": "2025-11-01"},
        base | {"opening_id": "", "ledger_party": "resident"},
    ]
    report = door.land({"opening_balances": rows})
    assert report.verdicts["duplicate"] == 1, "an empty ledger party is the resident"
    assert door.rows("SELECT row_key FROM landing.opening_balances ORDER BY 1") == [
        ("default:O1",),
        ("default:opening:L1|resident|2025-12-31|RENT|2025-11-01",),
        ("default:opening:L1|resident|2025-12-31|RENT|2025-12-01",),
    ]


def test_a_link_finds_the_default_system_whichever_arrived_first(empty_door: Door) -> None:
    entity = {"entity_id": "E1", "name": "Oak LLC", "currency": "USD", "chart_id": "main"}
    other = {"entity_id": "E2", "name": "Elm LLC", "currency": "USD", "chart_id": "own"}
    account = {"chart_id": "main", "account": "1100", "name": "Receivable", "type": "asset"}
    empty_door.land({"entities": [entity, other]}, subfolder="yardi")
    assert empty_door.ids("entities", "chart_key") == ["yardi:main", "yardi:own"]
    empty_door.land({"gl_accounts": [account]})
    assert empty_door.ids("entities", "chart_key") == ["default:main", "yardi:own"]


def test_a_link_finds_the_default_system_in_the_same_run(empty_door: Door) -> None:
    entity = {"entity_id": "E1", "name": "Oak LLC", "currency": "USD", "chart_id": "main"}
    empty_door.write({"entities": [entity]}, subfolder="yardi")
    empty_door.land({"gl_accounts": [{"chart_id": "main", "account": "1100", "name": "Receivable", "type": "asset"}]})
    assert empty_door.ids("entities", "chart_key") == ["default:main"]


def test_ids_are_found_in_their_own_source_system_first_then_in_default(door: Door) -> None:
    own = {"lease_id": "L1", "property_id": "P1", "unit_id": "U1", "start_on": "2026-02-01"}
    door.land({"leases": [own], "charges": [charge("C1"), charge("C2", lease_id="L2")]}, subfolder="yardi")
    assert door.rows("SELECT row_key, lease_key, code_key FROM landing.charges ORDER BY 1") == [
        ("yardi:C1", "yardi:L1", "default:RENT"),
        ("yardi:C2", "default:L2", "default:RENT"),
    ]
