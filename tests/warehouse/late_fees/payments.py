"""Late payments put before the rules without a build: a row each, judged by the project's own SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from tests.warehouse.alone import Alone, seeds

SHIPPED = ("late_fee_rules", "late_fee_components", "calendar_days")
TEXTS = (
    "case_key lease_key lease_id source_system property_key property_id jurisdiction ledger_party program tenancy "
    "local_office charge_key charge_id waived_by waiver_approved_by waiver_reason waiver_charge_id posted_by batch_id "
    "file"
)
DATES = "period_from period_to due_on signed_on posted_on assessed_on paid_on waived_on"
MONEY = "posted monthly_rent period_rent past_due_rent remaining_balance charged_before charged_ever waived_amount"
TYPES = {
    **dict.fromkeys(TEXTS.split(), "varchar"),
    **dict.fromkeys(DATES.split(), "date"),
    **dict.fromkeys(MONEY.split(), "decimal(18, 2)"),
    **dict.fromkeys(["structure_units", "consecutive_month", "fees_before", "fees_ever"], "integer"),
    **dict.fromkeys(["is_on_hold", "is_waived"], "boolean"),
    "known_at": "timestamp",
    "row_number": "bigint",
}
RULE = {"version": "1", "status": "in_force", "authority": "policy", "applies_by": "due_date", "combine": "sum"}
NO_CLOSES = {
    "entity_key": "varchar",
    "closed_at": "timestamp",
    "registered_at": "timestamp",
    "period_end": "date",
    "refused_because": "varchar",
}


def payment(key: str, place: str, due: str, rent: str, **said: Any) -> dict[str, Any]:
    """A late payment of a month's rent, judged on its last day unless said otherwise. Amounts are texts."""
    start = date.fromisoformat(due)
    after = (start.replace(day=1) + timedelta(days=32)).replace(day=start.day)
    row: dict[str, Any] = {
        "case_key": key, "lease_key": f"default:{key}", "lease_id": key, "property_key": f"default:at-{key}",
        "jurisdiction": place, "ledger_party": "resident", "program": "market", "tenancy": "residential",
        "period_from": due, "period_to": str(after - timedelta(days=1)), "due_on": due, "signed_on": due,
        "assessed_on": str(after - timedelta(days=1)), "known_at": "2026-12-31 00:00:00", "monthly_rent": rent,
        "period_rent": rent, "past_due_rent": rent, "remaining_balance": rent, "consecutive_month": 1,
        "charged_before": "0", "fees_before": 0, "charged_ever": "0", "fees_ever": 0, "is_on_hold": False,
        "is_waived": False,
    }  # fmt: skip
    row |= said
    if row.get("posted_on"):
        row |= {"charge_key": f"default:{key}.fee", "charge_id": f"{key}.fee"}
        row["assessed_on"] = said.get("assessed_on", row["posted_on"])
    return row


def policy(key: str, parts: Iterable[Mapping[str, str]], **said: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """What the lease of a late payment says about late fees, as rows of the two tables."""
    name = f"policy.{key}"
    rule = RULE | {
        "rule_id": name,
        "source": "policy",
        "lease_id": key,
        "citation": "lease",
        "valid_from": "2000-01-01",
    }
    rule |= {"grace_n": "0", "grace_semantics": "after_n_full_days"} | said
    made = [
        {"rule_id": name, "version": "1", "group_no": "1", "comp_no": str(number)} | dict(part)
        for number, part in enumerate(parts, 1)
    ]
    return rule, made


def judged(
    payments: Iterable[Mapping[str, Any]],
    policies: Iterable[tuple[dict[str, str], list[dict[str, str]]]] = (),
    laws: Iterable[tuple[dict[str, str], list[dict[str, str]]]] = (),
) -> dict[str, dict[str, Any]]:
    """The verdict rows by key, under the shipped law, further laws and the policies given."""
    alone = Alone().give("rule_closes", [], NO_CLOSES)
    more = [*policies, *laws]
    for table in SHIPPED:
        rows = seeds("rules", f"{table}.csv")
        if table == "late_fee_rules":
            rows += [rule for rule, _ in more]
        elif table == "late_fee_components":
            rows += [part for _, parts in more for part in parts]
        alone.land(table, rows)
    alone.give("int_late_fees__cases", payments, TYPES).run("int_late_fees__verdicts")
    return {row["case_key"]: row for row in alone.dicts("from int_late_fees__verdicts")}
