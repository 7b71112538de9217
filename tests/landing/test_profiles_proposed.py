"""A proposal says what the file proves and asks the rest; with the answers it reads every row of the file."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from orchestration.cli import run_command
from orchestration.errors import UsageError
from orchestration.profiles.evidence import amounts_of, dates_of, encoding_of, separator_of
from orchestration.profiles.keys import ProfileError
from orchestration.profiles.parse import parse_profile
from orchestration.profiles.propose import propose, synonyms
from orchestration.profiles.read import Profiled, read_profiled
from orchestration.profiles.shelf import shipped_folder

UNSEEN = Path(__file__).parent / "profiles" / "unseen"
LEDGER = UNSEEN / "resident-ledger-t0001001.csv"
EXPORT = UNSEEN / "tenant_ledger_export.csv"
BANK = UNSEEN / "umsaetze.csv"


def answered(text: str, **answers: str) -> str:
    """The proposal with the first `?` behind each key answered; a double underscore in a key stands for a blank."""
    for key, answer in answers.items():
        text, number = re.subn(
            rf'({key.rstrip("0123456789")}: (?:\[|\{{[^?\n]*)?)"\?"', rf"\g<1>{answer}", text, count=1
        )
        assert number == 1, key
    return text


def through(text: str, path: Path) -> Profiled:
    return read_profiled(parse_profile("proposed.yaml", text), path.name, path.read_bytes(), "x", {})


def test_a_resident_ledger_of_one_household_is_proposed_with_its_lease_from_the_title_lines() -> None:
    proposal = propose(LEDGER)
    assert proposal.unmatched == []
    assert proposal.questions == [
        "formats.date: DD/MM/YYYY or MM/DD/YYYY: no value has a day above 12 (such as 01/01/2026)"
    ]
    read = through(answered(proposal.yaml, date="MM/DD/YYYY"), LEDGER)
    charges, payments = (part.read for part in read.parts)
    assert (charges.rows, charges.amount) == (4, Decimal("3105.00"))
    assert (payments.rows, payments.amount) == (3, Decimal("1500.00"))
    assert set(charges.frame["lease_id"]) == {"t0001001"}
    assert charges.frame["charge_id"].to_list() == ["C-1001", "C-1002", "C-1003", "C-1004"]
    assert charges.frame["posted_on"].to_list()[-1] == "2026-03-10"
    assert read.skipped_by_rule() == {"title lines": 4, "blank rows": 1, "total rows": 1}
    assert "row 9 (1,500.00)" in proposal.yaml, "a negative payment is named"
    assert "  - check: the balance runs from row to row" in proposal.yaml


def test_an_export_without_ids_and_codes_asks_for_the_codes_and_makes_the_ids() -> None:
    proposal = propose(EXPORT)
    assert proposal.unmatched == ["Property", "Unit"]
    assert [question.split(":")[0] for question in proposal.questions] == ["formats.date", "charge_code"]
    assert "Rent - October 2026, Pet Rent - October 2026, Late Fee" in proposal.questions[1]
    text = answered(
        proposal.yaml,
        date="MM/DD/YYYY",
        charge_code="{column: Description, words: {Rent - October 2026: RENT, Pet Rent - October 2026: PET,"
        " Late Fee: LATE}}",
    )
    read = through(text, EXPORT)
    charges, payments = (part.read for part in read.parts)
    assert (charges.amount, payments.amount) == (Decimal("2835.00"), Decimal("2435.00"))
    assert charges.frame["charge_code"].to_list() == ["RENT", "PET", "RENT", "LATE"]
    assert charges.frame["profile_fault"].null_count() == 4
    assert len(set(charges.frame["charge_id"])) == 4


def test_a_bank_s_export_proves_its_formats_and_asks_what_no_file_can_prove() -> None:
    proposal = propose(BANK)
    assert proposal.unmatched == ["Währung"]
    assert [question.split(":")[0] for question in proposal.questions] == [
        "reads.encodings", "lease_id", "tables, charges, when", "charge_code", "tables, payments, when",
    ]  # fmt: skip
    assert "cp1252 shows Währung" in proposal.questions[0]
    for line in ("separator: semicolon", "date: DD.MM.YYYY  # proved by 27.10.2026",
                 "decimal: comma  # proved by 1.355,90", "thousands: point"):  # fmt: skip
        assert line in proposal.yaml
    # It holds receipts only: the charges are taken out, and so is the lease of the payments.
    text = re.sub(r"  - table: charges.*?(?=  - table: payments)", "", proposal.yaml, flags=re.DOTALL)
    text = answered(text.replace('      lease_id: "?"\n', ""), encodings="cp1252", when="positive")
    read = through(text, BANK)
    frame = read.parts[0].read.frame
    rows = [(row["row_number"], row["amount"], row["received_on"], row["settled_on"], row["profile_fault"])
            for row in frame.iter_rows(named=True)]  # fmt: skip
    assert rows == [
        (4, "1355.90", "2026-10-05", "2026-10-06", None),
        (5, "1000.00", "2026-10-05", "2026-10-05", None),
        (6, "1000.00", "2026-10-27", "2026-10-28", "no_place_in_profile"),
        (7, "10.00", "2026-10-28", "2026-10-28", None),
    ]


@pytest.mark.parametrize("path", [LEDGER, EXPORT, BANK], ids=lambda path: path.stem)
def test_a_proposal_with_open_questions_loads_nothing(path: Path) -> None:
    with pytest.raises(ProfileError, match="a question that is still open"):
        parse_profile("proposed.yaml", propose(path).yaml)


@pytest.mark.parametrize(
    ("values", "decimal", "thousands"),
    [
        (["1.355,90", "10,00", "1.000"], "comma", "point"),
        (["1,000", "1500.00"], "point", "comma"),
        (["1,000"], "?", "none"),
        (["1.000", "2.500"], "?", "none"),
        (["1500", "20"], "point", "none"),
        (["EUR 5,00", "5.5"], "?", "none"),
        (["1'000.25"], "point", "apostrophe"),
        (["1 234,50"], "comma", "space"),
        (["1,234,567"], "point", "comma"),
    ],
)
def test_a_decimal_mark_is_taken_only_where_a_value_proves_it(values: list[str], decimal: str, thousands: str) -> None:
    found = amounts_of(values)
    assert (found.decimal.answer, found.thousands) == (decimal, thousands)


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        (["12/05/2015", "18/05/2015"], "DD/MM/YYYY"),
        (["05/12/2015", "05/18/2015"], "MM/DD/YYYY"),
        (["12/05/2015", "11/05/2015"], "?"),
        (["05.10.2026"], "?"),
        (["13/01/2026", "01/13/2026"], "?"),
        (["2026-10-01", "01/13/2026"], "?"),
        (["2026-10-01"], "YYYY-MM-DD"),
        (["5 Oct 2026"], "D Mon YYYY"),
        (["20261005"], "YYYYMMDD"),
        (["01/13/26"], "MM/DD/YY"),
        ([""], "?"),
    ],
)
def test_a_day_order_is_taken_only_where_a_value_proves_it(values: list[str], answer: str) -> None:
    assert dates_of(values).answer == answer


def test_encodings_and_separators_are_seen_in_the_bytes() -> None:
    assert encoding_of("é".encode("utf-16"))[0].answer == "utf-16"
    assert encoding_of("é".encode())[0].answer == "utf-8"
    assert encoding_of("é".encode("cp1252"))[0].is_open
    assert separator_of("a;b;c\n1,5;2,5;3,5\n") == "semicolon"
    assert separator_of("a\tb\n1\t2\n") == "tab"


def test_a_file_without_a_known_header_is_said_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("alpha,beta\n1,2\n")
    with pytest.raises(UsageError, match=r"(?s)two columns with known names.*row 1: alpha beta"):
        propose(path)


def test_every_synonym_means_one_thing() -> None:
    lines = (shipped_folder() / "headers.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(lines) == len(synonyms())


def test_the_command_proposes_writes_and_tries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["profile", str(EXPORT)]) == 0
    printed = capsys.readouterr().out
    out = tmp_path / "own.yaml"
    assert run_command(["profile", str(EXPORT), "--out", str(out)]) == 0
    assert out.read_text() == printed
    said = capsys.readouterr().out
    assert "QUESTION   formats.date" in said and "unmatched  Property" in said
    assert run_command(["profile", str(EXPORT), "--out", str(out)]) == 2, "an edited profile is not overwritten"
    assert run_command(["profile", str(EXPORT), "--with", str(out)]) == 2
    assert "own.yaml: formats.date: found '?', a question that is still open" in capsys.readouterr().err
    out.write_text(answered(printed, date="MM/DD/YYYY", charge_code="{column: Description, words: {Late Fee: LATE}}"))
    assert run_command(["profile", str(EXPORT), "--with", str(out)]) == 0
    said = capsys.readouterr().out
    assert "charges: 4 rows, amounts 2835.00, 3 held by the profile" in said
    assert "HELD row 5: unmapped_word: charge_code: found 'Rent - October 2026'" in said
    assert "total rows: 1 (row 11)" in said
