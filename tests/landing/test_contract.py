"""The contract files say what they must, and a wrong one is refused with file, column and expectation."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from orchestration.contract import ContractError, contract, load_contract, reference_markdown
from orchestration.landing import REASONS, reasons_markdown
from orchestration.landing.judge.row_faults import row_faults

SOUND = """\
table: things
group: portfolio
kind: reference
description: "Things."
key: [thing_id]
columns:
  thing_id: {type: id, required: true, description: "The id."}
  size: {type: integer, minimum: "0", description: "How large."}
"""

# Names, requirement marks and values as the public interface lists them: `*` required.
PUBLIC = {
    "entities": "entity_id* name* currency* chart_id* concession_policy aging_edges fiscal_year_end is_voucher_agency"
    " operator_name logo",
    "properties": "property_id* entity_id* name* jurisdiction* time_zone* structure_units federally_covered"
    " has_local_office thirty_day_month_days valid_from valid_to",
    "units": "unit_id* property_id* unit_number* market_rent structure_units",
    "persons": "person_id* name* email",
    "leases": "lease_id* property_id* unit_id* program billing start_on* end_on move_in_on move_out_on notice_on"
    " rent_due_day proration_method signed_on prorated_month charges_move_in_day charges_move_out_day"
    " tenancy",
    "lease_parties": "lease_id* person_id* role* valid_from valid_to",
    "charge_codes": "charge_code* name* category* is_mandatory* is_recurring* in_advertised_price* counts_as_rent*"
    " prorates* application_priority tax_code classified_by valid_from valid_to",
    "gl_accounts": "chart_id* account* name* type* role",
    "gl_mappings": "chart_id* charge_code* account* valid_from valid_to",
    "charge_schedules": "schedule_id* lease_id* charge_code* amount* ledger_party responsible_person_id"
    " proration_method prorates concession_id valid_from* valid_to",
    "rent_certifications": "certification_id* lease_id* contract_rent base_rent tenant_rent* utility_reimbursement"
    " effective_on*",
    "charges": "charge_id* lease_id* charge_code* amount* posted_on* due_on service_from service_to ledger_party"
    " responsible_person_id schedule_id posting_run_id work_order_id concession_id proration_method reverses_charge_id"
    " corrects_charge_id reason posted_by approved_by",
    "payments": "payment_id* lease_id entity_id amount* received_on* channel method payer_kind"
    " payer_person_id ledger_party"
    " designation designated_by covers_from covers_to represents_payment_id source_reference settlement_account"
    " settled_on",
    "payment_reversals": "reversal_id* payment_id* kind* amount* reversed_on* return_code reason",
    "payment_matches": "payment_id* lease_id* matched_on* matched_by*",
    "refunds_of_credit": "refund_id* lease_id* ledger_party amount* paid_on*",
    "posting_runs": "posting_run_id* property_id* kind* business_date* status* selected posted skipped",
    "posting_run_lines": "posting_run_id* line_key* lease_id* charge_code period_from* amount* outcome* reason"
    " charge_id",
    "deposit_movements": "movement_id* lease_id* kind* amount* occurred_on* ledger_party charge_id is_rent_deposit"
    " reverses_movement_id",
    "concessions": "concession_id* lease_id* kind* total_amount* schedule_id term_from* term_to*"
    " repayable_on_early_termination lease_clause approved_by",
    "write_offs": "write_off_id* lease_id* ledger_party amount* written_off_on* charge_id is_forgiven"
    " approved_by* reason*"
    " reverses_write_off_id",
    "transfers": "transfer_id* kind* from_lease_id from_party to_lease_id to_party agreement_id charge_id"
    " amount* transferred_on*",
    "opening_balances": "opening_id lease_id* ledger_party as_of* charge_code* due_on amount*",
    "repayment_agreements": "agreement_id* lease_id* kind* total* monthly_amount* first_month* signed_on*",
    "repayment_events": "agreement_id* event* occurred_on* reason*",
    "application_rules": "rule_id* version* source* scope* scope_id steps* authority status yields_to_designation"
    " citation"
    " note valid_from* valid_to",
    "late_fee_rules": "rule_id* version* source* jurisdiction property_id lease_id program status* authority* citation*"
    " checked_on applies_by* valid_from* valid_to combine* grace_n* grace_semantics* alt_grace_n roll"
    " calendar_id accrual_from accrue_payment_day stops_at party_filter max_total max_count"
    " needs_written_agreement needs_human_basis predicates customary_flat start_unverified confidence note",
    "late_fee_components": "rule_id* version* group_no* group_cap comp_no* kind* amount rate base base_minus from_day"
    " block_days band_field band_min band_max",
    "charge_treatments": "jurisdiction* purpose* category charge_code treatment* reason* citation* valid_from*"
    " valid_to",
    "forum_rules": "forum* version* jurisdiction* purpose* order* window_months rent_deposit* citation*"
    " valid_from* valid_to",
    "notice_rules": "rule_id* version* jurisdiction program kind* restricted_event* period_n* counting* calendar_id"
    " service_extra content* status* citation* valid_from* valid_to known_from known_to",
    "payment_acceptance_rules": "rule_id* version* jurisdiction* trigger* must_or_may* payer_kind methods amount_rule"
    " deadline waiver_effect citation* valid_from* valid_to",
    "calendar_days": "calendar_id* day* name* source*",
    "source_applications": "payment_id* charge_id* amount* applied_on*",
    "period_closes": "entity_id* period* closed_at* closed_by* reviewed_by",
    "gl_balances": "entity_id* property_id account* as_of* balance* basis",
    "gl_journal_lines": "entry_id* line_no* entity_id* property_id account* posted_on* amount* memo basis",
    "control_totals": "source_report* as_of* property_id lease_id measure* amount*",
    "expected_batches": "table_name* period_grain* due_days* entity_id property_id valid_from* valid_to",
    "bank_deposits": "deposit_id* settlement_account* amount* deposited_on* payment_ids",
    "collection_arrangements": "arrangement_id* property_id* payee_entity_id* model* settlement_account*"
    " is_trust_account*"
    " returns_borne_by* agreement_reference* valid_from* valid_to",
}
DELINQUENCY = {
    "lease_payment_acceptance", "convenience_fee_schedules", "autopay_enrollments", "flexible_rent_arrangements",
    "delinquency_cases", "case_holds", "legal_notices", "payment_plans", "payment_plan_installments",
    "eviction_filings",
    "collection_placements", "rental_assistance_awards",
}  # fmt: skip


@pytest.mark.parametrize("table", PUBLIC)
def test_a_table_has_the_columns_of_the_public_interface(table: str) -> None:
    declared = [column.name + ("*" if column.required else "") for column in contract()[table].columns]
    assert declared == PUBLIC[table].split()


def test_every_table_of_the_public_interface_is_declared_and_no_other() -> None:
    assert set(contract().tables) == set(PUBLIC) | DELINQUENCY


def test_facts_are_what_a_later_row_may_not_change() -> None:
    may_change = {
        table.name: sorted(column.name for column in table.columns if not column.is_fact)
        for table in contract()
        if table.is_fact and any(not column.is_fact for column in table.columns)
    }
    assert may_change == {
        "bank_deposits": ["payment_ids"],
        "charges": ["approved_by", "posted_by", "proration_method", "reason"],
        "payment_matches": ["matched_by"],
        "payment_reversals": ["reason", "return_code"],
        "payments": ["channel", "designated_by", "method", "settled_on", "source_reference"],
        "period_closes": ["closed_by", "reviewed_by"],
        "repayment_events": ["reason"],
        "write_offs": ["approved_by", "reason"],
    }


def test_a_table_comes_after_those_its_rows_must_find_and_closes_come_last() -> None:
    order = contract().order
    for table in contract():
        for column in table.references:
            reference = column.reference
            if reference is not None and reference.if_unknown != "keep" and reference.table != table.name:
                assert order.index(reference.table) < order.index(table.name)
    assert order[-1] == "period_closes"


def test_the_reference_page_names_every_table_column_and_value() -> None:
    page = reference_markdown()
    for table in contract():
        section = page.split(f"### {table.name}\n")[1].split("### ")[0]
        for column in table.columns:
            assert f"| {column.name} |" in section
            assert column.description.split("|")[0] in section
            for value in column.values:
                assert f"`{value}`" in section


def test_every_reason_that_the_judge_can_give_is_in_the_list_and_in_words() -> None:
    page = reasons_markdown()
    for table in contract():
        assert {fault.reason for fault in row_faults(table)} <= set(REASONS)
    for reason in REASONS.values():
        assert f"| `{reason.code}` | {reason.found} | {reason.expected} | {reason.what_to_do} |" in page


def test_bounds_are_exact() -> None:
    assert contract()["payments"].column("amount").over == Decimal("0")
    assert isinstance(contract()["charges"].column("amount").limit, Decimal)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (SOUND.replace("table: things", "table: other"), ["things.yaml, table", "'other'", "'things'"]),
        (SOUND.replace("type: integer", "type: number"), ["things.yaml, size, type", "'number'"]),
        (SOUND.replace('minimum: "0"', "minimum: 0.5"), ["things.yaml, size, minimum", "quotation marks"]),
        (SOUND.replace('minimum: "0"', 'minimum: "low"'), ["things.yaml, size, minimum", "expected a number"]),
        (SOUND.replace("minimum:", "minimun:"), ["things.yaml, size", "minimun", "minimum"]),
        (SOUND.replace("How large.", "How large"), ["things.yaml, size, description", "full stop"]),
        (SOUND.replace("key: [thing_id]", "key: [id]"), ["things.yaml, key", "id"]),
        (SOUND.replace("type: integer", "type: enum"), ["things.yaml, size", "enum"]),
        (SOUND.replace("kind: reference", "kind: facts"), ["things.yaml, kind", "fact, reference"]),
        (SOUND.replace('type: integer, minimum: "0"', "type: id, reference: others.other_id, if_unknown: refuse"),
         ["things.yaml, size, reference", "no others.other_id"]),
        (SOUND.replace('type: integer, minimum: "0"', "type: id, reference: things.thing_id"), ["if_unknown"]),
        (SOUND.replace('minimum: "0"', "fact: true"), ["things.yaml", "fact tables"]),
        (SOUND + "no_overlap: [thing_id]\n", ["things.yaml, no_overlap", "valid_from"]),
        (SOUND + "  : :\n", ["things.yaml", "YAML"]),
    ],
    ids=["another name", "an unknown type", "a float", "a bound in words", "a misspelt setting",
    "an unfinished sentence",
         "an unknown key", "an enum without values", "an unknown kind", "a reference to nothing",
         "a reference without a manner",
         "a fact in reference data", "overlap without dates", "no YAML"],
)  # fmt: skip
def test_a_wrong_contract_file_is_refused_in_words(tmp_path: Path, wrong: str, words: list[str]) -> None:
    (tmp_path / "things.yaml").write_text(wrong, encoding="utf-8")
    with pytest.raises(ContractError) as refusal:
        load_contract(tmp_path)
    for word in words:
        assert word in str(refusal.value)


def test_a_sound_contract_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "things.yaml").write_text(SOUND, encoding="utf-8")
    assert load_contract(tmp_path)["things"].column("size").minimum == 0
