"""What must hold between rows: undoings fit what they undo, what is named is there, periods do not overlap."""

from __future__ import annotations

import pytest

from tests.landing.portfolio import CODE, Door, charge, payment, returned


def reversal(charge_id: str, of: str, amount: str = "-1500.00", **more: str) -> dict[str, str]:
    return charge(charge_id, amount, **({"posted_on": "2026-10-05", "reverses_charge_id": of} | more))


def close(period: str, closed_at: str, entity_id: str = "E1") -> dict[str, str]:
    return {"entity_id": entity_id, "period": period, "closed_at": closed_at, "closed_by": "Ann"}


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        ([charge("C1"), reversal("V1", "C1")], {}),
        ([charge("C1"), reversal("V1", "C1", "-100.00")], {}),
        ([charge("C1", "-50.00"), reversal("V1", "C1", "50.00")], {}),
        ([charge("C1"), reversal("V1", "C1", "-1500.01")], {"V1": "reversal_not_exact"}),
        ([charge("C1"), reversal("V1", "C1", "1500.00")], {"V1": "reversal_not_exact"}),
        ([charge("C1"), reversal("V1", "C1", "0.00")], {"V1": "reversal_not_exact"}),
        ([charge("C1"), reversal("V1", "C1"), reversal("V2", "C1")], {"V2": "reversed_twice"}),
        ([charge("C1"), reversal("V1", "C1"), reversal("V2", "V1", "1500.00")], {"V2": "reversal_of_reversal"}),
        ([charge("C1"), reversal("V1", "C1", lease_id="L2")], {"V1": "named_row_elsewhere"}),
        ([charge("C1"), reversal("V1", "C1", ledger_party="subsidy")], {"V1": "named_row_elsewhere"}),
        ([charge("C1"), charge("K1", "-5.00", corrects_charge_id="C1", lease_id="L2")], {"K1": "named_row_elsewhere"}),
        ([reversal("V1", "C404")], {"V1": "waiting_for_named_row"}),
        ([charge("K1", "-5.00", corrects_charge_id="C404")], {"K1": "waiting_for_named_row"}),
        ([charge("C1"), reversal("V1", "C1", posted_on="2026-09-01")], {}),
    ],
    ids=[
        "a whole reversal", "a part is a credit that names it", "a credit reversed", "larger", "of the same sign",
        "of nothing",
        "reversed twice", "a reversal of a reversal", "on another lease", "on another party",
        "a correction on another lease",
        "a reversal of nothing known", "a correction of nothing known", "before what it reverses: dated, not refused",
    ],
)  # fmt: skip
def test_charge_reversals(door: Door, rows: list[dict[str, str]], held: dict[str, str]) -> None:
    door.land({"charges": rows})
    assert door.held() == {f"default:{key}": reason for key, reason in held.items()}
    assert len(door.ids("charges", "charge_id")) == len(rows) - len(held)
    assert door.untied() == []


def test_a_part_credited_charge_may_still_be_reversed_whole(door: Door) -> None:
    door.land({"charges": [charge("C1"), reversal("K1", "C1", "-100.00"), reversal("V1", "C1")]})
    assert door.held() == {}


def test_a_reversal_lands_before_what_it_reverses_and_enters_when_that_is_there(door: Door) -> None:
    door.land({"charges": [reversal("V1", "C1")]})
    assert door.held() == {"default:V1": "waiting_for_named_row"}
    door.land({"charges": [charge("C1")]})
    assert door.ids("charges", "charge_id") == ["C1", "V1"]
    assert door.held() == {}
    assert door.rows("SELECT charge_id, accepted_at > loaded_at FROM landing.charges ORDER BY 1") == [
        ("C1", False),
        ("V1", True),
    ]


def test_a_chain_of_names_enters_in_one_run(door: Door) -> None:
    """A payment that re-presents one that re-presents one, landed backwards: rounds go on until nothing more enters."""
    rows = [payment("P3", represents_payment_id="P2"), payment("P2", represents_payment_id="P1"), payment("P1")]
    door.land({"payments": rows})
    assert door.ids("payments", "payment_id") == ["P1", "P2", "P3"]


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        ([returned("V1", "P1", "1000.00")], {}),
        ([returned("V1", "P1", "600.00"), returned("V2", "P1", "400.00", kind="chargeback")], {}),
        ([returned("V1", "P1", "1000.01")], {"V1": "returned_more_than_paid"}),
        ([returned("V1", "P1", "600.00"), returned("V2", "P1", "600.00", kind="refund")],
         {"V2": "returned_more_than_paid"}),
        (
            [returned("V3", "P1", "400.00", reversed_on="2026-10-09"), returned("V2", "P1", "600.00"), returned("V1",
             "P1", "600.00")],
            {"V2": "returned_more_than_paid"},
        ),
        ([returned("V1", "P404", "5.00")], {"V1": "unknown_payment"}),
        ([returned("V1", "P1", "5.00", reversed_on="2026-09-01")], {}),
        ([returned("V1", "P1", "5.00", kind="bounce")], {"V1": "not_in_list"}),
    ],
    ids=["whole", "in parts", "more", "more in all", "a later part that fits still enters", "of an unknown payment",
         "before the payment: dated, not refused", "of an unknown kind"],
)  # fmt: skip
def test_returns_fit_the_payment(door: Door, rows: list[dict[str, str]], held: dict[str, str]) -> None:
    door.land({"payments": [payment("P1")], "payment_reversals": rows})
    assert door.held() == {f"default:{key}": reason for key, reason in held.items()}
    assert door.untied() == []


def test_a_return_is_judged_against_those_of_earlier_runs(door: Door) -> None:
    door.land({"payments": [payment("P1")], "payment_reversals": [returned("V1", "P1", "600.00")]})
    door.land({"payment_reversals": [returned("V2", "P1", "600.00"), returned("V3", "P1", "400.00")]})
    assert door.held() == {"default:V2": "returned_more_than_paid"}
    assert door.ids("payment_reversals", "reversal_id") == ["V1", "V3"]


def test_a_payment_to_an_unknown_lease_lands_in_suspense_and_keeps_its_claim(door: Door) -> None:
    report = door.land(
        {
            "payments": [
                payment("P1", lease_id="L404", entity_id="E1"),
                payment("P2", lease_id="", entity_id="E1"),
                payment("P3"),
            ]
        }
    )
    assert door.rows("SELECT payment_id, lease_id, lease_key, claimed_lease_id FROM landing.payments ORDER BY 1") == [
        ("P1", None, None, "L404"),
        ("P2", None, None, None),
        ("P3", "L1", "default:L1", None),
    ]
    assert report.suspense == 2
    assert door.held() == {}


def test_money_for_nobody_waits_until_its_lease_its_entity_or_its_account_says_whose_it_is(door: Door) -> None:
    rows = [
        payment("P1", lease_id=""),
        payment("P2", lease_id="L404"),
        payment("P3", lease_id="", settlement_account="bank-1"),
        payment("P4", lease_id="", settlement_account="bank-1", received_on="2025-12-31"),
        payment("P5", lease_id="", entity_id="E404"),
        payment("P6", lease_id="", entity_id="E1"),
    ]
    other = {"entity_id": "E2", "name": "Elm LLC", "currency": "USD", "chart_id": "main"}
    door.land({"entities": [other], "payments": rows})
    assert door.held() == {
        "default:P1": "no_payee",
        "default:P2": "no_payee",
        "default:P3": "no_payee",
        "default:P4": "no_payee",
        "default:P5": "unknown_reference",
    }
    arrangement = {
        "arrangement_id": "A1",
        "property_id": "P1",
        "payee_entity_id": "E1",
        "model": "direct_settlement",
        "settlement_account": "bank-1",
        "is_trust_account": "false",
        "returns_borne_by": "owner",
        "agreement_reference": "2026/1",
        "valid_from": "2026-01-01",
    }
    late = {"lease_id": "L404", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"}
    door.land({"collection_arrangements": [arrangement], "leases": [late]})
    assert door.ids("payments", "payment_id") == ["P2", "P3", "P6"]
    assert door.rows("SELECT lease_key FROM landing.payments WHERE payment_id = 'P2'") == [("default:L404",)]


def test_where_there_is_one_entity_money_that_names_nobody_is_its_own(door: Door) -> None:
    door.land({"payments": [payment("P1", lease_id=""), payment("P2", lease_id="L404")]})
    assert door.held() == {}
    assert door.rows("SELECT payment_id, lease_key, entity_id, entity_key FROM landing.payments ORDER BY 1") == [
        ("P1", None, None, "default:E1"),
        ("P2", None, None, "default:E1"),
    ]


def test_a_claimed_lease_that_arrives_later_is_noted_once(door: Door) -> None:
    door.land(
        {"payments": [payment("P1", lease_id="L9", entity_id="E1"), payment("P2", lease_id="L9", entity_id="E1")]}
    )
    match = {"payment_id": "P2", "lease_id": "L2", "matched_on": "2026-10-08", "matched_by": "Ann"}
    door.land({"payment_matches": [match]})
    late = {"lease_id": "L9", "property_id": "P1", "unit_id": "U1", "start_on": "2026-01-01"}
    report = door.land({"leases": [late]})
    door.land()
    assert door.rows("SELECT row_key, lease_key, resolved_at FROM landing.suspense_resolutions") == [
        ("default:P1", "default:L9", report.loaded_at)
    ]
    report = door.land({"payments": [payment("P1", lease_id="L9", entity_id="E1", method="cash")]})
    assert report.verdicts == {"loaded": 1}, "the claim is the same fact: only a new version"


def test_a_match_is_of_a_payment_in_suspense_and_there_is_one(door: Door) -> None:
    match = {"lease_id": "L2", "matched_on": "2026-10-08", "matched_by": "Ann"}
    door.land({"payments": [payment("P1", lease_id="", entity_id="E1"), payment("P2")]})
    door.land(
        {"payment_matches": [match | {"payment_id": "P1"}, match | {"payment_id": "P2"}, match | {"payment_id": "P9"}]}
    )
    assert door.held() == {"default:P2": "payment_not_in_suspense", "default:P9": "waiting_for_named_row"}
    door.land({"payment_matches": [match | {"payment_id": "P1", "lease_id": "L3"}]})
    assert door.held()["default:P1"] == "changed_fact"
    assert door.rows("SELECT payment_id, lease_id FROM landing.payment_matches") == [("P1", "L2")]


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        ([("M1", "100.00", ""), ("M2", "100.00", "M1")], {}),
        ([("M1", "100.00", ""), ("M2", "60.00", "M1")], {"M2": "reversal_not_exact"}),
        ([("M1", "100.00", ""), ("M2", "100.00", "M1"), ("M3", "100.00", "M1")], {"M3": "reversed_twice"}),
        ([("M1", "100.00", ""), ("M2", "100.00", "M1"), ("M3", "100.00", "M2")], {"M3": "reversal_of_reversal"}),
        ([("M2", "100.00", "M404")], {"M2": "waiting_for_named_row"}),
    ],
    ids=["whole", "in part", "twice", "of a reversal", "of nothing known"],
)
@pytest.mark.parametrize("table", ["deposit_movements", "write_offs"])
def test_undoing_a_deposit_movement_or_a_write_off(
    door: Door, table: str, rows: list[tuple[str, str, str]], held: dict[str, str]
) -> None:
    if table == "deposit_movements":
        made = [
            {"movement_id": i, "lease_id": "L1", "kind": "received", "amount": a, "occurred_on": "2026-10-01",
             "reverses_movement_id": r}
            for i, a, r in rows
        ]  # fmt: skip
    else:
        made = [
            {"write_off_id": i, "lease_id": "L1", "amount": a, "written_off_on": "2026-10-01", "approved_by": "Ann",
             "reason": "moved", "reverses_write_off_id": r}
            for i, a, r in rows
        ]  # fmt: skip
    door.land({table: made})
    assert door.held() == {f"default:{key}": reason for key, reason in held.items()}


def test_overlapping_dates_wait_until_the_earlier_period_is_ended(door: Door) -> None:
    old = {"charge_code": "PET", "name": "Pet", "category": "pet", **CODE}
    new = old | {"valid_from": "2026-07-01", "counts_as_rent": "false"}
    door.land({"charge_codes": [new, old]})
    assert door.held() == {"default:PET|2026-07-01": "overlapping_dates"}, "the one that starts first stays"
    door.land({"charge_codes": [old | {"valid_to": "2026-07-01"}]})
    assert door.held() == {}
    assert door.rows(
        "SELECT valid_from, valid_to, version_no FROM landing.charge_codes WHERE charge_code = 'PET' ORDER BY ALL"
    ) == [
        ("2026-07-01", None, 1),
        (None, "2026-07-01", 2),
        (None, None, 1),
    ]


def test_of_many_overlapping_periods_those_enter_that_fit(door: Door) -> None:
    base = {"lease_id": "L2", "person_id": "R1", "role": "occupant"}
    spans = [
        ("2026-01-01", "2026-03-01"),
        ("2026-02-01", "2026-04-01"),
        ("2026-03-01", "2026-05-01"),
        ("2026-04-15", "2026-06-01"),
    ]
    rows = [base | {"valid_from": first, "valid_to": last} for first, last in spans]
    door.land({"lease_parties": rows[::-1]})
    kept = door.rows("SELECT valid_from FROM landing.lease_parties WHERE lease_id = 'L2' ORDER BY 1")
    assert kept == [("2026-01-01",), ("2026-03-01",)]
    assert set(door.held().values()) == {"overlapping_dates"}


def test_rules_of_equal_rank_that_say_different_things_do_not_both_enter(door: Door) -> None:
    rule = {"version": "1", "source": "policy", "scope": "property", "scope_id": "P1", "valid_from": "2026-01-01"}
    rows = [
        rule | {"rule_id": "A", "steps": '[{"match": {"counts_as_rent": true}}]'},
        rule | {"rule_id": "B", "steps": '[{"match": "any"}]'},
        rule | {"rule_id": "C", "steps": '[{"match": "any"}]', "scope_id": "P2"},
        rule | {"rule_id": "D", "steps": '[{"match": "any"}]', "status": "pending", "scope_id": "P2"},
    ]
    door.land({"application_rules": rows})
    assert door.held() == {"default:B|1": "conflicting_rule"}


def test_closes_are_registered_after_everything_else_and_once(door: Door) -> None:
    closes = [
        close("2026-10", "2026-11-05T10:00:00-06:00"),
        close("2026-08", "2026-09-04T10:00:00"),
        close("2026-09", "2026-10-05"),
    ]
    report = door.land({"period_closes": closes})
    assert door.rows("SELECT period, registered_at FROM landing.period_closes ORDER BY 1") == [
        (period, report.loaded_at) for period in ("2026-08", "2026-09", "2026-10")
    ]
    door.land({"period_closes": [close("2026-07", "2026-08-05T00:00:00Z"), close("2026-10", "2026-11-06T00:00:00Z")]})
    assert door.held() == {"default:E1|2026-07": "month_already_closed", "default:E1|2026-10": "month_already_closed"}
    assert len(door.ids("period_closes", "period")) == 3


@pytest.mark.parametrize(
    ("closed_at", "reason"),
    [
        ("2026-11-01T05:59:00Z", None),  # in Denver it is still October, in the easternmost zone it is not
        ("2026-10-30T12:00:00Z", "month_not_over"),
        ("2026-10-31T23:59:00", "month_not_over"),
        ("2026-11-12T00:00:00Z", "month_not_over"),
    ],
)
def test_a_month_that_is_not_over_is_not_closed(door: Door, closed_at: str, reason: str | None) -> None:
    door.land({"period_closes": [close("2026-10", closed_at)]})
    assert door.held() == ({"default:E1|2026-10": reason} if reason else {})


def test_a_run_that_refused_a_file_registers_no_close(door: Door) -> None:
    door.folder.mkdir(parents=True, exist_ok=True)
    broken = door.folder / "payments.csv"
    broken.write_text("payment_id,amount\nP1,", encoding="utf-8")
    report = door.land({"period_closes": [close("2026-10", "2026-11-05T00:00:00Z")]})
    assert not report.is_complete
    assert door.held() == {"default:E1|2026-10": "waiting_for_complete_run"}
    broken.unlink()
    report = door.land()
    assert door.rows("SELECT registered_at FROM landing.period_closes") == [(report.loaded_at,)]
    assert door.held() == {}
