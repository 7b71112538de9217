"""Each way in which a row can be wrong by itself has its own reason and says what was found.

All rows land in one run beside a sound portfolio, so every test also shows that a bad row holds back nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from orchestration.landing import REASONS
from tests.landing.portfolio import CODE, Door, charge, payment, portfolio

RULE = {
    "version": "1",
    "source": "policy",
    "scope": "default",
    "valid_from": "2026-01-01",
    "steps": '[{"match": "any"}]',
}


@dataclass(frozen=True)
class Fault:
    """A row that is wrong, what it must be held for, and words that its detail must hold."""

    name: str
    table: str
    row: dict[str, str]
    reason: str
    words: str


def wrong_amount(name: str, amount: str, words: str) -> Fault:
    return Fault(f"an amount with {name}", "charges", {"amount": amount}, "not_an_amount", words)


def wrong_date(name: str, day: str, words: str) -> Fault:
    return Fault(f"a date that is {name}", "charges", {"posted_on": day}, "not_a_date", words)


def wrong_moment(name: str, moment: str) -> Fault:
    return Fault(f"a recorded_at that is {name}", "charges", {"recorded_at": moment}, "not_a_timestamp", "recorded_at")


def wrong_steps(name: str, steps: str, words: str) -> Fault:
    return Fault(f"steps with {name}", "application_rules", RULE | {"steps": steps}, "bad_rule_steps", words)


FAULTS = [
    wrong_amount("a decimal comma", "1500,50", "decimal comma"),
    wrong_amount("a decimal comma after thousands", "1.500,50", "decimal comma"),
    wrong_amount("thousands separators", "1,500.00", "thousands separators"),
    wrong_amount("a dollar sign", "$1500.00", "currency sign"),
    wrong_amount("a euro sign behind", "1500.00 €", "currency sign"),
    wrong_amount("a currency code", "USD 1500.00", "currency sign"),
    wrong_amount("parentheses for a negative", "(1500.00)", "parentheses"),
    wrong_amount("three decimals", "1500.005", "more than two decimals"),
    wrong_amount("three decimals that are zero", "1500.000", "more than two decimals"),
    wrong_amount("NaN", "NaN", "NaN"),
    wrong_amount("infinity", "inf", "NaN or infinite"),
    wrong_amount("scientific notation", "1.5e3", "scientific notation"),
    wrong_amount("the sign behind", "1500.00-", "sign behind"),
    wrong_amount("a long dash for minus", "−1500.00", "dash"),
    wrong_amount("a spreadsheet error", "#N/A", "word for nothing"),
    wrong_amount("words", "fifteen", "not a number"),
    wrong_amount("eleven digits", "12345678901.00", "ten digits"),
    wrong_date("ambiguous", "04/05/2026", "ambiguous"),
    wrong_date("an Excel serial", "46296", "Excel serial"),
    wrong_date("in the year 0026", "0026-10-01", "year out of range"),
    wrong_date("not a day", "2026-02-30", "does not exist"),
    wrong_date("with a time of day", "2026-10-01T00:00:00", "time of day"),
    wrong_date("without dashes", "20261001", "without dashes"),
    wrong_date("words", "first of May", "not a date"),
    wrong_moment("a day of another order", "10/05/2026 9:00"),
    wrong_moment("an hour that does not exist", "2026-10-05T25:00:00"),
    wrong_moment("named by a zone's letters", "2026-10-05T09:00:00 MST"),
    Fault("a required value that is empty", "charges", {"lease_id": "  "}, "missing_required",
    "lease_id: found nothing"),
    Fault("a value outside its list", "charges", {"ledger_party": "tenant"}, "not_in_list",
    "resident, subsidy, third_party"),
    Fault("a payment of nothing", "payments", {"amount": "0.00"}, "amount_not_positive", "more than 0"),
    Fault("a negative payment", "payments", {"amount": "-5.00"}, "amount_not_positive", "-5.00"),
    Fault("a slipped decimal point", "charges", {"amount": "150000000.00"}, "amount_out_of_range", "at most"),
    Fault("a service period that ends first", "charges", {"service_from": "2026-10-31", "service_to": "2026-10-01"},
          "dates_out_of_order", "2026-10-31 to 2026-10-01"),
    Fault("a source system with a colon", "charges", {"source_system": "yardi:east"}, "bad_source_system",
    "yardi:east"),
    Fault("a recorded_at after the load", "charges", {"recorded_at": "2027-01-01T00:00:00Z"}, "recorded_in_future",
    "2027"),
    Fault("a recorded_at after the load in the property's zone", "charges", {"recorded_at": "2026-11-10T00:30:00"},
          "recorded_in_future", "2026-11-10T00:30"),
    Fault("a code that is not classified", "charges", {"charge_code": "MYSTERY"}, "unclassified_code", "MYSTERY"),
    Fault("a charge before its code's classification", "charges", {"charge_code": "NEW", "posted_on": "2025-12-31"},
          "unclassified_code", "in force on 2025-12-31"),
    Fault("a charge of an unknown lease", "charges", {"lease_id": "L404"}, "unknown_reference", "L404"),
    Fault("a charge for an unknown person", "charges", {"responsible_person_id": "R404"}, "unknown_reference", "R404"),
    Fault("a currency without two decimals", "entities", {"currency": "JPY", "name": "X", "chart_id": "main"},
          "currency_not_two_decimals", "JPY"),
    Fault("a currency that does not exist", "entities", {"currency": "US$", "name": "X", "chart_id": "main"},
          "currency_not_two_decimals", "US$"),
    Fault("a time zone that does not exist", "properties",
          {"entity_id": "E1", "name": "X", "jurisdiction": "US-CO", "time_zone": "America/Dever"},
          "unknown_time_zone", "America/Dever"),
    Fault("a time zone that is an abbreviation", "properties",
          {"entity_id": "E1", "name": "X", "jurisdiction": "US-CO", "time_zone": "MST7MDT"}, "unknown_time_zone",
           "MST7MDT"),
    Fault("a jurisdiction in words", "properties",
          {"entity_id": "E1", "name": "X", "jurisdiction": "Colorado", "time_zone": "America/Denver"},
          "bad_format", "US-CO"),
    Fault("a property of an unknown entity", "properties",
          {"entity_id": "E404", "name": "X", "jurisdiction": "US-CO", "time_zone": "America/Denver"},
          "unknown_reference", "E404"),
    Fault("a lease without a property", "leases", {"property_id": "P404", "unit_id": "U1", "start_on": "2026-01-01"},
          "unknown_reference", "P404"),
    Fault("a rent due on the 32nd", "leases",
          {"property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01", "rent_due_day": "32"},
          "number_out_of_range", "at most 31"),
    Fault("a due day that is no number", "leases",
          {"property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01", "rent_due_day": "first"},
          "not_a_number", "first"),
    Fault("a code that says neither yes nor no", "charge_codes",
          {"name": "X", "category": "fee", **CODE, "prorates": "maybe"}, "not_a_boolean", "maybe"),
    Fault("a code that is not classified on every axis", "charge_codes",
          {"name": "X", "category": "fee", **CODE, "counts_as_rent": ""}, "missing_required", "counts_as_rent"),
    Fault("a range of validity that is empty", "charge_codes",
          {"name": "X", "category": "fee", **CODE, "valid_from": "2026-05-01", "valid_to": "2026-05-01"},
          "dates_out_of_order", "2026-05-01"),
    Fault("a code mapped to no account", "gl_mappings", {"chart_id": "main", "charge_code": "LATE", "account": "9999"},
          "unknown_reference", "9999"),
    Fault("a transfer without its lease", "transfers",
          {"kind": "account", "from_lease_id": "L1", "amount": "5.00", "transferred_on": "2026-10-05"},
          "missing_required", "to_lease_id"),
    Fault("a close of a month in words", "period_closes",
          {"entity_id": "E1", "period": "October 2026", "closed_at": "2026-11-05T10:00:00Z", "closed_by": "Ann"},
          "not_a_period", "October 2026"),
    Fault("steps that are not JSON", "application_rules", RULE | {"steps": "rent first"}, "not_json", "rent first"),
    wrong_steps("no list", '{"match": "any"}', "a list with at least one step"),
    wrong_steps("more steps than can be played", json.dumps([{"match": "any"}] * 63), "at most 62"),
    wrong_steps("an unknown condition", '[{"match": {"rent_class": "rent"}}]', "rent_class"),
    wrong_steps("an unknown order", '[{"match": "any", "order": "random"}]', "random"),
    wrong_steps("a hold that is not last", '[{"hold": true}, {"match": "any"}]', "last step"),
    Fault(
        "steps of a law that hold",
        "application_rules",
        RULE | {"source": "law", "scope": "jurisdiction", "scope_id": "US-IA", "citation": "a test"}
        | {"steps": '[{"match": "any"}, {"hold": true}]'},
        "bad_rule_steps",
        "only a policy can keep the rest waiting",
    ),
    wrong_steps("a condition that is no truth value", '[{"match": {"counts_as_rent": "yes"}}]', "true or false"),
    Fault("a program rule without a program", "application_rules", RULE | {"scope": "program"}, "missing_required",
    "scope_id"),
]  # fmt: skip

KEYS = {
    "charges": "charge_id",
    "payments": "payment_id",
    "entities": "entity_id",
    "properties": "property_id",
    "leases": "lease_id",
    "charge_codes": "charge_code",
    "transfers": "transfer_id",
    "application_rules": "rule_id",
}
SOUND = {"charges": charge(""), "payments": payment("")}


def marked(number: int, fault: Fault) -> dict[str, str]:
    row = SOUND.get(fault.table, {}) | fault.row
    return {**row, KEYS[fault.table]: f"F{number}"} if fault.table in KEYS else row


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    door = Door(tmp_path_factory.mktemp("faults"))
    tables = portfolio()
    tables["charge_codes"].append(
        {"charge_code": "NEW", "name": "New", "category": "fee", **CODE, "valid_from": "2026-01-01"}
    )
    tables |= {
        "charges": [charge("GOOD")],
        "payments": [payment("GOOD")],
        "application_rules": [RULE | {"rule_id": "GOOD"}],
    }
    for number, fault in enumerate(FAULTS):
        tables.setdefault(fault.table, []).append(marked(number, fault))
    door.land(tables)
    yield door


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=[fault.name for fault in FAULTS])
def test_a_wrong_row_waits_with_its_reason(landed: Door, number: int) -> None:
    fault = FAULTS[number]
    mark = f"F{number}" if fault.table in KEYS else next(iter(set(fault.row.values()) & {"9999", "October 2026"}))
    found = landed.rows(
        "SELECT reason, detail, status, file, row_number FROM landing.quarantine WHERE table_name = ? AND"
        " contains(raw, ?)",
        [fault.table, f'"{mark}"'],
    )
    assert len(found) == 1, "a wrong row waits in quarantine, once"
    reason, detail, status, file, row_number = found[0]
    assert (reason, status) == (fault.reason, "open")
    assert fault.words in detail
    assert REASONS[reason].what_to_do in detail
    assert file == f"{fault.table}-run0.csv" and row_number > 1


def test_sound_rows_beside_wrong_ones_load(landed: Door) -> None:
    assert landed.ids("charges", "charge_id") == ["GOOD"]
    assert landed.ids("payments", "payment_id") == ["GOOD"]
    assert landed.ids("leases", "lease_id") == ["L1", "L2", "L3"]
    assert landed.ids("application_rules", "rule_id") == ["GOOD"]


def test_rows_and_cents_landed_are_loaded_or_duplicate_or_quarantined(landed: Door) -> None:
    assert landed.untied() == []


def test_an_amount_that_can_be_read_keeps_its_amount_in_quarantine(landed: Door) -> None:
    held = dict(
        landed.rows("SELECT reason, sum(amount) FROM landing.quarantine WHERE table_name = 'charges' GROUP BY 1")
    )
    assert held["not_an_amount"] is None, "what cannot be read counts in rows"
    assert str(held["amount_out_of_range"]) == "150000000.00"
    assert held["unknown_reference"] == 3000


def test_every_reason_that_is_given_stands_in_the_closed_list(landed: Door) -> None:
    given = {reason for (reason,) in landed.rows("SELECT DISTINCT reason FROM landing.quarantine")}
    assert given <= set(REASONS)


def test_several_faults_of_a_row_are_told_together(door: Door) -> None:
    door.land({"charges": [charge("C1", "1,5", posted_on="5/6/26", ledger_party="tenant")]})
    ((reason, detail),) = door.rows("SELECT reason, detail FROM landing.quarantine")
    assert reason == "not_an_amount"
    assert "amount: found" in detail and "posted_on: found" in detail and "ledger_party: found" in detail


def test_what_is_written_differently_becomes_one_canonical_text(empty_door: Door) -> None:
    moments = [
        "2026-10-05T09:30:00-06:00",
        "2026-10-05 15:30Z",
        "2026-10-05T15:30:00.5+0000",
        "2026-10-05T09:30",
        "2026-10-05",
    ]
    amounts = ["1500", "+1500.5", " 1500.50 ", "-0.00", ".5"]
    rows = [
        charge(f" C{n} ", amount, recorded_at=moment, ledger_party="Resident")
        for n, (amount, moment) in enumerate(zip(amounts, moments, strict=True))
    ]
    tables = portfolio()
    tables["charge_codes"][0] |= {"is_mandatory": "Yes", "is_recurring": "1", "prorates": "F"}
    door = empty_door
    door.land({**tables, "charges": rows})
    assert door.rows("SELECT charge_id, amount, recorded_at, ledger_party FROM landing.charges ORDER BY charge_id") == [
        ("C0", "1500.00", "2026-10-05T15:30:00.000000Z", "resident"),
        ("C1", "1500.50", "2026-10-05T15:30:00.000000Z", "resident"),
        ("C2", "1500.50", "2026-10-05T15:30:00.500000Z", "resident"),
        ("C3", "0.00", "2026-10-05T09:30:00.000000", "resident"),
        ("C4", "0.50", "2026-10-05T00:00:00.000000", "resident"),
    ]
    assert door.rows(
        "SELECT is_mandatory, is_recurring, prorates FROM landing.charge_codes WHERE charge_code = 'RENT'"
    ) == [("true", "true", "false")]
    assert door.untied() == []
