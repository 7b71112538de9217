"""The house keeps its own rules: layers, the published contract, names, descriptions, money, and law as data.

Every rule is tried twice: on the project as it stands, where nothing may be found, and on a copy with a planted break,
where it must be found. A rule that cannot fail guards nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.architecture import rules

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("dbt_project", "orchestration", "apps")
Manifest = dict[str, Any]


def planted(rule: Callable[[Manifest], list[str]], before: Manifest, after: Manifest) -> list[str]:
    """What a rule finds because of the planted break alone."""
    return sorted(set(rule(after)) - set(rule(before)))


def node(manifest: Manifest, name: str) -> dict[str, Any]:
    return next(model for model in rules.models(manifest) if model["name"] == name)


def test_no_layer_reads_what_it_may_not(manifest: Manifest) -> None:
    assert rules.wrong_edges(manifest) == []


@pytest.mark.parametrize(
    ("reader", "read", "says"),
    [
        (
            "int_journals__charges",
            "model.tieout.stg_charges",
            "int_journals__charges (gl) may not read stg_charges (staging)",
        ),
        ("resident_ledger", "model.tieout.stg_charges", "resident_ledger (marts) may not read stg_charges (staging)"),
        (
            "int_ledger__entries",
            "model.tieout.int_journals__entries",
            "(subledger) may not read int_journals__entries (gl)",
        ),
        ("int_journals__entries", "model.tieout.int_tie_outs__all", "(gl) may not read int_tie_outs__all (tie_outs)"),
        ("gl_entries", "source.tieout.landing.charges", "gl_entries (marts) may read of landing only batch_outcomes"),
        (
            "int_events__entries",
            "source.tieout.landing.charges",
            "int_events__entries (core) may not read charges (landing)",
        ),
    ],
)
def test_a_planted_edge_across_layers_is_found(manifest: Manifest, reader: str, read: str, says: str) -> None:
    node(manifest, reader)["depends_on"]["nodes"].append(read)
    assert any(says in finding for finding in rules.wrong_edges(manifest)), rules.wrong_edges(manifest)


def test_a_model_outside_the_layers_is_found(manifest: Manifest) -> None:
    node(manifest, "gl_entries")["fqn"][1] = "reports"
    assert any("reports, which is no layer" in finding for finding in rules.wrong_edges(manifest))


def test_the_folder_is_the_schema(manifest: Manifest) -> None:
    assert rules.wrong_schemas(manifest) == []


def test_a_model_in_another_schema_is_found(manifest: Manifest) -> None:
    node(manifest, "gl_entries")["schema"] = "main_marts"
    assert rules.wrong_schemas(manifest) == ["gl_entries lies in folder marts and in schema main_marts"]


def test_everything_the_contract_promises_is_published(manifest: Manifest) -> None:
    assert rules.contract_gaps(manifest) == []


def test_a_column_or_table_that_went_missing_is_found(parsed_manifest: Manifest, manifest: Manifest) -> None:
    del node(manifest, "tie_outs")["columns"]["right_label"]
    node(manifest, "trial_balance")["name"] = "trial_balances"
    assert planted(rules.contract_gaps, parsed_manifest, manifest) == [
        "tie_outs.right_label is missing",
        "trial_balance is missing from marts",
    ]


def test_tables_that_are_not_published_yet_are_named(manifest: Manifest) -> None:
    """Everything in the contract is published; a table that is announced for later must not lie there already."""
    later = {row["table"] for row in rules.rows("published_contract.csv") if row["state"] == "not yet published"}
    assert later == set()


def test_every_published_column_has_a_type_a_contract_and_a_description(manifest: Manifest) -> None:
    assert rules.undescribed(manifest) == []


def test_a_column_without_type_or_words_is_found(parsed_manifest: Manifest, manifest: Manifest) -> None:
    columns = node(manifest, "gl_entries")["columns"]
    columns["debit"]["data_type"] = None
    columns["credit"]["description"] = " "
    node(manifest, "tie_outs")["config"]["contract"]["enforced"] = False
    node(manifest, "int_journals__entries")["description"] = ""
    assert planted(rules.undescribed, parsed_manifest, manifest) == [
        "gl_entries.credit has no description",
        "gl_entries.debit has no type",
        "int_journals__entries has no description",
        "tie_outs has no enforced contract",
    ]


def test_money_is_never_a_float(manifest: Manifest) -> None:
    assert rules.wrong_money(manifest) == []


def test_a_float_near_money_is_found(manifest: Manifest) -> None:
    node(manifest, "gl_entries")["columns"]["debit"]["data_type"] = "double"
    node(manifest, "gl_entries")["columns"]["credit"]["data_type"] = "decimal(12,4)"
    assert rules.wrong_money(manifest) == ["gl_entries.credit is a decimal(12,4)", "gl_entries.debit is a double"]


def test_a_published_table_says_its_five_parts(manifest: Manifest) -> None:
    assert rules.missing_parts(manifest) == []


def test_a_description_without_a_part_is_found(parsed_manifest: Manifest, manifest: Manifest) -> None:
    table = node(manifest, "tie_outs")
    table["description"] = table["description"].replace("**Leaves out.**", "")
    other = node(manifest, "gl_entries")
    start, end = (other["description"].index(part) for part in ("**Grain.**", "**Meaning.**"))
    other["description"] = other["description"][: start + len("**Grain.**")] + other["description"][end:]
    assert planted(rules.missing_parts, parsed_manifest, manifest) == [
        "gl_entries leaves **Grain.** empty",
        "tie_outs does not say **Leaves out.**",
    ]


def test_models_and_columns_are_named_as_the_house_says(manifest: Manifest) -> None:
    assert rules.wrong_names(manifest) == []


@pytest.mark.parametrize(
    ("model", "name", "says"),
    [
        ("int_journals__entries", "journals_entries", "journals_entries is no name for a model of gl"),
        ("tie_debits__to__credits", "tie_debits_credits", "tie_debits_credits is no name for a model of tie_outs"),
        ("gl_entries", "gl_entries_v2", "gl_entries_v2 is no name for a model of marts"),
        ("trial_balance", "trial_balance_final", "trial_balance_final says when it was made"),
    ],
)
def test_a_model_with_another_name_is_found(manifest: Manifest, model: str, name: str, says: str) -> None:
    node(manifest, model)["name"] = name
    assert says in rules.wrong_names(manifest)


@pytest.mark.parametrize(
    ("column", "data_type", "says"),
    [
        ("booking_date", "date", "gl_entries.booking_date is no name for a date"),
        ("loaded_on", "timestamp", "gl_entries.loaded_on is no name for a timestamp"),
        ("reversed", "boolean", "gl_entries.reversed is no name for a boolean"),
        ("AccountName", "varchar", "gl_entries.AccountName is not written in small letters with underscores"),
    ],
)
def test_a_column_with_another_name_is_found(
    parsed_manifest: Manifest, manifest: Manifest, column: str, data_type: str, says: str
) -> None:
    node(manifest, "gl_entries")["columns"][column] = {"name": column, "data_type": data_type, "description": "x"}
    assert planted(rules.wrong_names, parsed_manifest, manifest) == [says]


def test_only_marts_are_public_and_the_python_model_is_private(manifest: Manifest) -> None:
    assert rules.public_and_private(manifest) == []


def test_a_model_that_is_open_too_wide_is_found(parsed_manifest: Manifest, manifest: Manifest) -> None:
    node(manifest, "int_allocation__journal")["access"] = "protected"
    node(manifest, "int_ledger__entries")["access"] = "public"
    assert planted(rules.public_and_private, parsed_manifest, manifest) == [
        "int_allocation__journal is written in Python and not private",
        "int_ledger__entries is public and not published",
    ]


def test_no_state_is_named_in_sql_or_python() -> None:
    assert rules.state_literals(ROOT, FOLDERS) == []


def test_a_state_in_a_condition_is_found(tmp_path: Path) -> None:
    (tmp_path / "dbt_project").mkdir()
    (tmp_path / "dbt_project" / "fees.sql").write_text("select case when jurisdiction = 'US-CO' then 50 end\n")
    (tmp_path / "dbt_project" / "fees.py").write_text('CITY = "US-WA-Seattle"\nPLAIN = "no place"\n')
    assert rules.state_literals(tmp_path, ("dbt_project",)) == [
        'dbt_project/fees.py:1: CITY = "US-WA-Seattle"',
        "dbt_project/fees.sql:1: select case when jurisdiction = 'US-CO' then 50 end",
    ]


def test_every_generic_test_has_its_paragraph(tmp_path: Path) -> None:
    assert rules.undocumented_tests(ROOT / "dbt_project") == []
    shutil.copytree(ROOT / "dbt_project" / "tests", tmp_path / "tests")
    (tmp_path / "tests" / "generic" / "adds_up.sql").write_text("{% test adds_up(model) %} select 1 {% endtest %}\n")
    (tmp_path / "tests" / "generic" / "ties.sql").unlink()
    assert rules.undocumented_tests(tmp_path) == [
        "README.md tells of ties, which is no test",
        "adds_up has no paragraph in README.md",
    ]


def test_an_sql_file_opens_by_saying_why_it_exists(tmp_path: Path) -> None:
    assert rules.unopened_models(ROOT / "dbt_project") == []
    (tmp_path / "models" / "gl").mkdir(parents=True)
    (tmp_path / "models" / "gl" / "bare.sql").write_text("-- Journals.\nselect 1\n")
    assert rules.unopened_models(tmp_path) == ["models/gl/bare.sql opens with 1 sentences"]
