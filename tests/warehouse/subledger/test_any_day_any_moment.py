"""Aging and arrears as of any day and as known at any moment: published functions against answers found otherwise.

Three loads make one home. The stories are worked by hand. The random households are played again by the simple twin
with the events known at the moment, and must come to the same figures. And for the build's own days the functions must
be the published tables, row for row: both are made of one text.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from dbt_project.kernels.allocation.reference import Event, Play, business_order
from dbt_project.kernels.allocation.rules import parse_rules
from dbt_project.kernels.allocation.warehouse import EVENTS, RULES
from orchestration.errors import UsageError
from orchestration.query import ask
from tests.conftest import BuildOf, Built
from tests.warehouse.subledger.portfolio import Lease, Portfolio

AS_OF = "2026-06-30"
FIRST, SECOND, THIRD = "2026-03-01T12:00:00+00:00", "2026-03-05T12:00:00+00:00", "2026-07-20T12:00:00+00:00"
KNOWN = ("2026-03-02T00:00:00Z", "2026-03-06T00:00:00Z", "2026-07-21T00:00:00Z")
PLACES = {"maple1": "US-IA", "heard": "ZZ-FK"}
RANDOM_PLACES = ("US-IA", "US-WA", "US-CO", "US-OR", "CA-ON")
CODES = ("rent", "rent", "rent", "late_fee", "nsf_fee", "fee", "utility", "parking", "damage")
HOUSEHOLDS = 25
DRAWS = 300 if os.environ.get("TIEOUT_PROOF") == "full" else 25  # random days and moments held against the twin


def at(on: str | date, hour: int = 15) -> str:
    return f"{on}T{hour:02}:00:00+00:00"


def told() -> list[tuple[str, dict[str, list[dict[str, object]]]]]:
    """What each of the three loads brings."""
    book = Portfolio(properties=PLACES)
    book.close("2026-01", "2026-02-10T12:00:00+00:00")
    forum = {"forum": "ZZ.fk", "version": 1, "jurisdiction": "ZZ-FK", "purpose": "notice", "rent_deposit": "leave_out"}
    law = {"citation": "a test", "valid_from": "2020-01-01"}
    book.add("forum_rules", **forum, order="earliest_rent", **law)

    story = book.lease("STORY")
    for month, name in ((1, "JAN"), (2, "FEB")):
        on = f"2026-0{month}-01"
        story.charge(name, "rent", on, "1000.00", recorded=at(on))
    story.charge("LATE", "late_fee", "2026-02-08", "50.00", recorded=at("2026-02-08"))
    story.pay("P1", "2026-01-05", "1200.00", recorded=at("2026-01-05"))
    late = book.lease("LATE-FILE").charge("JAN", "rent", "2026-01-01", "1000.00", recorded=at("2026-01-01"))
    fell = book.lease("RETURN-FELL").charge("JAN", "rent", "2026-01-01", "1000.00", recorded=at("2026-01-01"))
    fell.pay("P", "2026-01-05", "1000.00", recorded=at("2026-01-05"))
    fell.back("R", "P", "2026-01-10", "1000.00", recorded=at("2026-01-10"))
    heard = book.lease("HEARD", at="heard")
    for month in (1, 2):
        heard.charge(f"M{month}", "rent", f"2026-0{month}-01", "1000.00", recorded=at(f"2026-0{month}-01"))
    heard.pay("P", "2026-02-05", "500.00", recorded=at("2026-02-05"))
    first = book.files()

    mark = book.mark()
    story.pay("P2", "2026-01-20", "600.00", recorded=at("2026-03-04"))  # a lockbox cheque, keyed six weeks later
    late.pay("P", "2026-01-20", "600.00", recorded=at("2026-01-20"))  # typed in time, landed after January was closed
    fell.pay("EARLY", "2026-01-03", "300.00", recorded=at("2026-03-04"))  # before the money that came back
    book.add("forum_rules", **forum, order="current_month_first", **law, recorded_at=at("2026-03-04"))
    second = book.since(mark)

    mark = book.mark()
    story.back("R1", "P1", "2026-01-12", "1200.00", recorded=at("2026-03-10"))  # the bank's letter came in March
    book.add("entities", entity_id="oak", name="Oak LLC", currency="USD", chart_id="main", aging_edges="15,45")
    for place in RANDOM_PLACES:
        book.property(place.lower(), place, entity_id="oak")
    chance = random.Random(20260301)
    for number in range(HOUSEHOLDS):
        household(book, f"R{number}", RANDOM_PLACES[number % len(RANDOM_PLACES)].lower(), chance)
    return [(FIRST, first), (SECOND, second), (THIRD, book.since(mark))]


def household(book: Portfolio, name: str, place: str, chance: random.Random) -> None:
    """Half a year of everything that moves an account, some of it known weeks late."""
    more = {"billing": "individual"} if chance.random() < 0.2 else {}
    lease = book.lease(name, at=place, **more)
    people = [f"{name}.a", f"{name}.b"]
    for person in people:
        book.add("persons", person_id=person, name=person)
        book.add("lease_parties", lease_id=name, person_id=person, role="leaseholder")
    charges: list[tuple[str, str, str, date]] = []
    paid: list[tuple[str, Decimal, date]] = []
    for row in range(chance.randint(8, 26)):
        on = date(2026, 1, 1) + timedelta(days=chance.randint(0, 175))
        lag = 0 if chance.random() < 0.6 else chance.randint(1, 45)
        recorded = at(min(on + timedelta(days=lag), date(2026, 7, 15)), chance.randint(0, 23))
        amount = Decimal(chance.choice((100, 200, 300, 350, 500, 900)))
        party = "subsidy" if chance.random() < 0.15 else None
        person = chance.choice(people) if more and chance.random() < 0.7 else None
        kind = chance.random()
        key = f"E{row}"
        if kind < 0.4 or not charges:
            code = chance.choice(CODES)
            due = on + timedelta(days=chance.choice((0, 0, 0, 10, 40)))
            lease.charge(
                key, code, str(on), f"{amount}.00", recorded=recorded, due_on=str(due), ledger_party=party,
                responsible_person_id=person,
            )  # fmt: skip
            charges.append((key, code, f"{amount}.00", on))
        elif kind < 0.72:
            meant = chance.choice((None, None, None, "rent", "fees"))
            lease.pay(
                key, str(on), f"{amount}.00", recorded=recorded, designation=meant, ledger_party=party,
                payer_person_id=person, payer_kind="resident" if person else None,
            )  # fmt: skip
            paid.append((key, amount, on))
        elif kind < 0.8:
            lease.charge(key, chance.choice(("concession", "adjustment")), str(on), f"-{amount}.00", recorded=recorded)
        elif kind < 0.87:
            of, code, whole, since = charges.pop(chance.randrange(len(charges)))
            undone = next(r for r in book.rows["charges"] if r["charge_id"] == lease.id(of))
            lease.reverse(
                key, of, code, str(max(on, since)), f"-{whole}", recorded=recorded,
                **{name: undone[name] for name in ("ledger_party",) if name in undone},
            )  # fmt: skip
        elif kind < 0.95 and paid:
            of, whole, since = paid.pop(chance.randrange(len(paid)))
            part = whole if chance.random() < 0.5 else Decimal(100)
            lease.back(key, of, str(max(on, since)), f"{part}.00", recorded=recorded)
        elif kind < 0.975:
            written_off(lease, key, on, amount, recorded)
        else:
            lease.add(
                "refunds_of_credit", refund_id=lease.id(key), amount=f"{amount}.00", paid_on=str(on),
                recorded_at=recorded,
            )  # fmt: skip


def written_off(lease: Lease, key: str, on: date, amount: Decimal, recorded: str) -> None:
    lease.add(
        "write_offs", write_off_id=lease.id(key), amount=f"{amount}.00", written_off_on=str(on), approved_by="Kim",
        reason="a test", recorded_at=recorded,
    )  # fmt: skip


@pytest.fixture(scope="module")
def built(build_of: BuildOf) -> Built:
    return build_of(loads=told(), as_of=AS_OF)


BUCKETS = ("not_yet_due", "days_0_30", "days_31_60", "days_61_90", "days_over_90")
FIGURES = (*BUCKETS, "open_total", "rent_open", "other_open", "unapplied_credit", "balance")


def aging(built: Built, lease: str, day: str, known: str, basis: str = "business") -> dict[str, str]:
    """What a person types: `tieout query` on the published function. Figures that are not nothing."""
    answer = ask(
        built.build,
        f"select {', '.join(FIGURES)} from aging_as_of('{day}', '{known}') where lease_id = '{lease}'"
        f" and basis = '{basis}' and ledger_party = 'resident'",
    )
    assert len(answer.rows) <= 1
    return {
        name: str(value) for row in answer.rows for name, value in zip(answer.columns, row, strict=True) if value != 0
    }


def test_one_day_known_at_three_moments_has_three_right_answers(built: Built) -> None:
    """The last of February: before the lockbox cheque of January was keyed, after it, and after the first bounced."""
    day = "2026-02-28"
    assert aging(built, "STORY", day, KNOWN[0]) == {
        "days_0_30": "850.00", "open_total": "850.00", "rent_open": "800.00", "other_open": "50.00",
        "balance": "850.00",
    }  # fmt: skip
    assert aging(built, "STORY", day, KNOWN[1]) == {
        "days_0_30": "250.00", "open_total": "250.00", "rent_open": "200.00", "other_open": "50.00",
        "balance": "250.00",
    }  # fmt: skip
    assert aging(built, "STORY", day, KNOWN[2]) == {
        "days_0_30": "1050.00", "days_31_60": "400.00", "open_total": "1450.00", "rent_open": "1400.00",
        "other_open": "50.00", "balance": "1450.00",
    }  # fmt: skip


def test_the_three_answers_are_one_journal_by_two_filters(built: Built) -> None:
    for known, whole in zip(KNOWN, ("850.00", "250.00", "1450.00"), strict=True):
        seen = (
            f"from {{}} where lease_id = 'STORY' and {{}} <= date '2026-02-28' and recorded_at <= timestamp '{known}'"
        )
        charged = ask(
            built.build, f"select sum(amount) {seen.format('resident_ledger', 'entry_on')} and kind = 'charge'"
        )
        applied = ask(built.build, f"select sum(amount) {seen.format('payment_applications', 'applied_on')}")
        assert charged.rows[0][0] - applied.rows[0][0] == Decimal(whole)


def test_a_closed_months_books_stay_what_they_were_whatever_becomes_known(built: Built) -> None:
    for known in KNOWN:
        books = aging(built, "STORY", "2026-01-31", known, "books")
        assert books == {"unapplied_credit": "200.00", "balance": "-200.00"}
    assert aging(built, "STORY", "2026-01-31", KNOWN[2]) == {
        "days_0_30": "400.00", "open_total": "400.00", "rent_open": "400.00", "balance": "400.00",
    }  # fmt: skip


def test_what_landed_after_a_close_it_reaches_was_not_known_before(built: Built) -> None:
    owed = [aging(built, "LATE-FILE", "2026-01-31", known)["open_total"] for known in KNOWN]
    assert owed == ["1000.00", "400.00", "400.00"]


def test_a_return_falls_with_the_application_that_it_took_back(built: Built) -> None:
    """Late money stands before a payment and its return: both were played again, and each has its own correction."""
    rows = built.rows(
        "select source_id, amount, applied_on::varchar, reason from payment_applications"
        " where lease_id = 'RETURN-FELL' and recorded_at < timestamp '2026-03-06 00:00:00'"
        " order by recorded_at, applied_on, reason nulls last, amount"
    )
    named = [(source.removeprefix("RETURN-FELL."), str(amount), on, reason) for source, amount, on, reason in rows]
    assert named == [
        ("P", "1000.00", "2026-01-05", None),
        ("P", "-1000.00", "2026-01-10", "return"),
        ("EARLY", "300.00", "2026-01-03", None),
        ("P", "-1000.00", "2026-01-05", "correction"),
        ("P", "700.00", "2026-01-05", None),
        ("P", "1000.00", "2026-01-10", "correction"),
        ("P", "-700.00", "2026-01-10", "return"),
    ]
    owed = [aging(built, "RETURN-FELL", "2026-02-28", known)["open_total"] for known in KNOWN]
    assert owed == ["1000.00", "700.00", "700.00"]


@pytest.mark.parametrize(
    "asked",
    [
        "subledger.aging_as_of('2026-02-28')",
        "marts.read_csv('/etc/passwd')",
        "aging_as_of((select content from read_text('/etc/passwd')))",
        "main.aging_as_of('2026-02-28')",
        "aging_as_off('2026-02-28')",
    ],
)
def test_only_published_functions_are_asked(built: Built, asked: str) -> None:
    with pytest.raises(UsageError, match="is not a table or function of the published schema"):
        ask(built.build, f"select * from {asked}")


def test_a_function_asked_wrongly_is_said_in_words(built: Built) -> None:
    with pytest.raises(UsageError, match="does not run"):
        ask(built.build, "select * from aging_as_of('the last of February')")


def test_a_moment_may_be_given_in_any_offset_and_is_not_needed(built: Built) -> None:
    assert aging(built, "STORY", "2026-02-28", "2026-03-05T23:59:59-02:00") == aging(
        built, "STORY", "2026-02-28", "2026-03-06T01:59:59Z"
    )
    latest = ask(built.build, "select open_total from aging_as_of('2026-02-28') where lease_id = 'STORY'")
    assert latest.rows[0][0] == Decimal("1450.00")


def months(built: Built, known: str) -> dict[str, str]:
    rows = ask(
        built.build,
        f"select strftime(period_from, '%Y-%m'), rent_owing from arrears_by_month_as_of('2026-02-28', '{known}')"
        " where lease_id = 'HEARD' and forum = 'ZZ.fk' order by 1",
    ).rows
    return {month: str(owing) for month, owing in rows}


def test_a_claim_is_heard_by_the_version_known_at_its_moment(built: Built) -> None:
    """The same day, the same ledger: what a forum's rule was changed to in March moves no claim of before."""
    assert months(built, KNOWN[0]) == {"2026-01": "500.00", "2026-02": "1000.00"}
    for known in KNOWN[1:]:
        assert months(built, known) == {"2026-01": "1000.00", "2026-02": "500.00"}
    rows = built.rows("select known_from, known_to from rules.rule_forums where forum = 'ZZ.fk' order by 1 nulls first")
    assert [(known_from is None, known_to is None) for known_from, known_to in rows] == [(True, False), (False, True)]


def test_a_claim_leaves_out_what_was_not_known(built: Built) -> None:
    claims = ask(
        built.build,
        " union all ".join(
            f"select '{known}' as known, amount from arrears_bridge_as_of('2026-02-28', '{known}')"
            " where lease_id = 'STORY' and forum = 'earliest_rent' and line_kind = 'claim'"
            for known in KNOWN
        ),
    ).rows
    assert {known: str(amount) for known, amount in claims} == dict(
        zip(KNOWN, ("800.00", "200.00", "1400.00"), strict=True)
    )


TWINS = {
    "aging_as_of": "aging_month_end",
    "aging_buckets_as_of": "aging_buckets",
    "open_charges_as_of": "open_charges_month_end",
    "unapplied_credits_as_of": "unapplied_credits",
    "arrears_by_month_as_of": "arrears_by_month",
    "arrears_payments_as_of": "arrears_payments",
    "arrears_claimable_charges_as_of": "arrears_claimable_charges",
    "arrears_bridge_as_of": "arrears_bridge",
    "arrears_excluded_charges_as_of": "arrears_excluded_charges",
    "arrears_excluded_money_as_of": "arrears_excluded_money",
}


def test_every_function_has_its_published_table(built: Built) -> None:
    found = built.rows("select function_name from duckdb_functions() where schema_name = 'marts' and not internal")
    assert {name for (name,) in found} == set(TWINS)


@pytest.mark.parametrize("function", TWINS)
@pytest.mark.parametrize("moment", [None, "9999-12-31T00:00:00Z"], ids=["not asked", "after everything"])
def test_on_the_days_of_a_published_table_the_function_is_the_table(
    built: Built, function: str, moment: str | None
) -> None:
    table = TWINS[function]
    columns = [name for (name,) in built.rows(f"select column_name from (describe {table})")]
    kept = ", ".join(name for name in columns if name != "is_as_of_day")
    monthly = "basis" in columns
    days = [day for (day,) in built.rows(f"select distinct as_of from {table}")] if monthly else [AS_OF]
    assert len(days) == (6 if monthly else 1)
    for day in days:
        where = "where as_of = $day" if "as_of" in columns else "where $day is not null"
        asked = f"select {kept} from {function}($day, $moment)"
        held = f"select {kept} from {table} {where}"
        for one, other in ((asked, held), (held, asked)):
            found = built.rows(f"({one}) except all ({other})", {"day": day, "moment": moment})
            assert found == []
    assert built.one(f"select count(*) from {function}($day, $moment)", {"day": AS_OF, "moment": moment}) > 0


@pytest.fixture(scope="module")
def accounts(built: Built) -> dict[tuple[str, str], list[Event]]:
    """The events of the random households by account, as the kernel reads them."""
    rows = built.dicts(
        f"select lease_id, ledger_party, {EVENTS} from core.int_events__entries where lease_id like 'R%'"
    )
    found: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for row in rows:
        found[row.pop("lease_id"), row.pop("ledger_party")].append(Event(**row))
    return {account: sorted(events, key=business_order) for account, events in found.items()}


def by_the_twin(events: list[Event], rules: Any, day: date, known: datetime) -> dict[str, int]:
    """Aging of one account in cents: the events known at the moment, played up to the day."""
    seen = [event for event in events if event.known_at <= known]
    play = Play(rules, seen)
    for event in seen:
        if event.business_on <= day:
            play.play(event)
    found: dict[str, int] = dict.fromkeys(FIGURES, 0)
    for key, amount in play.open.items():
        age = (day - play.events[key].due).days
        found[BUCKETS[0 if age < 0 else 1 if age <= 30 else 2 if age <= 60 else 3 if age <= 90 else 4]] += amount
        found["rent_open" if play.events[key].counts_as_rent else "other_open"] += amount
        found["open_total"] += amount
    found["unapplied_credit"] = sum(play.waiting.values())
    found["balance"] = found["open_total"] - found["unapplied_credit"]
    return {name: amount for name, amount in found.items() if amount}


def test_random_days_and_moments_come_to_what_the_twin_plays(
    built: Built, accounts: dict[tuple[str, str], list[Event]]
) -> None:
    rules = parse_rules(arrow(built, f"select {RULES} from rules.rule_application where is_eligible"))
    chance = random.Random(7)
    assert len(accounts) > HOUSEHOLDS and sum(map(len, accounts.values())) > 350
    late = 0
    for _ in range(DRAWS):
        day = date(2026, 1, 5) + timedelta(days=chance.randint(0, 190))
        known = datetime(2026, 1, 5, 12) + timedelta(days=chance.randint(0, 200), hours=chance.randint(0, 23))
        rows = built.dicts(
            f"select lease_id, ledger_party, {', '.join(FIGURES)} from aging_as_of($day, $known)"
            " where basis = 'business' and lease_id like 'R%'",
            {"day": day, "known": f"{known.isoformat()}Z"},
        )
        said = {
            (row.pop("lease_id"), row.pop("ledger_party")): {
                name: int(amount * 100) for name, amount in row.items() if amount
            }
            for row in rows
        }
        played = {account: by_the_twin(events, rules, day, known) for account, events in accounts.items()}
        assert {a: f for a, f in said.items() if f} == {a: f for a, f in played.items() if f}, (day, known)
        late += sum(1 for a, f in played.items() if f != by_the_twin(accounts[a], rules, day, datetime.max))
    assert late > DRAWS  # what became known later does matter in these portfolios


def arrow(built: Built, sql: str) -> Any:
    with duckdb.connect(str(built.build.path), read_only=True) as connection:
        return connection.execute(sql).to_arrow_table()
