"""The sample's catalog and charts are whole: a code that nobody can classify, or an account nobody mapped, is a bug."""

from __future__ import annotations

import csv
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "seeds" / "sample"
ROLES = {
    "receivable_resident",
    "receivable_subsidy",
    "receivable_third_party",
    "prepaid",
    "cash",
    "trust_cash",
    "clearing",
    "suspense",
    "deposits_billed",
    "deposits_held",
    "forfeited_deposits",
    "interest_expense",
    "bad_debt",
    "bad_debt_recovery",
    "agreement_receivable",
    "unreported_income",
    "subsidy_clearing",
    "deferred_rent",
    "opening_equity",
    "retained_earnings",
    "intercompany",
}


def rows(*path: str) -> list[dict[str, str]]:
    with SAMPLE.joinpath(*path).open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def test_every_charge_code_is_classified_on_every_axis() -> None:
    for code in rows("reference", "charge_codes.csv"):
        for axis in ("is_mandatory", "is_recurring", "in_advertised_price", "counts_as_rent", "prorates"):
            assert code[axis] in ("true", "false"), code
        assert code["classified_by"]


def test_every_chart_has_every_role_once_and_every_code_mapped() -> None:
    codes = {row["charge_code"] for row in rows("reference", "charge_codes.csv")}
    for chart in {row["chart_id"] for row in rows("reference", "entities.csv")}:
        accounts = [row for row in rows("reference", "gl_accounts.csv") if row["chart_id"] == chart]
        roles = [row["role"] for row in accounts if row["role"]]
        assert sorted(roles) == sorted(ROLES)
        mapped = {
            r["charge_code"]: r["account"] for r in rows("reference", "gl_mappings.csv") if r["chart_id"] == chart
        }
        assert set(mapped) == codes
        assert set(mapped.values()) <= {row["account"] for row in accounts}


def test_an_entity_has_one_currency_and_ontario_is_in_dollars_of_its_own() -> None:
    currency = {row["entity_id"]: row["currency"] for row in rows("reference", "entities.csv")}
    for row in rows("reference", "properties.csv"):
        assert currency[row["entity_id"]] == ("CAD" if row["jurisdiction"].startswith("CA-") else "USD")
