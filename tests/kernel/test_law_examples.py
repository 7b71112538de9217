"""The worked examples that stand beside each rule of law and policy (tests/kernel/application_examples.csv).

The entries are written out here; what was applied and what was left open is read from the file, so that a changed
figure there fails here.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.kernel.books import COLORADO, OREGON, R1, R3, WASHINGTON, Books

with (Path(__file__).parent / "application_examples.csv").open(newline="", encoding="utf-8") as lines:
    EXAMPLES = {(row["rule_id"], row["example"]): row for row in csv.DictReader(lines)}

ASSISTANCE = {"covers_from": "2026-03-01", "covers_to": "2026-04-30", "designation": "rent"}


def example_books() -> dict[tuple[str, str], tuple[Books, dict[str, str]]]:
    """Per example: its books, and what the file calls each charge."""
    wa = Books(R3, WASHINGTON).charge("R1", "2026-01-01", "1500.00").charge("L1", "2026-01-08", "50.00", "late_fee")
    wa.charge("U1", "2026-01-10", "60.00", "utility", counts_as_rent=True).pay("P", "2026-01-12", "1520.00")

    notice = Books(R1, WASHINGTON)
    for name, on, amount in (("Feb", "2026-02-01", "1500.00"), ("Mar", "2026-03-01", "1400.00")):
        notice.charge(name, on, amount)
    notice.charge("Apr", "2026-04-01", "1500.00").pay("P", "2026-04-02", "1000.00")

    co = Books(R1, COLORADO).charge("L1", "2026-03-08", "50.00", "late_fee").charge("R", "2026-04-01", "1500.00")
    co.pay("P", "2026-04-01", "1500.00")

    oregon = Books(R1, OREGON).charge("L May", "2026-05-08", "75.00", "late_fee")
    oregon.charge("R Jun", "2026-06-01", "1200.00").pay("P", "2026-06-02", "1200.00")

    prior = Books(R1, OREGON).charge("R Jan", "2026-01-01", "1000.00").pay("P0", "2026-01-02", "500.00")
    prior.charge("R Feb", "2026-02-01", "1000.00").pay("P", "2026-02-03", "1000.00")

    ontario = Books(R1, R1).charge("R May", "2026-05-01", "1400.00").charge("R Jun", "2026-06-01", "1400.00")
    ontario.pay("P", "2026-06-01", "1400.00")

    policy = Books(R1).charge("R", "2026-03-01", "900.00")
    policy.charge("pet", "2026-03-01", "35.00", "pet", counts_as_rent=True)
    policy.charge("damage", "2026-02-10", "200.00", "damage").pay("P", "2026-03-05", "950.00")

    fees_first = Books(R3).charge("R", "2026-01-01", "1000.00").charge("late", "2026-01-08", "50.00", "late_fee")
    fees_first.pay("P", "2026-01-10", "1000.00")

    beds = Books(R1).charge("bed A rent", "2026-01-01", "700.00", responsible_person_key="A")
    beds.charge("bed B rent", "2026-01-01", "700.00", responsible_person_key="B")
    beds.pay("P", "2026-01-02", "700.00", payer_person_key="A", is_individual_billing=True)

    award = Books(R1)
    for name, month in (("R Mar", 3), ("R Apr", 4), ("R May", 5)):
        award.charge(name, f"2026-0{month}-01", "1000.00")
    award.pay("P", "2026-05-10", "2000.00", **ASSISTANCE)

    parties = Books(R1).charge("R", "2026-01-01", "300.00")
    parties.account = 2
    parties.charge("HAP", "2026-01-01", "900.00").pay("P", "2026-01-03", "900.00")

    bounced = Books(R3, WASHINGTON).charge("Feb", "2026-02-01", "1500.00")
    bounced.charge("NSF", "2026-02-05", "35.00", "nsf_fee").charge("Mar", "2026-03-01", "1500.00")
    bounced.pay("P", "2026-03-03", "1600.00")

    agreed = Books('[{"match": {"category": "damage"}}, {"match": "any"}]')
    agreed.charge("damage", "2026-01-01", "150.00", "damage").charge("R", "2026-01-01", "900.00")
    agreed.pay("P", "2026-01-02", "900.00")

    same: dict[str, str] = {}
    return {
        ("US-WA.apply.5918283", "1"): (wa, same),
        ("US-WA.apply.notice_first", "1"): (notice, {"Feb rent": "Feb"}),
        ("US-CO.apply.no_recoup", "1"): (co, same),
        ("US-OR.apply.90260_4", "1"): (oregon, {"L": "L May"}),
        ("US-OR.apply.90220_9", "1"): (prior, same),
        ("CA-ON.apply.guideline11", "1"): (ontario, same),
        ("POLICY.apply.default", "1"): (policy, same),
        ("LEASE.apply.fees_first", "1"): (fees_first, same),
        ("POLICY.apply.individual_billing", "1"): (beds, {"A rent": "bed A rent", "B rent": "bed B rent"}),
        ("PROGRAM.apply.assistance", "1"): (award, same),
        ("PROGRAM.apply.subsidy_party", "1"): (parties, same),
        ("US-WA.apply.5918283", "3"): (bounced, same),
        ("US-NM.apply.478-15G", "2"): (agreed, same),
    }


BOOKS = example_books()


def figures(text: str, called: dict[str, str]) -> dict[str, str]:
    """'R1 1,500.00; U1 20.00' as {charge: amount}."""
    found = {}
    for part in text.removeprefix("per the agreement, e.g. ").split(";"):
        name, amount = re.fullmatch(r"\s*(.+?)\s+([\d,]+\.\d\d)\s*", part).groups()
        found[called.get(name, name)] = amount.replace(",", "")
    return found


def test_every_example_of_the_file_is_here():
    assert set(BOOKS) == set(EXAMPLES)


@pytest.mark.parametrize("example", sorted(EXAMPLES), ids=" ".join)
def test_an_example_of_law_or_policy_comes_out_as_written(engine, example):
    books, called = BOOKS[example]
    applied = books.run(engine)
    paid = {target: amount for (source, target), amount in applied.applied().items() if source == "P"}
    assert paid == figures(EXAMPLES[example]["applications"], called)
    assert applied.open() == figures(EXAMPLES[example]["left_open"], called)


NEW_MEXICO = (
    '[{"match": {"counts_as_rent": true}}, {"match": {"category": ["deposit", "damage"]}, "designated_only": true},'
    ' {"match": "any"}]'
)
DAMAGE_FIRST = '[{"match": {"category": "damage"}}, {"match": "any"}]'


def new_mexico() -> Books:
    books = Books(DAMAGE_FIRST, NEW_MEXICO, yields=True)
    return books.charge("damage", "2026-01-01", "150.00", "damage").charge("R", "2026-01-01", "900.00")


@pytest.mark.parametrize(
    ("payments", "left_open", "waiting"),
    [
        # A lease or a policy alone moves nothing: rent first.
        ([("P", "900.00", {})], {"damage": "150.00"}, {}),
        # The agreement as a designation: it pays what it names, and the rest of it waits.
        (
            [("P", "900.00", {"designation": "code", "designation_code_key": "default:DAMAGE"})],
            {"R": "900.00"},
            {"P": "750.00"},
        ),
        # The agreement as two payments of one cheque: what the file's example gives.
        (
            [("P", "150.00", {"designation": "code", "designation_code_key": "default:DAMAGE"}), ("Q", "750.00", {})],
            {"R": "150.00"},
            {},
        ),
    ],
    ids=["a policy is no agreement", "one designated payment", "two payments"],
)
def test_in_new_mexico_an_agreement_in_writing_is_a_designation(engine, payments, left_open, waiting):
    books = new_mexico()
    for name, amount, more in payments:
        books.pay(name, "2026-01-02", amount, **more)
    applied = books.run(engine)
    assert applied.open() == left_open
    assert applied.waiting() == waiting


def test_a_notice_that_leaves_out_older_rent_is_paid_after_it(engine):
    """The notice names March only; the oldest rent, February, is paid first: one month differs, the arrears do not."""
    books = Books(R1, WASHINGTON)
    books.charge("Feb", "2026-02-01", "1500.00").charge("Mar", "2026-03-01", "1400.00")
    applied = books.pay("P", "2026-04-02", "1000.00").run(engine)
    assert applied.open() == {"Feb": "500.00", "Mar": "1400.00"}
