"""A rule of notices replayed as it was known on a day: a day of the past is judged by the knowledge of the past."""

from __future__ import annotations

import pytest

from tests.warehouse.alone import Alone, seeds


@pytest.fixture(scope="module")
def notices() -> Alone:
    return Alone().land("notice_rules", seeds("rules", "notice_rules.csv")).run("rule_notices")


def in_force(notices: Alone, on: str, known_on: str, where: str) -> list[tuple[str, int, int]]:
    """Rules in force on a day, as known on another: id, version, days."""
    rows = notices.dicts(
        "select rule_id, version, notice_days from rule_notices where is_eligible"
        " and valid_from <= cast($on as date) and (valid_to is null or cast($on as date) < valid_to)"
        " and (known_from_on is null or known_from_on <= cast($known as date))"
        f" and (known_to_on is null or cast($known as date) < known_to_on) and {where} order by 1, 2",
        {"on": on, "known": known_on},  # type: ignore[arg-type]
    )
    return [(row["rule_id"], row["version"], row["notice_days"]) for row in rows]


@pytest.mark.parametrize(
    ("known_on", "expected"),
    [
        ("2026-02-20", [("US.notice.hud.final2024", 1, 30)]),
        ("2026-03-05", []),  # it was believed to end on 29 March: no rule of HUD's would stand on 6 April
        ("2026-03-20", [("US.notice.hud.final2024", 3, 30)]),
    ],
)
def test_the_thirty_day_rule_gives_three_answers_for_one_filing(
    notices: Alone, known_on: str, expected: list[tuple[str, int, int]]
) -> None:
    """Filing on 6 April 2026. The revocation never took effect and is never chosen."""
    assert in_force(notices, "2026-04-06", known_on, "rule_id like 'US.notice.hud%'") == expected


def test_a_statute_stands_whatever_becomes_of_the_rules_beside_it(notices: Alone) -> None:
    for known_on in ("2026-02-20", "2026-03-05", "2026-03-20"):
        assert ("US.notice.cares", 1, 30) in in_force(notices, "2026-04-06", known_on, "jurisdiction = 'US'")
    assert in_force(notices, "2026-04-06", "2026-03-20", "rule_id like '%usda%'") == []


def test_an_act_that_is_not_proclaimed_shortens_no_notice(notices: Alone) -> None:
    """Claim: the N4 is seven days since January 2026."""
    assert in_force(notices, "2026-11-01", "2026-11-01", "jurisdiction = 'CA-ON'") == [("CA-ON.notice.n4.14", 1, 14)]


def test_texas_asks_for_pay_or_vacate_at_a_first_delinquency(notices: Alone) -> None:
    """Claim: a bare notice to vacate will do for a first default."""
    kinds = notices.dicts(
        "select kind from rule_notices where rule_id like '%first_delinquency' and is_eligible"
        " and valid_from <= date '2026-11-01'"
    )
    assert kinds == [{"kind": "pay_rent_or_vacate"}]
    before = in_force(notices, "2025-11-01", "2026-11-01", "jurisdiction = 'US-TX'")
    assert [rule for rule, _, _ in before] == ["US-TX.notice.24005.pre2026"]
